import { expect, test } from "vitest";
import { callBuilt } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { page } from "./docs.test-helper.ts";

/** `data faults` needs MBPP, which is not in the repository. */
const blocks = [...page("evidence/neighbors/log.md").matchAll(/\n### (.+)\n\n```\n([^`]+)```/g)]
  .map(([, system, block]) => ({ system, lines: block.trim().split("\n") }))
  .filter(({ lines }) => !lines[0].startsWith("$ statelab data faults "));

test("six systems of the table have a log that can be run anywhere", () => {
  expect(blocks).toHaveLength(6);
});

test.each(blocks)("$system: the commands print what the log has", async ({ system, lines }) => {
  process.chdir(tmpFolder(system));
  let printed = "";
  for (const line of lines) {
    if (line.startsWith("$ statelab ")) printed = (await callBuilt([line.slice(11)])).stdout;
    else if (!/^[\d.]+ s$/.test(line)) expect(printed.split("\n")).toContain(line);
  }
});
