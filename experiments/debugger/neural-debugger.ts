/**
 * @file Can a small model be a debugger: given the program, its current line and a command, say what is changed, forwards and backwards?
 *
 *     trained   the task `debugger`: short integer programs with a branch and a call, eight commands
 *     measured  exact match of the whole stop, by command, by lines jumped, and backwards by whether the answer is certain
 *
 * Expected, written before the first run: single steps are learned first and best. Exact match falls with the lines that a command jumps over,
 * since each is one more update for as many layers. Backwards it is near 1 where the state tells what was before (a swap, `+= c`), and
 * at the ceiling, the share of the likeliest answer, where the program lost it (`a %= 2`, a copy); `back` is learned later than `step`, since
 * the line to be undone is above the line that is shown.
 *
 * Source: Towards a Neural Debugger for Python (2026), for commands, states and inverse execution; it trains large models on recorded
 * programs that people wrote. Programs, ceilings and criteria are our own.
 */

import { type TrainedRun, testAbout } from "../../src/app/run/open.ts";
import { mean } from "../../src/core/statistics.ts";
import { percentSign } from "../../src/report/index.ts";
import { unlearned } from "../../src/schemas/convergence.ts";
import { isBackwards } from "../../src/tasks/debugger/moves.ts";
import { sharesOf } from "../../src/tasks/debugger/questions.ts";
import { debuggerTask, knownQuestions } from "../../src/tasks/debugger.ts";
import { exampleFrom } from "../../src/tasks/example.ts";
import { taskParams } from "../../src/tasks/index.ts";
import { evaluate, freshExamples } from "../../src/train/evaluate.ts";
import {
  type ClaimOf,
  check,
  crossed,
  defineExperiment,
  defineMeasurement,
  described,
  LAPTOP,
  type Measuring,
  measuredLine,
  modelLabel,
  PAPER,
  recipeConfig,
  type Scale,
  SLIGHT,
  SMOKE,
  type TrainingSetup,
  type UnreadResult,
} from "../runner/index.ts";

const exactMatch = defineMeasurement({
  id: "exactMatch",
  label: "exact match",
  at: { by: "by", group: "" },
  values: { right: "right", known: "can be known", questions: "questions" },
});

/** What questions are grouped by, and how people read it. */
const groupings = {
  command: "command",
  forwards: "lines jumped forwards",
  backwards: "lines jumped backwards",
  undone: "backwards, what the program lost",
} as const;
type Grouping = keyof typeof groupings;

/** From this number of lines on, questions are one group. */
const MOST_LINES = 5;
export const CERTAIN = "nothing: one answer";
export const SEVERAL = "something: several answers";

interface Asked {
  readonly groups: Readonly<Partial<Record<Grouping, number | string>>>;
  readonly right: number;
  readonly known: number;
}

async function* measureExactMatch(trained: TrainedRun, programs: number): Measuring {
  yield { done: 0, of: 2 };
  const test = testAbout(trained, { questions: 4 }, programs);
  const { model, tree, weights, runtime } = trained;
  const { hits } = await evaluate(model, { tree, data: weights }, test, runtime);
  yield { done: 1, of: 2 };
  const { name: _, ...given } = trained.config.task;
  const params = taskParams(debuggerTask, given);
  const asked = freshExamples(test).flatMap((place, program) =>
    knownQuestions(exampleFrom(test.prepared, test.stream(place)), params).map(({ told, fit }, i): Asked => {
      const known = Math.max(...sharesOf(fit).values());
      const lines = Math.min(MOST_LINES, Math.max(...fit.map((each) => each.lines)));
      const back = isBackwards(told.command);
      return {
        groups: {
          command: told.command,
          ...(back
            ? { backwards: lines, undone: known > 1 - 1e-9 ? CERTAIN : SEVERAL }
            : { forwards: lines }),
        },
        right: hits[program][i],
        known,
      };
    }),
  );
  return (Object.keys(groupings) as Grouping[]).flatMap((by) => rowsBy(by, asked));
}

function rowsBy(by: Grouping, asked: readonly Asked[]) {
  const own = asked.filter(({ groups }) => groups[by] !== undefined);
  const groups = [...new Set(own.map((each) => each.groups[by]!))].toSorted((a, b) => (a < b ? -1 : 1)); // just filtered
  return groups.map((group) => {
    const here = own.filter((each) => each.groups[by] === group);
    const values = {
      right: mean(here.map(({ right }) => right)),
      known: mean(here.map(({ known }) => known)),
      questions: here.length,
    };
    return exactMatch.row({ at: { by, group }, values });
  });
}

/** The rows of one grouping. */
const matchedBy = (
  result: Pick<UnreadResult, "measurements">,
  by: Grouping,
  wanted: { readonly model?: string; readonly seed?: number } = {},
) => exactMatch.of(result, { ...wanted, at: { by } });

const compared = ["transformer+convolution", "deltanet[-1,1]"] as const;
type Compared = (typeof compared)[number];
const models = described(compared);

interface Settings extends TrainingSetup {
  readonly task: { readonly lines: readonly [number, number]; readonly [field: string]: unknown };
  readonly models: readonly Compared[];
}

const settings: Record<Scale, Settings> = {
  smoke: {
    ...SMOKE,
    task: { lines: [1, 2], starts: 3, numbers: 6, questions: 2, labels: 8 },
    models: ["transformer+convolution"],
    programs: 20,
  },
  laptop: {
    ...LAPTOP,
    task: { lines: [1, 2], starts: 3, numbers: 6, questions: 4, labels: 8 },
    models: ["transformer+convolution"],
    model: { layers: 3, width: 64, feedForward: 192 },
    heads: 4,
    train: {
      ...{ steps: 10_000, batch: 24, beta2: 0.99, warmupSteps: 50, padding: "longest" },
      ...{ schedule: "wsd", decaySteps: 4000, minLearningRateRatio: 0.02 },
    },
    programs: 400,
  },
  paper: {
    ...PAPER,
    task: { lines: [3, 8], questions: 8 },
    models: compared,
    train: { ...PAPER.train, schedule: "cosine" },
  },
};

