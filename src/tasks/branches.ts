/**
 * @file Branches: a function is called once. What does it return, and which of its conditions were true?
 *
 *     def f(a=3, b=7):             the arguments come first, so that they are known at every line
 *         c = None
 *         if a < 5:
 *             b -= 9
 *         else:
 *             c = [b]
 *         a += b
 *         return b
 *     assert f() == -2             asked: -2
 *     # held: yes                  asked: yes, for each condition in order
 *
 * Nothing is unrolled: skipped lines stay between executed ones. `execution` has the labels of a run: executed lines, and the class of
 * value and type of each variable at the end (trace/execution-labels.ts), for objectives that use more than the answers.
 *
 * Source: own definition, after the questions of TRACED (arXiv:2306.07487): complete paths and values of functions that branch.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import { typeClasses, valueClasses, valueLabel } from "../python/trace/execution-labels.ts";
import { type DrawLine, drawBranch, drawUpdate, type Ranges } from "./branches/generate.ts";
import { type Moment, runCalled, type Values } from "./branches/interpret.ts";
import { codePieces, codeSymbols, definition, type Line, readCode } from "./branches/syntax.ts";
import { drawLength, Length, lengthRange } from "./length.ts";
import { defineTask, type Example, type Execution, type Prepared } from "./task.ts";
import { lastReveal } from "./task-prompt.ts";

const MOST_CONDITIONS = 6;
const Conditions = Length.refine((length) => [length].flat().every((each) => each <= MOST_CONDITIONS), {
  error: `to be at most ${MOST_CONDITIONS}`,
});

const Few = z.int().min(0).max(100);

const BranchesParams = z.strictObject({
  conditions: Conditions.default([1, 3]).describe("Number of conditions"),
  lines: z
    .union([Few, z.tuple([Few, Few])])
    .default([1, 3])
    .describe("Number of other lines"),
  starts: z.int().min(2).max(10).default(10).describe("Arguments are uniform below this"),
  mostStep: z.int().min(1).max(9).default(9).describe("Largest change by `+=` and `-=`"),
  numbers: z
    .int()
    .min(4)
    .max(200)
    .default(19)
    .describe("Values reach from minus this to this, in all stages and tests"),
});
type BranchesParams = z.infer<typeof BranchesParams>;

export const branches = defineTask<BranchesParams>({
  name: "branches",
  summary: "a function with branches, called once: what does it return, and which conditions held?",
  source: "arXiv:2306.07487",
  params: BranchesParams,
  prepare: prepareBranches,
  ask: () => ({
    instruction:
      "Below are Python functions, what they return, and in a comment which of their conditions held, in the order in which they stand: yes or no for each. ?? stands for these. Say them, with commas between",
    language: "text",
    answers: patternsOf(MOST_CONDITIONS),
    question: lastReveal,
  }),
});

const INTEGERS = ["a", "b"] as const;
/** None, an integer or a list. */
const LOOSE = "c";
const NAMES = [...INTEGERS, LOOSE];
const OTHERS = ["None", "[]", "[a]", "[b]", ...INTEGERS];
const indents = ["", "    ", "        "];
const HEAD = ["def f(a=", ", b=", "):"];
const ASSERT = "assert f() == ";
const HELD = "# held: ";
const MOST_DRAWS = 1000;

function prepareBranches(params: BranchesParams): Prepared {
  const { numbers, starts, mostStep } = params;
  if (starts > numbers + 1) fail("branches", `starts of at most ${numbers + 1}, numbers and 0`, starts);
  const conditions = lengthRange(params.conditions, "branches");
  const lines = lengthRange(params.lines, "branches");
  const names = Array.from({ length: 2 * numbers + 1 }, (_, i) => String(i - numbers));
  const words = [
    ...new Set([
      ...[...codeSymbols, ...indents.slice(1), ...HEAD, ASSERT, HELD],
      ...["yes", "no", ...NAMES, ...OTHERS, ...names],
    ]),
  ];
  const indexOf = new Map(words.map((word, i) => [word, i]));
  const values = [...names, ...patternsOf(MOST_CONDITIONS)]; // the same in all stages and tests
  const valueAt = new Map(values.map((value, i) => [value, i]));
  // head, c = None, return; a condition has four lines at most
  const mostLines = 3 + lines.most + 4 * conditions.most;
  return {
    words,
    variables: ["result", "held"],
    values,
    // head, c = None, return; swaps; conditions with an else, and what is said of each; the rest of the last two lines
    maximumWords: 6 + 5 + 4 + 9 * lines.most + (28 + 2) * conditions.most + 4,
    maximumStates: 1,
    write(rng, sink) {
      const { code, given } = drawFunction(
        rng,
        { numbers, starts, mostStep },
        drawLength(conditions, rng),
        drawLength(lines, rng),
      );
      const say = (pieces: readonly string[]) => {
        for (const piece of pieces) sink.word(indexOf.get(piece)!); // `words` has every piece
      };
      const moments = runCalled(code, "f", given);
      const result = resultOf(code, moments);
      const held = heldIn(code, moments);
      say([HEAD[0], String(given[0]), HEAD[1], String(given[1]), HEAD[2], "\n"]);
      for (const line of code.slice(1)) say([indents[line.indent], ...codePieces(line)]);
      const pattern = held.map((each) => (each ? "yes" : "no"));
      const [first, second] = [String(result), pattern.join(", ")].map((each) => valueAt.get(each)!); // all exist
      sink.state([first, second]);
      say([ASSERT]);
      sink.reveal(0, first);
      say([String(result), "\n", HELD]);
      sink.reveal(1, second, 2 * pattern.length - 1);
      say([...pattern.flatMap((each, i) => (i > 0 ? [", ", each] : [each])), "\n"]);
    },
    references: { exactBayes: ({ reveals }) => reveals.map(() => 1) },
    execution: { variables: NAMES, valueClasses, typeClasses, mostLines, of: executionOf },
  };
}

