/**
 * @file Where does a run lose the state? 200 runs of a scripted policy with one fault each, diagnosed from their files alone.
 *
 *     work       so many runs: program, fault, deception, words and kind of file are drawn; Python runs the program, contained
 *     onset      the first step after which the claimed state never again equals the truth, as `statelab diagnose` finds it
 *     beside     the first step with an error, the last one
 *     replay     the policy goes on from the onset with the right state that the replay gives it: does it end right?
 *
 * Nothing is trained. Where the state is lost follows from what the policy claimed, by the definition, without reading a word of the file.
 *
 * Source: CodeTracer (2026), which locates failures in agents' logs and reports a macro-F1 of up to 48 %, by models and on real runs: another task.
 */

import { locationScore } from "../../src/analysis/onset.ts";
import { openHost } from "../../src/python/open.ts";
import { parseHistory } from "../../src/records/history.ts";
import { measured } from "../../src/report/index.ts";
import { severally } from "../../src/work/trace/host.ts";
import { defineExperiment } from "../engine/define.ts";
import type { Measurements, Measuring, PlannedWork, Scale, UnreadResult } from "../engine/experiment.ts";
import { defineMeasurement } from "../engine/measurements.ts";
import { type CaseFound, diagnosedCase, drawCase } from "./scripted-diagnosis.ts";
import { deceptions } from "./scripted-run.ts";

interface Settings {
  readonly runs: number;
}

const settings: Record<Scale, Settings> = {
  smoke: { runs: 12 },
  laptop: { runs: 200 },
  paper: { runs: 2_000 },
};

const methods = {
  onset: {
    label: "onset",
    summary: "the first step after which the claimed state never again equals the truth",
  },
  firstError: { label: "first error", summary: "the first step with a claim that is wrong" },
  lastError: { label: "last error", summary: "the last step with a claim that is wrong" },
} as const;
type Method = keyof typeof methods;

const located = defineMeasurement({
  id: "located",
  label: "where the state is lost",
  at: { runs: "runs" },
  values: {
    f1: "F1",
    precision: "precision",
    recall: "recall",
    runs: "runs",
    lost: "of which lose the state",
  },
});
const replayed = defineMeasurement({
  id: "replayed",
  label: "replay from the onset",
  at: { runs: "runs" },
  values: {
    replayed: "replayed",
    recovered: "share that recovers",
    oneOff: "of those whose fault is made once",
  },
});

/** Programs that are run by one request. */
const TOGETHER = 20;

async function* measureWork({ seed, options }: PlannedWork): Measuring {
  const { runs } = options as unknown as Settings; // from `plan` below
  const cases = Array.from({ length: runs }, (_, i) => drawCase(i, seed));
  const found: CaseFound[] = [];
  const host = await openHost("embedded", { atMost: 1 });
  try {
    for (let from = 0; from < runs; from += TOGETHER) {
      yield { done: from, of: runs };
      const some = cases.slice(from, from + TOGETHER);
      const requests = some.map(({ program }) => ({
        operation: "history",
        source: program.source,
        call: "f()",
      }));
      const answers = await severally(host, requests, {});
      for (const [i, answer] of answers.entries()) {
        if ("stopped" in answer) throw new Error(`a scripted program did not end: ${answer.stopped}`);
        found.push(diagnosedCase(some[i], parseHistory(answer.value, "lab.history")));
      }
    }
  } finally {
    await host.close();
  }
  return rowsOf(
    found,
    cases.map(({ run }) => run.deception),
  );
}

