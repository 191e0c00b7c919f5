import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { page } from "./docs.test-helper.ts";
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

test.each(Object.entries(pages))("docs/reference/%s.md is what the sources say", async (name, make) => {
  const text = await make();
  expect(text.split("\n").length).toBeGreaterThan(40);
  await expect(text, "npm run docs").toMatchFileSnapshot(
    fileURLToPath(new URL(`../../docs/reference/${name}.md`, import.meta.url)),
  );
});

/** Words that pages by hand avoid, too. */
const { rules } = parse(page("site/prh.yml")) as { rules: { expected: string; pattern: string }[] };
const named = ["origin"]; // `whence` is a command of the debugger
const slips = rules.flatMap(({ expected, pattern }) => {
  if (named.includes(expected)) return [];
  const [, source, flags] = /^\/(.*)\/(\w*)$/s.exec(pattern)!; // as prh writes them
  return new RegExp(source, flags.replace("g", ""));
});

/** Sentences of paragraphs and cells, without code. */
const sentences = (text: string) =>
  text
    .replaceAll(/^```.*?^```/gms, "")
    .replaceAll(/`[^`]*`|<!--.*?-->/g, "x")
    .split(/(?<=[.?!:;])\s|\n\n|\n?\|/);

test.each(Object.entries(pages))(
  "what the sources say on docs/reference/%s.md is short and plain",
  async (_, make) => {
    const said = sentences(await make());
    expect(said.filter((each) => each.split(/\s+/).length > 35)).toEqual([]);
    expect(said.filter((each) => slips.some((slip) => slip.test(each)))).toEqual([]);
  },
);