const LEARNING_RATE = 3e-3;
/** A place, and what of the variables changed: a guess has next to nothing. */
const CHANCE = 0;

/** One command that every program has: what is learned first. */
const STEPS = { name: "step", change: { commands: ["step"] } } as const;
const ALL = { name: "all commands", change: {} } as const;

/** Of one group what is right, one number a seed; of those that learned their training. */
function rightOf(result: UnreadResult, by: Grouping, group: number | string, relative = false): number[] {
  const not = unlearned(result).map(({ model, seed }) => `${model} ${seed}`);
  return matchedBy(result, by)
    .filter(({ at, model, seed }) => at.group === group && !not.includes(`${model} ${seed}`))
    .map(({ values }) => (relative ? values.right / values.known : values.right));
}

const falls = (result: UnreadResult): number[] => {
  const [near, far] = [1, MOST_LINES].map((lines) => rightOf(result, "forwards", lines));
  return near.flatMap((share, i) => (far[i] === undefined ? [] : [share - far[i]]));
};

const claims: ClaimOf<Settings>[] = [
  {
    statement: "Exact match falls with the number of lines that a command skips",
    here: `exact match over one line minus that over ${MOST_LINES} or more, forwards`,
    measure: falls,
  },
  {
    statement: "Backwards it is near 1 if one answer fits",
    published: 1,
    here: "exact match of backward commands with one answer",
    measure: (result) => rightOf(result, "undone", CERTAIN),
  },
  {
    statement: "Backwards it reaches the optimum if several answers fit",
    published: 1,
    here: "exact match of backward commands with several answers, relative to the best guess",
    measure: (result) => rightOf(result, "undone", SEVERAL, true),
  },
];

export const neuralDebugger = defineExperiment<Settings>({
  name: "neural-debugger",
  question: "Can a small model predict what a debugger command changes, forwards and backwards?",
  about: "Does a model predict what a debugger command changes?",
  models,
  settings,
  published: claims.map((claim) => ({ ...claim, models: [...compared] })),
  measurements: [exactMatch],
  measureRun: (trained, { config }) => measureExactMatch(trained, config.evaluate.examples),

  plan({ task: sizes, models: asked, ...setup }, seeds) {
    const task = { name: "debugger", ...sizes };
    const [least] = sizes.lines;
    // Half of the last stage's programs are of single steps, which are what all others are made of.
    const steps = { commands: ["step", "back"] };
    const stages = [[{ lines: least, ...steps }], [steps], [steps, {}]];
    const share = setup.train as { readonly steps: number };
    return {
      runs: crossed(seeds, asked).map(([seed, model]) => {
        const config = recipeConfig(setup, { task, stages }, model, seed, LEARNING_RATE);
        const curriculum = { ...config.curriculum, maxStepsPerStage: Math.ceil(share.steps / 5) };
        return {
          ...{ setting: "", model, config: { ...config, curriculum } },
          tests: [STEPS, ALL].map((test) => ({ ...test, asTrained: true, chance: CHANCE })),
        };
      }),
      sample: { questions: 3 },
    };
  },

  checks: (result) => [
    ...check(
      "backwards, one answer fits: exact match",
      "mean at least 95 %",
      rightOf(result, "undone", CERTAIN),
      1 - mean(rightOf(result, "undone", CERTAIN)) <= SLIGHT,
    ),
    ...check(
      "backwards, several fit: exact match over the best guess",
      "mean at least 95 %",
      rightOf(result, "undone", SEVERAL, true),
      1 - mean(rightOf(result, "undone", SEVERAL, true)) <= SLIGHT,
    ),
  ],

  report(result, { models: asked }) {
    const both = (by: Grouping, group: string) => {
      const rows = matchedBy(result, by).filter(({ at }) => at.group === group);
      if (rows.length === 0) return "not asked";
      const [right, known] = (["right", "known"] as const).map((key) =>
        percentSign(mean(rows.map(({ values }) => values[key]))),
      );
      return `${right} (can be known: ${known})`;
    };
    return {
      views: [
        {
          heading: "Accuracy by the number of skipped lines",
          text: `The number of lines that begin on the way; ${MOST_LINES} means that many or more. Forwards one answer fits. Backwards, \u201ccan be known\u201d is the share of the likeliest answer among all arguments that fit.`,
          caption: "Percent of stops predicted correctly in every part. Strong line: mean over seeds.",
          figures: (["forwards", "backwards"] as const).map((by) => ({
            kind: "lines" as const,
            title: groupings[by],
            xLabel: "lines",
            scale: "linear" as const,
            chance: CHANCE,
            lines: [
              ...asked.map((model, index) => ({
                label: modelLabel(result, model),
                index,
                seeds: measuredLine(matchedBy(result, by, { model }), "group", "right"),
              })),
              {
                label: "can be known",
                index: compared.length,
                seeds: measuredLine(matchedBy(result, by, { model: asked[0] }), "group", "known"),
              },
            ],
          })),
        },
        {
          heading: "By command",
          text: "The same stops, by command.",
          caption: "Exact match; in parentheses the optimum on the same questions.",
          figures: [],
          table: {
            columns: ["command", "exact match"],
            rows: [...new Set(matchedBy(result, "command").map(({ at }) => String(at.group)))].map((name) => [
              name,
              both("command", name),
            ]),
          },
        },
      ],
    };
  },
});
