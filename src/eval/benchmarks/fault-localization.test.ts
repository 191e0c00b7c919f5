import { expect, test } from "vitest";
import { parseWith } from "../../core/settings.ts";
import type { FaultRecord } from "../../schemas/fault.ts";
import { benchInput, nothing } from "../bench-input.test-helper.ts";
import { executeAll, hasPython } from "../python.test-helper.ts";
import { faultBlocks } from "./fault-localization.ts";

const source = "def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n";
const fault: FaultRecord = {
  ...{ version: 1, id: "t/wrong operator/4/1", program: "t", fault: "wrong operator" },
  ...{ line: 4, block: [4, 4] },
  ...{ before: "total += i", after: "total -= i", source, faulty: source.replace("+=", "-=") },
  tests: [
    { test: "(f(1)) == (0)", outcome: "passed" },
    { test: "(f(3)) == (3)", outcome: "failed" },
  ],
  parts: { line: 4, moment: 9 },
  blocks: [2, 3, 4, 5].map((line) => [line, line]),
  run: {
    ...{ call: "f(3)", expected: "3", got: "-3", sequence: [0, 1, 2, 1, 2, 1, 2, 1, 3], first: 4 },
    shown: [{ at: 4, before: { n: "3", total: "0", i: "1" }, after: { n: "3", total: "-1", i: "1" } }],
  },
  provenance: { benchmark: "b", license: "l", sha256: "", statelab: "0", python: "3", seed: 0 },
};
const input = benchInput<FaultRecord>({ rows: [fault, { ...fault, id: "not recorded", run: null }] });
const prepared = (params: object) =>
  faultBlocks.prepare(parseWith(faultBlocks.params, params, "fault-blocks"), input);

test("both arms show the numbered program and the failing test, one the states; the answer is the block", async () => {
  const { count, question, excluded } = prepared({});
  expect(count).toBe(2);
  expect(excluded).toEqual([{ id: "not recorded", reason: "the faulty run was not recorded" }]);
  const [states, output] = [question(0), question(1)];
  for (const each of [states, output]) {
    expect(each.next([])).toContain("        total -= i  # block 2\n");
    expect(each.next([])).toContain("f(3) should give 3, and it gives -3.");
    expect(each.next([])).not.toContain("+=");
    expect(each.next(["2"])).toBeUndefined();
  }
  const shown = "run 5: block 2\n  before: n = 3, total = 0, i = 1\n  after: n = 3, total = -1, i = 1";
  expect(states.next([])).toContain(shown);
  expect(output.next([])).not.toContain("run 5");
  const kinds = await Promise.all(
    ["2\n[/ANSWER]", "Block 2.", "1", "the loop", ""].map(
      async (reply) => (await states.judge([reply], nothing)).grade.kind,
    ),
  );
  expect(kinds).toEqual(["correct", "correct", "wrong", "unreadable", "unreadable"]);
});

test.skipIf(!hasPython)("a repair is right where all tests pass (skipped without python3)", async () => {
  const { count, question } = prepared({ want: "repair", see: ["told", "output"] });
  expect(count).toBe(2);
  expect(question(0).next([])).toContain("The fault is in block 2.");
  const execute = async (program: Parameters<typeof executeAll>[0][number]) => executeAll([program])[0];
  const grade = async (code: string) =>
    (await question(0).judge([`[ANSWER]\n\`\`\`python\n${code}\`\`\`\n[/ANSWER]`], execute)).grade.kind;
  expect(await grade(source)).toBe("correct");
  expect(await grade(fault.faulty)).toBe("wrong");
});