/** Every sequence of at most so many answers. */
function patternsOf(most: number): string[] {
  const rows = (length: number): string[] =>
    length === 0 ? [""] : rows(length - 1).flatMap((row) => ["yes", "no"].map((each) => `${row}, ${each}`));
  return Array.from({ length: most }, (_, i) => rows(i + 1).map((row) => row.slice(2))).flat();
}

/** A function with so many conditions and other lines, and its arguments. */
type Numbers = Pick<BranchesParams, "numbers" | "starts" | "mostStep">;

function drawFunction(rng: Rng, { numbers, starts, mostStep }: Numbers, conditions: number, lines: number) {
  const draw: DrawLine = (from, ranges) => {
    if (from.below(4) > 0)
      return drawUpdate(from, ranges, "both", { least: -numbers, most: numbers, mostStep });
    return { code: { op: "=", target: LOOSE, operand: OTHERS[from.below(OTHERS.length)] }, ranges };
  };
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const body = drawBody(rng, draw, starts, conditions, lines);
    if (body === undefined) continue;
    const given = INTEGERS.map(() => rng.below(starts));
    const head: Line = { op: "def", name: "f", parameters: INTEGERS, indent: 0 };
    const first: Line = { op: "=", target: LOOSE, operand: "None", indent: 1 };
    const last: Line = { op: "return", variable: INTEGERS[rng.below(INTEGERS.length)], indent: 1 };
    return { code: [head, first, ...body, last], given };
  }
  return fail(
    "branches",
    "sizes at which a function can be drawn",
    { numbers, conditions, lines },
    "Raise numbers",
  );
}

function drawBody(
  rng: Rng,
  draw: DrawLine,
  starts: number,
  conditions: number,
  lines: number,
): Line[] | undefined {
  let ranges: Ranges = Object.fromEntries(INTEGERS.map((name) => [name, [0, starts - 1] as const]));
  const body: Line[] = [];
  for (let [blocks, single] = [conditions, lines]; blocks + single > 0; ) {
    if (rng.below(blocks + single) < blocks) {
      const drawn = drawBranch(rng, ranges, 1, draw);
      if (drawn === undefined) return undefined;
      body.push(...drawn.lines);
      ranges = drawn.ranges;
      blocks--;
    } else {
      const drawn = draw(rng, ranges);
      if (drawn === undefined) return undefined;
      body.push({ ...drawn.code, indent: 1 });
      ranges = drawn.ranges;
      single--;
    }
  }
  return body;
}

const endOf = (moments: readonly Moment[]): Values => moments.at(-1)!.values; // there is always a return

function resultOf(code: readonly Line[], moments: readonly Moment[]) {
  const last = code.at(-1)!; // the return
  return endOf(moments)[(last as Extract<Line, { op: "return" }>).variable];
}

/** For each condition, in order, whether it was true: then the line below it ran. */
function heldIn(code: readonly Line[], moments: readonly Moment[]): boolean[] {
  const ran = new Set(moments.flatMap(({ event, line }) => (event === "line" ? [line] : [])));
  return code.flatMap(({ op }, i) => (op === "if" ? [ran.has(i + 2)] : []));
}

/** The labels of the function's run in a text. */
function executionOf({ text }: Pick<Example, "text">): Execution {
  const [, first, second] = /^def f\(a=(-?\d+), b=(-?\d+)\):\n/.exec(text)!; // the beginning of the text
  const whole = text.slice(0, text.indexOf(ASSERT));
  const code = readCode(whole.replace(/^.*\n/, `${definition("f", INTEGERS)}\n`));
  const moments = runCalled(code, "f", [Number(first), Number(second)]);
  const ran = new Set(moments.flatMap(({ event, line }) => (event === "line" ? [line] : [])));
  let end = 0;
  const lines = whole
    .trimEnd()
    .split("\n")
    .flatMap((line, i) => {
      end += line.length + 1;
      // a head or an `else` is no executable line
      return code[i].op === "def" || code[i].op === "else" ? [] : [{ end, ran: ran.has(i + 1) }];
    });
  const held = endOf(moments);
  return { lines, end, values: NAMES.map((name) => valueLabel(held[name])) };
}
