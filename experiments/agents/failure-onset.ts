/**
 * @file Is the step found at which a transcript loses the state? Transcripts of Python runs, with one fault put in.
 *
 *     program      def f(): a, b, c = 3, 5, 2     then a loop of four assignments
 *     transcript   one message per assignment: After line 4 (time 2): a = 8, c = 2
 *     fault        in three of four transcripts: from a random step on, a variable is off by the same number
 *     slip         in half of them: another variable is wrong once, and right in the next message
 *     found        the step at which the fault begins, and none where there is none
 *
 * Nothing is trained. `diagnose` compares the transcript with CPython's run of the program; its first and last error are the baselines.
 * Expected: F1 of at least .95. Source: CodeTracer (2026), whose transcripts are of real agents.
 */

import { diagnosedBy } from "../../src/app/diagnose/diagnose.ts";
import { recordHistory } from "../../src/app/trace/call.ts";
import { type Rng, rngFrom } from "../../src/core/rng.ts";
import { lineVisits } from "../../src/eval/transcripts/check-claims.ts";
import { readTranscripts } from "../../src/eval/transcripts/index.ts";
import { openRecording } from "../../src/python/debugger/index.ts";
import { withHost } from "../../src/python/sandbox/open.ts";
import {
  about,
  atLeast,
  crossed,
  defineExperiment,
  defineMeasurement,
  type Measuring,
  type PlannedWork,
  type UnreadResult,
  workOf,
} from "../runner/index.ts";

const settings = {
  smoke: { programs: 3 },
  laptop: { programs: 67 },
  paper: { programs: 1000 },
};
type Settings = (typeof settings)["laptop"];

const found = {
  onset: { label: "onset", summary: "the first step after which the state is never right again" },
  first: { label: "first error", summary: "" },
  last: { label: "last error", summary: "" },
};
const finders = ["onset", "first", "last"] as const;

/** What a message says of a step. */
const styles = {
  "line and time": ({ line, time }: Told, values: string) => `After line ${line} (time ${time}): ${values}`,
  line: ({ line }: Told, values: string) => `After line ${line}: ${values}`,
  "values alone": (_: Told, values: string) => `Now ${values}`,
};
type Style = keyof typeof styles;
const styleNames = Object.keys(styles) as Style[];

const onsets = defineMeasurement({
  id: "onsets",
  label: "steps at which the state is lost",
  at: { told: "what a message names" },
  values: { f1: "F1", runs: "transcripts" },
});

const names = ["a", "b", "c"];
const FIRST_LINE = 4;

/** Line 4 is the first of the loop. */
function drawProgram(rng: Rng) {
  const one = () => names[rng.below(names.length)];
  const targets = Array.from({ length: 4 }, one);
  const lines = targets.map(
    (name) => `        ${name} = (${one()} * ${1 + rng.below(3)} + ${one()} + ${rng.below(9)}) % 97`,
  );
  const start = names.map(() => rng.below(20)).join(", ");
  const source = `def f():\n    ${names.join(", ")} = ${start}\n    for i in range(4):\n${lines.join("\n")}\n    return a\n`;
  return { source, targets };
}

interface Told {
  readonly line: number;
  readonly time: number;
  /** True values of all variables after the step. */
  readonly truth: Readonly<Record<string, number>>;
  readonly said: Readonly<Record<string, number>>;
}

/** The steps of a run as they are told, with its fault, and where that begins. */
function drawTranscript(steps: readonly Omit<Told, "said">[], targets: readonly string[], rng: Rng) {
  const written = ({ line }: Pick<Told, "line">) => targets[line - FIRST_LINE];
  const fault = rng.next() < 3 / 4 ? rng.below(steps.length - 1) : undefined;
  const off = fault === undefined ? undefined : written(steps[fault]);
  // A slip right before the fault is its beginning: the state is not right between the two.
  const slips = steps
    .slice(0, -1)
    .flatMap((step, i) => (written(step) === off || i + 1 === fault ? [] : [i]));
  const slip = slips.length > 0 && rng.next() < 1 / 2 ? slips[rng.below(slips.length)] : undefined;
  const [by, slipBy] = [1 + rng.below(9), 1 + rng.below(9)];
  const told = steps.map((step, i): Told => {
    const again =
      slip !== undefined && i === slip + 1 ? written(steps[slip]) : names[rng.below(names.length)];
    const said = [...new Set([written(step), again])].map((name) => {
      const wrong = name === off && i >= fault! ? by : i === slip && name === written(step) ? slipBy : 0;
      return [name, step.truth[name] + wrong] as const;
    });
    return { ...step, said: Object.fromEntries(said) };
  });
  return { told, fault };
}

