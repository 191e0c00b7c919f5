import { expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import type { RevealRecord } from "../../schemas/test-result.ts";
import { ask, type Kept } from "../ask.ts";
import { benchInput, nothing } from "../bench-input.test-helper.ts";
import type { BenchInput } from "../question.ts";
import { judgeSamples } from "../scoring/score-samples.ts";
import { reveals } from "./recorded-reveals.ts";

const record = (id: string, expected: string, tokens: number): RevealRecord => ({
  ...{ version: 1, id, change: {}, prompt: `>>> print('a', a)\na of ${id} `, expected, tokens },
  ...{ commands: 4, answer: expected, margin: 1 },
});
const input = (more: Partial<BenchInput<RevealRecord>> = {}) =>
  benchInput({ rows: [record("0", "2", 1), record("1", "[213]", 3)], ...more });

test.each([
  ["2", "correct", "2"],
  ["2\n>>> a, b = b, a\n", "correct", "2"],
  [" 2 \nb 3", "correct", "2"],
  ["3", "wrong", "3"],
  ["23", "wrong", "23"],
  ["2.0", "wrong", "2.0"],
  ["\n2", "unreadable", null],
  ["", "unreadable", null],
])("the first line of the reply %j is %s", async (reply, kind, extracted) => {
  const judged = await reveals.prepare({}, input()).question(0).judge([reply], nothing);
  expect([judged.grade.kind, judged.extracted]).toEqual([kind, extracted]);
});

test.each([
  [undefined, [1, 3]],
  [8, [8, 8]],
])(
  "with --max-tokens %s the replies may have %j tokens, and every answer is found again",
  async (maximumTokens, wanted) => {
    const questions = reveals.prepare({}, input({ maximumTokens }));
    const asked: [prompt: string, tokens: number][] = [];
    const kept = new Map<string, Kept>();
    const parameters = { temperature: 0, maximumTokens: 300, stop: [], contextTokens: null, seed: null };
    const signal = new AbortController().signal;
    const answers = { get: (key: string) => kept.get(key), keep: (one: Kept) => void kept.set(one.key, one) };
    const common = { questions, samples: 1, parameters, identity: ["m"], answers, atMost: 1, signal };
    const tally = await ask({
      ...common,
      async endpoint({ prompt, parameters: { maximumTokens: most } }) {
        asked.push([prompt, most]);
        return { kind: "reply", text: "2", finish: "length", promptTokens: null, replyTokens: 1 };
      },
      maximumRetries: 0,
      rng: rngFrom(0),
    });
    expect(tally.answered).toBe(2);
    expect(asked.sort()).toEqual([
      [">>> print('a', a)\na of 0 ", wanted[0]],
      [">>> print('a', a)\na of 1 ", wanted[1]],
    ]);
    const verdicts: string[] = [];
    for await (const judged of judgeSamples({ ...common, execute: nothing })) {
      if (judged.kind === "sample") verdicts.push(`${judged.sample.id} ${judged.sample.verdict}`);
    }
    expect(verdicts).toEqual(["0 correct", "1 wrong"]);
  },
);

test("a chain of thought is refused: the prompt is the program alone", () => {
  expect(() => reveals.prepare({}, input({ style: "cot" }))).toThrow("--style: expected direct for reveals");
});
