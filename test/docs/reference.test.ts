import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { slips } from "./docs.test-helper.ts";
import { analysesPage } from "./reference/analyses.ts";
import { benchmarksPage } from "./reference/benchmarks.ts";
import { checkpointsPage } from "./reference/checkpoints.ts";
import { commandsPage } from "./reference/commands.ts";
import { configurationPage } from "./reference/configuration.ts";
import { fileFormatsPage } from "./reference/file-formats.ts";
import { modelsPage } from "./reference/models.ts";
import { opsPage } from "./reference/ops.ts";
import { tasksPage } from "./reference/tasks.ts";

const pages = {
  analyses: analysesPage,
  benchmarks: benchmarksPage,
  checkpoints: checkpointsPage,
  commands: commandsPage,
  configuration: configurationPage,
  "file-formats": fileFormatsPage,
  models: modelsPage,
  ops: opsPage,
  tasks: tasksPage,
};

/** Sentences of paragraphs and cells, without code. */
const sentences = (text: string) =>
  text
    .replaceAll(/^```.*?^```/gms, "")
    .replaceAll(/`[^`]*`|<!--.*?-->/g, "x")
    .split(/(?<=[.?!:;])\s|\n\n|\n?\|/);

test.each(Object.entries(pages))(
  "docs/reference/%s.md is what the sources say, short and plain",
  async (name, make) => {
    const text = await make();
    expect(text.split("\n").length).toBeGreaterThan(40);
    await expect(text, "npm run docs").toMatchFileSnapshot(
      fileURLToPath(new URL(`../../docs/reference/${name}.md`, import.meta.url)),
    );
    const said = sentences(text);
    expect(said.filter((each) => each.split(/\s+/).length > 35)).toEqual([]);
    const avoided = slips.filter(({ expected }) => expected !== "origin"); // `whence` is a command of the debugger
    expect(said.filter((each) => avoided.some(({ form }) => form.test(each)))).toEqual([]);
  },
);
