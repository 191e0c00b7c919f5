/**
 * @file What a model says where it is wrong: what the asked variable held before, a constant offset, a value out of the blue.
 *
 *     a = 1, b = 2, c = 3;   a, b = b, a;   c, a = a, c;   a?        right is 3
 *     before     2    the value of the variable before its last change: the last command on it is lost
 *     earlier    1    what it held before that
 *     never           a value that it has not held
 *     noValue         a word that is no value
 *     even            the share if all values but the right one were named equally often
 *
 * A cause is a rule that says another value than the right one, and that most answers follow where it does: at 95 %, of 30 wrong answers
 * or more. Of two such rules the answers decide where the rules differ.
 */

import { z } from "zod";
import { clusteredMean } from "../core/cluster-robust.ts";
import { formatCount, percentSign } from "../core/format.ts";
import { type Beside, defineAnalysis, hasQuestions, type Requirement } from "./analysis.ts";
import type { Figure, Part } from "./figures.ts";
import type { AskedPlace, Program, Recording } from "./recording.ts";
import { Interval } from "./seed-aggregate.ts";

const kinds = ["before", "earlier", "never", "noValue"] as const;
type Kind = (typeof kinds)[number];

/** A cause is named from so many wrong answers on. */
const LEAST_WRONG = 30;
/** A table of more values cannot be read. */
const MOST_VALUES = 12;

const ruleNames = ["offset", "constant", "behind", "moved", "repeated"] as const;
const Rule = z.strictObject({
  rule: z.enum(ruleNames),
  /** The best of all: the offset in [1, values), or the constant value. */
  by: z.int().optional(),
  /** Questions at which it says another value than the right one. */
  differs: z.int(),
  /** The share of the answers there that are what it says. */
  share: z.number(),
  interval: Interval,
  /** Whether the answers name it as a cause. */
  named: z.boolean(),
});

const Mistakes = z.strictObject({
  questions: z.int(),
  wrong: z.int(),
  /** Possible values of the variables. */
  values: z.array(z.string()),
  /** answers[right][said]: how many; said last: a word that is no value. */
  answers: z.array(z.array(z.int())),
  rules: z.array(Rule),
  /** Shares of the wrong answers; intervals at 95 %, over programs. */
  kinds: z.array(
    z.strictObject({ kind: z.enum(kinds), share: z.number(), interval: Interval, even: z.number() }),
  ),
});
export type Mistakes = z.infer<typeof Mistakes>;

const someWrong: Requirement = {
  taps: () => [],
  isMet: ({ recording }) => wrongOf(recording).length > 0,
  otherwise: "no answer is wrong",
};

export const mistakes = defineAnalysis({
  name: "mistakes",
  summary: "what the model answers when it is wrong",
  caution:
    "Intervals are over programs, whose answers may be similar. The earlier value of a variable was also revealed. A model that repeats the last reveal therefore looks like one that missed a command.",
  found: Mistakes,
  needs: [hasQuestions, someWrong],
  measure: ({ recording }) => countMistakes(recording),
  part: partOf,
});

/** For a recording with at least one wrong answer. */
export function countMistakes(recording: Recording): Mistakes {
  const { programs, values } = recording;
  const given = givenOf(recording);
  const wrong = given.filter(({ place, answer }) => answer !== place.value);
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
    values: [...values],
    answers: values.map((_, right) =>
      [...values.keys(), -1].map(
        (said) => given.filter(({ place, answer }) => place.value === right && answer === said).length,
      ),
    ),
    rules: rulesOf(given, values.length, wrong.length),
    kinds: kinds.map((kind) => ({
      kind,
      share: counts[kind] / wrong.length,
      interval: clusteredMean(byProgram(wrong, kind)).interval,
      even: even[kind] / wrong.length,
    })),
  };
}