/** Steps of one transcript, if there are any. */
interface Located {
  readonly fault: number | undefined;
  readonly predicted: number | undefined;
}

/** Of predictions, one or none a run: 2 true / (predicted + faults); 1 where there are neither. */
function f1(runs: readonly Located[]): number {
  const hits = runs.filter(({ fault, predicted }) => fault !== undefined && fault === predicted).length;
  const all = runs.flatMap(({ fault, predicted }) => [fault, predicted]).filter((each) => each !== undefined);
  return all.length === 0 ? 1 : (2 * hits) / all.length;
}

async function* measureWork({ seed, options: { programs } }: PlannedWork<Settings>): Measuring {
  const runs = new Map<string, Located[]>();
  const draws = Array.from({ length: programs }, (_, i) => {
    const rng = rngFrom(seed).fork(i);
    return { rng, ...drawProgram(rng) };
  });
  yield { done: 0, of: 1 };
  const histories = await withHost({ host: "embedded", atMost: 1 }, async (host) => {
    const made: Awaited<ReturnType<typeof recordHistory>>[] = [];
    for (const { source } of draws) made.push(await recordHistory({ source, call: "f()", host }));
    return made;
  });
  for (const [i, { rng, targets }] of draws.entries()) {
    const history = histories[i];
    if ("stopped" in history) throw new Error(history.stopped);
    const run = openRecording(history);
    const steps = lineVisits(run).flatMap(({ line, time, activation, done }) => {
      if (targets[line - FIRST_LINE] === undefined) return [];
      const literals = run.literals(done);
      const truth = names.map((name) => [name, Number(literals[run.keyOf(done, activation, name)!])]);
      return [{ line, time, truth: Object.fromEntries(truth) as Record<string, number> }];
    });
    const { told, fault } = drawTranscript(steps, targets, rng);
    for (const [style, words] of Object.entries(styles)) {
      const messages = told.map((step) => {
        const values = Object.entries(step.said).map(([name, value]) => `${name} = ${value}`);
        return { role: "assistant", content: words(step, values.join(", ")) };
      });
      const [{ transcript }] = readTranscripts(JSON.stringify(messages), "transcript");
      const { onset, baselines } = diagnosedBy(transcript, history);
      const predicted = { onset: onset?.step, first: baselines.firstError, last: baselines.lastError };
      for (const finder of finders) {
        const at = predicted[finder] == null ? undefined : transcript.steps[predicted[finder]].message;
        const key = `${style}/${finder}`;
        runs.set(key, [...(runs.get(key) ?? []), { fault, predicted: at }]);
      }
    }
  }
  return crossed(styleNames, finders).map(([told, model]) => {
    const own = runs.get(`${told}/${model}`) ?? [];
    return onsets.row({ model, at: { told }, values: { f1: f1(own), runs: own.length } });
  });
}

const scores = (result: UnreadResult, model: string, told: Style) =>
  onsets.of(result, { model, at: { told } }).map(({ values }) => values.f1);

export const failureOnset = defineExperiment<Settings>({
  name: "failure-onset",
  question: "Is the step found at which a transcript loses the state?",
  about: "Is the step found where a transcript loses the state? Trains nothing",
  publishedIn: "CodeTracer",
  models: found,
  settings,
  published: crossed(styleNames, finders).map(([told, model]) => ({
    statement: `The fault is found by its ${found[model].label} if messages name ${told}`,
    ...{ models: [model], unit: "number" },
    here: "F1 over transcripts, of which a quarter has no fault",
    measure: (result) => scores(result, model, told),
  })),
  measurements: [onsets],
  measureWork,

  plan: (setup, seeds) => workOf(setup, seeds),

  checks: (result) =>
    styleNames.flatMap((told) =>
      about(["onset"], atLeast(`${told}: F1 of the onset`, scores(result, "onset", told), 0.95, "number")),
    ),
});
