import { beforeAll, expect, test, vi } from "vitest";
import type { TraceRecord } from "../../schemas/trace.ts";
import { goldenPrograms, goldenText, raises, traces } from "./golden-programs.test-helper.ts";
import { hasPython, pythonTest } from "./python.test-helper.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 }); // three forks for each program

let records: TraceRecord[] = [];
beforeAll(() => {
  if (hasPython) records = traces(goldenPrograms, "inline");
});

test("there are at least 150 programs", () => {
  expect(goldenPrograms.length).toBeGreaterThanOrEqual(150);
});

pythonTest("every program gives its golden trace, proven", () => {
  for (const [i, { name, trace }] of goldenPrograms.entries()) {
    expect(goldenText(records[i]), name).toBe(trace);
    expect([name, records[i].proven, records[i].truncated]).toEqual([name, true, false]);
    expect([name, records[i].reason === null]).toEqual([name, !raises(name)]);
  }
});

pythonTest("outside of kept definitions no trace has a loop or a branch", () => {
  for (const [i, { lines }] of records.entries()) {
    const straight = lines.filter(({ role }) => role !== "definition").map(({ code }) => code);
    expect([
      goldenPrograms[i].name,
      straight.filter((code) => /^(?:for|while|if|async|return|def)\b/m.test(code)),
    ]).toEqual([goldenPrograms[i].name, []]);
  }
});
