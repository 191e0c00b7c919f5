import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { tracesIn } from "./trace-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "statelab-traces-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("rows of data trace and of trace --format jsonl are read alike; a line that is neither is named", () => {
  const trace = { code: "n = 1\nassert (n) == 1\n", literal: "1", steps: 1 };
  expect(() => tracesIn(folder)).toThrow(/expected a \.jsonl file of code traces, got "none"/);
  writeFileSync(join(folder, "b.jsonl"), `${JSON.stringify({ ...trace, literal: null })}\n\n`);
  writeFileSync(join(folder, "a.jsonl"), `${JSON.stringify({ id: "x", trace })}\n`);
  writeFileSync(join(folder, "README.md"), "not one");
  expect(tracesIn(folder).map(({ literal }) => literal)).toEqual(["1", null]);
  writeFileSync(join(folder, "b.jsonl"), `${JSON.stringify(trace)}\n{"code": 1}\n`);
  expect(() => tracesIn(folder)).toThrow(/b\.jsonl, line 2: expected /);
  expect(() => tracesIn(join(folder, "a.jsonl"))).toThrow(/expected a folder of code traces, got "a file"/);
});