function rowsOf(found: readonly CaseFound[], kinds: readonly (typeof deceptions)[number][]): Measurements {
  const rowsAt = (runs: string, some: readonly CaseFound[], oneOff: readonly CaseFound[]) => {
    const scores = (Object.keys(methods) as Method[]).map((model) => {
      const values = locationScore(some.map((each) => ({ truth: each.truth, said: each[model] })));
      const lost = some.filter(({ truth }) => truth !== null).length;
      return located.row({ model, at: { runs }, values: { ...values, runs: some.length, lost } });
    });
    const again = some.filter(({ recovered }) => recovered !== null);
    if (again.length === 0) return scores;
    const once = oneOff.filter(({ recovered }) => recovered !== null);
    return [
      ...scores,
      replayed.row({
        model: "onset",
        at: { runs },
        values: {
          replayed: again.length,
          recovered: shareOf(again),
          ...(once.length > 0 && { oneOff: shareOf(once) }),
        },
      }),
    ];
  };
  const of = (kind: string) => found.filter((_, i) => kinds[i] === kind);
  const notReaders = found.filter((_, i) => kinds[i] !== "reader");
  return [
    ...rowsAt("all", found, notReaders),
    ...deceptions.flatMap((kind) =>
      of(kind).length === 0 ? [] : rowsAt(kind, of(kind), kind === "reader" ? [] : of(kind)),
    ),
  ];
}

const shareOf = (some: readonly CaseFound[]) =>
  some.filter(({ recovered }) => recovered).length / some.length;

const scores = (result: UnreadResult, model: Method) =>
  located.of(result, { model, at: { runs: "all" } }).map(({ values }) => values.f1);

export const failureOnset = defineExperiment<Settings>({
  name: "failure-onset",
  question: "From the words of a run alone, and the program's true states: at which step is the state lost?",
  about: "where transcripts lose the state, and whether a replay from there recovers (trains nothing)",
  publishedIn: "our own",
  models: methods,
  settings,
  published: [
    {
      source: "own expectation",
      statement: "The onset is found in scripted runs with one fault each, whatever they do to deceive",
      published: 0.95,
      here: "F1 of the step; 0.95 is what was asked for at the least",
      unit: "number",
      measure: (result) => scores(result, "onset"),
    },
    {
      source: "own expectation",
      statement: "The first error is not the onset: runs recover",
      here: "F1 of the step of the first error",
      unit: "number",
      measure: (result) => scores(result, "firstError"),
    },
    {
      source: "own expectation",
      statement: "A replay from the onset with the right state recovers nine runs of ten",
      published: 0.9,
      here: "share of the replayed runs that end in the right state; one in twenty is of a policy that makes its mistake again",
      unit: "number",
      measure: (result) => replayed.of(result, { at: { runs: "all" } }).map(({ values }) => values.recovered),
    },
  ],
  measurements: [located, replayed],
  measureWork,

  plan: ({ runs }, seeds) => ({
    runs: [],
    work: seeds.map((seed) => ({ setting: "", model: "", seed, options: { runs } })),
  }),

  findings: (result) => [
    ...scores(result, "onset").flatMap((f1) =>
      f1 >= 0.95 ? [] : [`The onset has an F1 of ${measured(f1)} in a seed; expected was 0.95 at the least.`],
    ),
    ...replayed
      .of(result, { at: { runs: "all" } })
      .flatMap(({ seed, values: { recovered } }) =>
        recovered >= 0.9
          ? []
          : [`In seed ${seed} ${measured(recovered)} of the replays recover; expected was 0.9.`],
      ),
  ],

  report(result) {
    const [onset, first, last] = (["onset", "firstError", "lastError"] as const).map((method) => {
      const all = scores(result, method);
      return measured(Math.min(...all));
    });
    const recovered = replayed.of(result, { at: { runs: "all" } }).map(({ values }) => values.recovered);
    return {
      title: `The onset is found with an F1 of ${onset} or more; the first error has ${first}, the last ${last}`,
      lead: `Scripted runs in five kinds of file, each with one fault, some of which mend it, misspeak before it, say the truth again for a while or fall silent. Replayed from the onset with the right state ${measured(Math.min(...recovered))} of them or more end right: all but those of a policy that misreads every subtraction, and so does it again.`,
      views: [],
    };
  },
});
