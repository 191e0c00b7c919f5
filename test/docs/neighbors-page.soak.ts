import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callBuilt } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { page, project } from "./docs.test-helper.ts";

/** `data faults` needs MBPP, which is not in the repository. */
const blocks = [...page("evidence/neighbors/log.md").matchAll(/\n### (.+)\n[^#]*?\n```\n([^`]+)```/g)]
  .map(([, system, block]) => ({ system, lines: block.trim().split("\n") }))
  .filter(({ lines }) => !lines[0].startsWith("$ statelab data faults "));

test("eight systems of the table have a log that can be run anywhere", () => {
  expect(blocks).toHaveLength(8);
});

test.each(blocks)("$system: the commands print what the log has", async ({ system, lines }) => {
  process.chdir(tmpFolder(system));
  cpSync(join(project, "examples"), "examples", { recursive: true });
  let printed = "";
  for (const line of lines) {
    if (line.startsWith("$ statelab ")) {
      const [command, file] = line.slice(11).split(" > ");
      printed = (await callBuilt([command])).stdout;
      if (file !== undefined) writeFileSync(file, printed);
    } else if (!/^[\d.]+ s$/.test(line)) expect(printed.split("\n")).toContain(line);
  }
});