/** The mistakes in each program that has any, and those of a kind among them. */
function byProgram(wrong: readonly Answered[], kind: Kind) {
  const programs = new Map<Program, { asked: number; right: number }>();
  for (const { program, place, answer } of wrong) {
    const at = programs.get(program) ?? { asked: 0, right: 0 };
    programs.set(program, at);
    at.asked++;
    if (kindOf(program, place, answer) === kind) at.right++;
  }
  return [...programs.values()];
}

interface Answered {
  readonly program: Program;
  readonly place: AskedPlace;
  readonly answer: number;
}
function givenOf({ programs, answers }: Pick<Recording, "programs" | "answers">): Answered[] {
  return programs.flatMap((program, i) =>
    program.questions.map((place, k) => ({ program, place, answer: answers[i][k] })),
  );
}

const wrongOf = (recording: Recording): Answered[] =>
  givenOf(recording).filter(({ place, answer }) => answer !== place.value);

/** The answer of a rule; undefined if it has none. */
type Says = (asked: Answered) => number | undefined;

const heldBy = ({ program: { states, commands }, place: { position, variable } }: Answered) =>
  states.slice(0, commands[position] + 1).map((state) => state[variable]);

const says: Readonly<Record<"behind" | "moved" | "repeated", Says>> = {
  behind: (asked) => heldBy(asked).at(-2),
  moved: (asked) => heldBy(asked).findLast((each) => each !== asked.place.value),
  repeated: ({ program: { questions }, place }) =>
    questions.findLast((each) => each.variable === place.variable && each.position < place.position)?.value,
};

function rulesOf(given: readonly Answered[], values: number, wrong: number): Mistakes["rules"] {
  const best = (rule: "offset" | "constant", choices: readonly number[], saysBy: (by: number) => Says) => {
    const tried = choices.map((by) => ({ ...followed(given, saysBy(by)), rule, by, says: saysBy(by) }));
    return tried.reduce((one, other) => (other.share > one.share ? other : one));
  };
  const every = [...Array(values).keys()];
  const rules = [
    ...(values < 2
      ? []
      : [
          best(
            "offset",
            every.slice(1),
            (by) =>
              ({ place }) =>
                (place.value + by) % values,
          ),
        ]),
    ...(values < 2 ? [] : [best("constant", every, (by) => () => by)]),
    ...(["behind", "moved", "repeated"] as const).map((rule) => ({
      ...followed(given, says[rule]),
      ...{ rule, says: says[rule] },
    })),
  ];
  const likely = rules.filter(({ interval }) => wrong >= LEAST_WRONG && interval[0] > 1 / 2);
  return rules.map((each) => {
    const { says: own, ...rule } = each;
    const refuted = likely.some((other) => follow(given, other.says, own) > follow(given, own, other.says));
    return { ...rule, named: likely.includes(each) && !refuted };
  });
}

/** Answers that are what a rule says where another says something else. */
const follow = (given: readonly Answered[], rule: Says, other: Says): number =>
  given.filter((asked) => rule(asked) === asked.answer && other(asked) !== asked.answer).length;

function followed(given: readonly Answered[], rule: Says) {
  const programs = new Map<Program, { asked: number; right: number }>();
  for (const asked of given) {
    const said = rule(asked);
    if (said === undefined || said === asked.place.value) continue;
    const at = programs.get(asked.program) ?? { asked: 0, right: 0 };
    programs.set(asked.program, at);
    at.asked++;
    if (asked.answer === said) at.right++;
  }
  const clusters = [...programs.values()];
  const differs = clusters.reduce((sum, { asked }) => sum + asked, 0);
  return { differs, ...clusteredMean(clusters) };
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
  before: "the value of the variable before its last change",
  earlier: "an older value of the variable",
  never: "a value that the variable never had",
  noValue: "a token that is no value",
};

