/**
 * @file Values inside a run: given the lines of a trace up to one of them, the value of one variable there.
 *
 *     arr, n = [1, 2, 3], 2
 *     total = 0
 *     forloop0 = iter((range(n)))
 *     i = next(forloop0)
 *     total += arr[i]
 *     assert (total) == ??                      expected: 1
 *
 * `cruxeval` measures the final value; this measures after how many steps a model loses the state. The line is
 * sampled from those after which a variable has a literal value, then the variable.
 *
 * Source: the traces of "Grounding Code Understanding in Step-by-Step Execution" (2024); questions inside of a trace
 * are our addition.
 */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import { type Rng, rngFrom } from "../../core/rng.ts";
import { parseWith } from "../../core/settings.ts";
import { excludedBy } from "../../python/trace/filters.ts";
import { stateLiterals } from "../../python/values/repr.ts";
import { TracedRow, type TraceRecord } from "../../schemas/trace.ts";
import { tracedShots } from "../few-shot-examples.ts";
import { promptText, stopMark, unknown } from "../prompt.ts";
import { defineBench, type Question } from "../question.ts";
import { judgeAnswer } from "../scoring/answer-parser.ts";
import { gradeValue, unfitToExpect } from "../scoring/grade.ts";

const Params = z.strictObject({
  programs: z.int().min(1).optional().describe("Number of traces, from the first; all by default"),
  lines: z.int().min(1).default(1).describe("Questions per trace"),
  mostSteps: z.int().min(1).default(50).describe("Skips longer traces"),
});

const instruction = `Below are lines of Python programs as they ran, up to an assertion in which ${unknown} stands for a value. Say which value makes it hold: a literal, without calls or unfinished expressions, and nothing else. Put that alone, without the assertion, between [ANSWER] and [/ANSWER].`;

export const lineStates = defineBench<z.infer<typeof Params>, TracedRow>({
  name: "line-states",
  summary: "a trace of a function: what is a variable's value after a line?",
  source: "statelab data trace",
  data: {
    place: "cruxeval-traces/traces.jsonl",
    hint: "Make it: statelab data trace cruxeval --out data/cruxeval-traces",
    row: (value, at) => parseWith(TracedRow, value, at),
  },
  params: Params,
  arms: ["traced"],
  predict: ["output"],
  stop: [stopMark],
  prepare({ programs, lines, mostSteps }, { rows, seed, style, scoring, form }) {
    if (scoring !== "strict") fail("--scoring", "strict for line-states, which has no upstream", scoring);
    const excluded: { id: string; reason: string }[] = [];
    const asked = rows.slice(0, programs).flatMap(({ id, trace }) => {
      const left = excludedBy(trace, { steps: mostSteps });
      const places = left === undefined ? placesOf(trace) : [];
      if (places.length === 0) excluded.push({ id, reason: left ?? "no variable holds a literal" });
      return draw(places, lines, rngFrom(seed).fork("line-states").fork(id)).map((place) => ({
        id,
        trace,
        place,
      }));
    });
    return {
      count: asked.length,
      excluded,
      question(index): Question {
        const { id, trace, place } = asked[index];
        const { line, name, expected } = place;
        const shown = trace.lines.slice(0, line + 1);
        const program = [...shown.map(({ code }) => code), `assert (${name}) == ${unknown}`].join("\n");
        const prompt = { instruction, shots: tracedShots("output"), program };
        return {
          ...{ id: `${id}/${line + 1}/${name}`, arm: "traced", predict: "output", expected },
          steps: shown.filter(({ role }) => role !== "arguments").length,
          next: (replies) => (replies.length === 0 ? promptText(prompt, style, form) : undefined),
          judge: ([reply], execute) =>
            judgeAnswer(reply, { style, program }, (answer) => gradeValue(answer, expected, execute)),
        };
      },
    };
  },
});

interface Place {
  /** From 0. */
  readonly line: number;
  readonly name: string;
  readonly expected: string;
}

/** For each line, all variables of the program with a literal value after it; lines without one are left out. */
function placesOf({ lines }: TraceRecord): Place[][] {
  const named = new Set<string>();
  return lines
    .map(({ code, state, role }, line) => {
      for (const [name] of code.matchAll(/[^\W\d]\w*/gu)) named.add(name);
      if (role === "assert" || role === "definition" || state === null) return [];
      return Object.entries(stateLiterals(state)).flatMap(([name, expected]) =>
        named.has(name) && unfitToExpect(expected) === undefined ? [{ line, name, expected }] : [],
      );
    })
    .filter((places) => places.length > 0);
}

/** One place of each of so many lines, in the order of the lines. */
function draw(places: readonly (readonly Place[])[], count: number, rng: Rng): Place[] {
  const left = [...places];
  const taken = Array.from({ length: Math.min(count, left.length) }, () => {
    const [line] = left.splice(rng.below(left.length), 1);
    return line[rng.below(line.length)];
  });
  return taken.sort((a, b) => a.line - b.line);
}
