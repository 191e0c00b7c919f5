import fc from "fast-check";
import { expect, test } from "vitest";
import { exactBayes } from "../../src/tasks/repl/bayes.ts";
import { readProgram } from "../../src/tasks/repl/parser.ts";
import { replWords } from "../../src/tasks/repl/vocabulary.ts";
import { wordTokenizer } from "../../src/tasks/tokenizer.ts";
import { drawn, play, questionsAt, type Session, SWAPS } from "./session.ts";

const session: fc.Arbitrary<Session> = fc.record({
  start: fc.shuffledSubarray([1, 2, 3], { minLength: 3 }),
  swaps: fc.array(fc.constantFrom(...SWAPS), { minLength: 1, maxLength: 30 }),
  spacing: fc.integer({ min: 1, max: 12 }),
  reveal: fc.constantFrom("partial" as const, "full" as const),
  seed: fc.integer({ min: 0, max: 1000 }),
});

test("its text is a program of the task: the task's own reader finds the same swaps, prints and values", () => {
  const tokenizer = wordTokenizer(replWords(3, false, "repl").words);
  fc.assert(
    fc.property(session, (made) => {
      const { text, moments, reveals, lines } = play(made);
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
      expect(lines.map((line) => `${line.text}\n`).join("")).toBe(text);
      const program = readProgram(text);
      expect(program.initial).toEqual(made.start.map(String));
      expect(program.commands).toHaveLength(made.swaps.length);
      let held = program.initial;
      for (const [i, from] of program.commands.entries()) {
        held = from.map((source) => held[source]);
        expect(held).toEqual(moments[i + 1].map(String));
      }
      expect(program.reveals).toEqual(
        reveals.map(({ variable, value, after }) => ({ variable, value: String(value), commands: after })),
      );
      for (const { before, value } of reveals) expect(text.startsWith(`${before}${value}\n`)).toBe(true);
      expect(exactBayes(program)).toEqual(reveals.map(() => 1));
      const prints = Math.floor(made.swaps.length / made.spacing);
      expect(reveals).toHaveLength(prints * (made.reveal === "full" ? 3 : 1));
    }),
  );
});

test("what is drawn follows from its seed, and all starts and swaps occur", () => {
  expect(drawn(20, 4, "partial", 7)).toEqual(drawn(20, 4, "partial", 7));
  const many = Array.from({ length: 200 }, (_, seed) => drawn(12, 4, "partial", seed));
  expect(new Set(many.map(({ start }) => start.join(""))).size).toBe(6);
  expect(new Set(many.flatMap(({ swaps }) => swaps)).size).toBe(3);
});

test("a model is asked about a place before its reveal", () => {
  const played = play({ start: [2, 1, 3], swaps: ["ab", "bc"], spacing: 1, reveal: "partial", seed: 1 });
  const [a, , c] = questionsAt(played, 1);
  expect(a.text.match(/ = \w, /g)).toHaveLength(1);
  expect(a.text.match(/print/g)).toHaveLength(1);
  expect(a.text.endsWith(">>> print('a', a)\na ")).toBe(true);
  expect(c.text.endsWith("c ")).toBe(true);
});