const ruleWords = ({ rule, by = 0 }: Mistakes["rules"][number], values: readonly string[]): string => {
  const back = by > values.length / 2;
  const steps = back ? values.length - by : by;
  const areWhole = values.every((value, i) => Number(value) === Number(values[0]) + i);
  switch (rule) {
    case "offset":
      return areWhole
        ? `the correct value ${back ? "\u2212" : "+"} ${steps}, modulo ${values.length}`
        : `the value ${steps} ${back ? "before" : "after"} the correct one in ${values.join(", ")}`;
    case "constant":
      return `${values[by]}, whatever the correct value,`;
    case "behind":
      return "the value of the variable one command earlier";
    case "moved":
      return "the value of the variable before its last change";
    case "repeated":
      return "what was revealed of the variable last";
    default:
      return rule satisfies never;
  }
};

function partOf({ questions, wrong, kinds: found, values, answers, rules }: Mistakes, beside: Beside): Part {
  const enough = wrong >= LEAST_WRONG;
  const more = enough ? found.filter(({ interval, even }) => interval[0] > even) : [];
  const named = rules.filter((rule) => rule.named);
  const { accuracy, interval } = beside.accuracy;
  const chance = 1 / values.length;
  const between = (edges: Interval) => edges.map((edge) => (100 * edge).toFixed(1)).join(" to ");
  return {
    heading: "Wrong answers and their rules",
    how: [
      "Wrong answers are classified by the history of the queried variable. Even: the share if all wrong values were equally frequent.",
      `A rule is tested where it predicts a wrong value. It is a cause if most answers there follow it (95 % confidence) and at least ${LEAST_WRONG} answers are wrong.`,
    ],
    figures: answers.length === 0 || values.length > MOST_VALUES ? {} : { answers: tableOf(values, answers) },
    caption: "Each row: the shares of answers to questions with this correct value.",
    table: {
      columns: ["answers", "share (95 %)", "even"],
      rows: [
        ...found.map(({ kind, share, interval: edges, even }) => [
          `of the wrong: ${words[kind]}`,
          `${percentSign(share)} (${between(edges)})`,
          percentSign(even),
        ]),
        ...rules
          .filter(({ differs }) => differs > 0)
          .map((rule) => [
            `of ${rule.differs} where it is wrong: ${ruleWords(rule, values)}`,
            `${percentSign(rule.share)} (${between(rule.interval)})`,
            percentSign(chance),
          ]),
      ],
    },
    meaning: [
      `${wrong} of ${formatCount(questions, "answer")} are wrong.`,
      ...(values.length > 0 && interval[1] < chance
        ? [
            `Accuracy is ${percentSign(accuracy)}, below chance (${percentSign(chance)}): the errors are systematic.`,
          ]
        : []),
      ...(enough ? [] : [`With fewer than ${LEAST_WRONG} wrong answers, no cause is reported.`]),
      ...named.map(
        (rule) =>
          `It answers ${ruleWords(rule, values)} in ${percentSign(rule.share)} of the ${rule.differs} cases where that is wrong.`,
      ),
      ...(named.length > 1 ? ["These answers do not distinguish the rules."] : []),
      ...more.map(
        ({ kind, share, even }) =>
          `${percentSign(share)} of the wrong answers are ${words[kind]} (even: ${percentSign(even)}).`,
      ),
      ...(enough && named.length === 0 ? ["No tested rule explains most of the wrong answers."] : []),
    ],
  };
}

function tableOf(values: readonly string[], answers: readonly (readonly number[])[]): Figure {
  const seen = [...values.keys()].filter((right) => answers[right].some((count) => count > 0));
  return {
    kind: "matrix",
    ...{ title: "Answers by the right value", rowLabel: "right", columnLabel: "answer" },
    rows: seen.map((right) => values[right]),
    columns: [...values, "no value"],
    cells: seen.map((right) => {
      const asked = answers[right].reduce((sum, count) => sum + count, 0);
      return answers[right].map((count) => count / asked);
    }),
    ...{ from: 0, to: 1, digits: 2 },
  };
}
