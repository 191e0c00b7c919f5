/**
 * @file What a model says where it is wrong: what the asked variable held before, or a value out of the blue.
 *
 *     a = 1, b = 2, c = 3;   a, b = b, a;   c, a = a, c;   a?        right is 3
 *     before     2    what the variable held before it was last moved: the last command on it is lost
 *     earlier    1    what it held before that
 *     never           a value that it has not held
 *     noValue         a word that is no value
 *     even            the share if all values but the right one were named equally often
 */

import { z } from "zod";
import { clusteredShare } from "../math/clusters.ts";
import { counted, percentSign } from "../math/format.ts";
import { defineAnalysis, type Need } from "./analysis.ts";
import { asked } from "./needs.ts";
import type { Part } from "./part.ts";
import type { AskedPlace, Program, Recording } from "./recording.ts";
import { Interval } from "./seeds.ts";

const kinds = ["before", "earlier", "never", "noValue"] as const;
type Kind = (typeof kinds)[number];

const Mistakes = z.strictObject({
  questions: z.int(),
  wrong: z.int(),
  /** Shares of the wrong answers; intervals are Wilson's at 95 %. */
  kinds: z.array(
    z.strictObject({ kind: z.enum(kinds), share: z.number(), interval: Interval, even: z.number() }),
  ),
});
export type Mistakes = z.infer<typeof Mistakes>;

const someWrong: Need = {
  taps: () => [],
  isMet: ({ recording }) => wrongOf(recording).length > 0,
  otherwise: "no answer is wrong",
};

export const mistakes = defineAnalysis({
  name: "mistakes",
  found: Mistakes,
  needs: [asked, someWrong],
  measure: ({ recording }) => mistakesOf(recording),
  part: partOf,
});

/** Of a recording in which some answer is wrong. */
export function mistakesOf(recording: Recording): Mistakes {
  const { programs, values } = recording;
  const wrong = wrongOf(recording);
  const others = values.length - 1;
  const counts = { before: 0, earlier: 0, never: 0, noValue: 0 };
  const even = { before: 0, earlier: 0, never: 0, noValue: 0 };
  for (const { program, place, answer } of wrong) {
    counts[kindOf(program, place, answer)]++;
    for (let value = 0; value <= others; value++)
      if (value !== place.value) even[kindOf(program, place, value)] += 1 / others;
  }
  return {
    questions: programs.reduce((sum, { questions }) => sum + questions.length, 0),
    wrong: wrong.length,
    kinds: kinds.map((kind) => ({
      kind,
      share: counts[kind] / wrong.length,
      interval: clusteredShare(byProgram(wrong, kind)).interval,
      even: even[kind] / wrong.length,
    })),
  };
}

/** The mistakes in each program that has any, and those of a kind among them. */
function byProgram(wrong: readonly Wrong[], kind: Kind) {
  const programs = new Map<Program, { asked: number; right: number }>();
  for (const { program, place, answer } of wrong) {
    const at = programs.get(program) ?? { asked: 0, right: 0 };
    programs.set(program, at);
    at.asked++;
    if (kindOf(program, place, answer) === kind) at.right++;
  }
  return [...programs.values()];
}

interface Wrong {
  readonly program: Program;
  readonly place: AskedPlace;
  readonly answer: number;
}

function wrongOf({ programs, answers }: Pick<Recording, "programs" | "answers">): Wrong[] {
  return programs.flatMap((program, i) =>
    program.questions.flatMap((place, k) => {
      const answer = answers[i][k];
      return answer === place.value ? [] : [{ program, place, answer }];
    }),
  );
}

function kindOf(
  { states, commands }: Program,
  { position, variable, value }: AskedPlace,
  said: number,
): Kind {
  if (said === -1) return "noValue";
  const held = states.slice(0, commands[position] + 1).map((state) => state[variable]);
  if (said === held.findLast((each) => each !== value)) return "before";
  return held.includes(said) ? "earlier" : "never";
}

const words: Readonly<Record<Kind, string>> = {
  before: "what the variable held before it was last moved",
  earlier: "what it held before that",
  never: "a value that it has not held",
  noValue: "a word that is no value",
};

function partOf({ questions, wrong, kinds: found }: Mistakes): Part {
  const more = found.filter(({ interval, even }) => interval[0] > even);
  return {
    heading: "What it says where it is wrong",
    how: [
      "Each wrong answer is told by what it once was of the asked variable. Even: the share that it would have if all values but the right one were named equally often.",
    ],
    figures: {},
    caption: "",
    table: {
      columns: ["wrong answers", "share (95 %)", "even"],
      rows: found.map(({ kind, share, interval, even }) => [
        words[kind],
        `${percentSign(share)} (${interval.map((edge) => (100 * edge).toFixed(1)).join(" to ")})`,
        percentSign(even),
      ]),
    },
    meaning: [
      `Of ${counted(questions, "answer")} ${wrong} are wrong.`,
      ...more.map(
        ({ kind, share, even }) =>
          `More often than evenly, in ${percentSign(share)} and not ${percentSign(even)}, it says ${words[kind]}${kind === "before" ? ": a state that is one command behind" : ""}.`,
      ),
      ...(more.length === 0 ? ["None of these is said more often than evenly: it guesses."] : []),
    ],
    caution:
      "Intervals take wrong answers as independent (Wilson); those of one program may not be. What a variable held is also what was revealed of it: to repeat the last reveal looks like a lost command.",
  };
}
