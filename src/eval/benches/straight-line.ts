/**
 * @file Programs without control flow, made and not taken from a file: parity, permutation, arithmetic. What is asserted at the end?
 *
 *     parity           p = 1        permutation   a = [2, 1, 3]                arithmetic   b = 7
 *                      p ^= 0                     a[0], a[1] = a[1], a[0]                   a = b - 12
 *                      assert p == ??             assert a == ??                            assert a == ??
 *
 * An arithmetic program is made backwards: a free variable (at first `a`) is given a sum or difference of two operands,
 * each a new variable, a free one or a number, and is then bound unless it occurs in that expression; at the end every
 * free variable gets a number.
 */

import { z } from "zod";
import { shuffle } from "../../math/permutations.ts";
import type { Rng } from "../../math/rng.ts";
import { exampleStream } from "../../tasks/index.ts";
import { gradeLiteral } from "../grade.ts";
import { answerIn, promptText, type Shot, stopMark, unknown } from "../prompt.ts";
import { defineBench, type Question } from "../question.ts";
import { parts } from "../source-text.ts";

/** A program without its last line, the name that is asked for, and its value at the end. */
export interface StraightLine {
  readonly lines: readonly string[];
  readonly name: string;
  readonly value: string;
}

const Common = {
  programs: z.int().min(1).default(200),
};
const ParityParams = z.strictObject({ ...Common, length: z.int().min(1).max(4096).default(16) });
const PermutationParams = z.strictObject({
  ...Common,
  size: z.int().min(2).max(64).default(4),
  swaps: z.int().min(1).max(4096).default(8),
});
const ArithmeticParams = z.strictObject({
  ...Common,
  length: z.int().min(1).max(64).default(5),
  digits: z.int().min(1).max(9).default(2),
});

export const parity = straightLineBench(
  "parity",
  "the parity of bits, one assignment each",
  ParityParams,
  parityProgram,
);
export const permutation = straightLineBench(
  "permutation",
  "a list after swaps of its items",
  PermutationParams,
  permutationProgram,
);
export const arithmetic = straightLineBench(
  "arithmetic",
  "sums and differences of variables",
  ArithmeticParams,
  arithmeticProgram,
);

export function parityProgram({ length }: z.infer<typeof ParityParams>, rng: Rng): StraightLine {
  let p = rng.below(2);
  const lines = [`p = ${p}`];
  for (let step = 0; step < length; step++) {
    const bit = rng.below(2);
    p ^= bit;
    lines.push(`p ^= ${bit}`);
  }
  return { lines, name: "p", value: String(p) };
}

export function permutationProgram(
  { size, swaps }: z.infer<typeof PermutationParams>,
  rng: Rng,
): StraightLine {
  const a = Array.from({ length: size }, (_, i) => i + 1);
  shuffle(a, rng);
  const lines = [`a = [${a.join(", ")}]`];
  for (let step = 0; step < swaps; step++) {
    const i = rng.below(size);
    const j = (i + 1 + rng.below(size - 1)) % size;
    [a[i], a[j]] = [a[j], a[i]];
    lines.push(`a[${i}], a[${j}] = a[${j}], a[${i}]`);
  }
  return { lines, name: "a", value: `[${a.join(", ")}]` };
}

export function arithmeticProgram(
  { length, digits }: z.infer<typeof ArithmeticParams>,
  rng: Rng,
): StraightLine {
  const number = () => String(rng.below(10 ** digits));
  const nameOf = (i: number): string =>
    (i < 26 ? "" : nameOf(Math.floor(i / 26) - 1)) + String.fromCharCode(97 + (i % 26));
  const keywords = new Set(["as", "if", "in", "is", "or"]);
  let made = 0;
  const fresh = () => {
    let name = nameOf(made++);
    while (keywords.has(name)) name = nameOf(made++);
    return name;
  };
  const free = [fresh()];
  const assignments: { target: string; operands: readonly [string, string]; sign: "+" | "-" }[] = [];
  for (let step = 0; step < length; step++) {
    const at = rng.below(free.length);
    const opened: string[] = [];
    const operand = () => {
      const kind = rng.below(3);
      if (kind === 2) return number();
      if (kind === 1) return free[rng.below(free.length)];
      opened.push(fresh());
      return opened.at(-1)!; // pushed just now
    };
    const operands = [operand(), operand()] as const;
    const target = free[at];
    assignments.push({ target, operands, sign: rng.below(2) === 0 ? "+" : "-" });
    if (!operands.includes(target)) free.splice(at, 1);
    free.push(...opened);
    if (free.length === 0) break;
  }
  const values = new Map(free.map((name) => [name, BigInt(number())]));
  const lines = free.map((name) => `${name} = ${values.get(name)}`);
  for (const { target, operands, sign } of assignments.reverse()) {
    const [left, right] = operands.map((operand) => values.get(operand) ?? BigInt(operand));
    values.set(target, sign === "+" ? left + right : left - right);
    lines.push(`${target} = ${operands[0]} ${sign} ${operands[1]}`);
  }
  return { lines, name: "a", value: String(values.get("a")) };
}

const text = ({ lines, name }: StraightLine, value: string) =>
  [...lines, `assert ${name} == ${value}`].join("\n");

function straightLineBench<Params extends { readonly programs: number }>(
  name: string,
  summary: string,
  params: z.ZodType<Params>,
  program: (params: Params, rng: Rng) => StraightLine,
) {
  return defineBench<Params>({
    name,
    summary,
    source: "Grounding Code Understanding in Step-by-Step Execution (2024)",
    params,
    arms: ["function"],
    predict: ["output"],
    stop: [stopMark],
    prepare(given, { seed, style }) {
      const stream = exampleStream(seed, `ask/${name}`);
      const examples = exampleStream(seed, `ask/${name}/shots`);
      const shots = [0, 1].map((i) => shotOf(program(given, examples(i))));
      return {
        count: given.programs,
        excluded: [],
        question(index): Question {
          const made = program(given, stream(index));
          const prompt = { instruction, shots, program: text(made, unknown) };
          return {
            id: `${name}_${index}`,
            arm: "function",
            predict: "output",
            steps: made.lines.length,
            expected: made.value,
            next: (replies) => (replies.length === 0 ? promptText(prompt, style) : undefined),
            async judge([reply]) {
              const answer = answerIn(reply, style);
              if (answer === undefined)
                return { extracted: null, grade: { kind: "unreadable", words: "no answer in the reply" } };
              const sides = parts(answer.replace(/^assert\b\s*/, ""), "==");
              const extracted = sides.at(-1)!.trim(); // there is always one part
              return { extracted, grade: gradeLiteral(extracted, made.value) };
            },
          };
        },
      };
    },
  });
}

function shotOf(made: StraightLine): Shot {
  return {
    program: text(made, unknown),
    thought: `After the last line ${made.name} is ${made.value}.`,
    answer: made.value,
  };
}

const instruction =
  "Below are Python programs that end with an assertion in which ?? stands for a value. Say which value makes it hold: that value alone, between [ANSWER] and [/ANSWER].";
