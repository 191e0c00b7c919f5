/**
 * @file O's table: accuracy on programs of n updates, from training lengths to far beyond, and recall of one bit of many.
 *
 *     state     a, b, c, d, e = range(5);  n updates;  asserts at a fixed interval;  assert a == _
 *     recall    bits = [0, 1, ...];  a = 36;  assert bits[a] == _
 *
 * Expected: Gated DeltaNet [-1,1] and its hybrid are right at every n; [0,1] falls beyond training; the Transformer never
 * leaves chance on state, and is right on recall. Source: O = Olmo Hybrid, arXiv:2604.03444, appendix C: 4 layers, d = 256,
 * 20,000 steps, curriculum n = 8, 16, 32, 64 at fixed steps. Ours grows the interval between asserts as well, adaptively.
 */

import { mean } from "../../src/math/statistics.ts";
import type { ResultRow } from "../../src/records/result.ts";
import { experimentReport, listed, percentSign } from "../../src/report/index.ts";
import { type ArchitectureName, architectures, described } from "../engine/architectures.ts";
import type { Experiment, PlannedRun, PlannedTest, PublishedClaim, Scale } from "../engine/experiment.ts";
import { by, lines, rowsOf } from "../engine/views.ts";
import { type WordsSetup, wordsRun } from "./setup.ts";

interface ScaleSettings extends Omit<WordsSetup, "task" | "stages"> {
  readonly variables: number;
  readonly interval: number;
  /** n of the curriculum; the asserts are dense before the first of them. */
  readonly trained: readonly number[];
  readonly tested: readonly number[];
  readonly bits: readonly number[];
}

const settings: Record<Scale, ScaleSettings> = {
  smoke: {
    variables: 3,
    interval: 2,
    trained: [4],
    tested: [4, 8],
    bits: [4],
    model: { layers: 4, width: 16, feedForward: 16 },
    heads: 2,
    train: { steps: 10, batch: 8, warmupSteps: 5 },
    memory: 40,
    programs: 20,
    device: "cpu",
  },
  laptop: {
    variables: 5,
    interval: 4,
    trained: [8, 16, 32],
    tested: [4, 8, 16, 32, 64, 128],
    bits: [8, 16, 32],
    model: { layers: 4, width: 64, feedForward: 128 },
    heads: 2,
    train: { steps: 1500, batch: 16, warmupSteps: 50, schedule: "wsd", decaySteps: 300, finalShare: 0.05 },
    memory: 100,
    programs: 256,
    device: "cpu",
  },
  paper: {
    variables: 5,
    interval: 4,
    trained: [8, 16, 32, 64],
    tested: [4, 8, 16, 32, 64, 128],
    bits: [16, 32, 64, 128],
    model: { layers: 4, width: 256, feedForward: 1024 },
    heads: 4,
    train: { steps: 20_000, batch: 32, warmupSteps: 250 },
    memory: 400,
    programs: 256,
    device: "cuda",
  },
};

/** O's table at n = 4, 8, 16, 32, 64, 128. */
const publishedAt = [4, 8, 16, 32, 64, 128] as const;
const published = {
  transformer: [0.512, 0.277, 0.172, 0.23, 0.199, 0.23],
  "gated-deltanet[-1,1]": [1, 1, 1, 1, 1, 1],
  "gated-deltanet[0,1]": [1, 1, 0.973, 0.645, 0.215, 0.223],
  "hybrid[-1,1]": [1, 1, 1, 1, 1, 1],
  "hybrid[0,1]": [1, 1, 1, 1, 0.961, 0.363],
} as const satisfies Partial<Record<ArchitectureName, readonly number[]>>;
const publishedRecall = { transformer: 0.965, "gated-deltanet[-1,1]": 0.676, "hybrid[-1,1]": 1 } as const;

const compared = Object.keys(published) as (keyof typeof published)[];
const learningRate = 1e-3;
const stateName = (updates: number) => `n = ${updates}`;
const recallName = (bits: number) => `m = ${bits}`;
const atEnd = ({ accuracyLast }: ResultRow) => accuracyLast;

/** Asserts after every update, then every second, ... up to the interval; then more updates. */
function stagesOf({ interval, trained }: ScaleSettings) {
  const [first, ...longer] = trained;
  const dense = Array.from({ length: Math.log2(interval) + 1 }, (_, i) => 2 ** i);
  return [
    ...dense.map((spacing) => [{ commands: first, spacing }]),
    ...longer.map((commands) => [
      { commands: first, spacing: interval },
      { commands, spacing: interval },
    ]),
  ];
}

function runsOf(scale: Scale, seed: number): PlannedRun[] {
  const { variables, interval, trained, tested, bits, ...setup } = settings[scale];
  const most = Math.max(...bits);
  const state: Omit<WordsSetup, keyof typeof setup> = {
    task: { name: "asserts", variables, commands: Math.max(...trained), spacing: interval },
    stages: stagesOf(settings[scale]),
  };
  const recall: Omit<WordsSetup, keyof typeof setup> = {
    task: { name: "recall", length: most, addresses: most },
    stages: bits.map((length) => [{ length }]),
  };
  const stateTests = tested.map(
    (commands): PlannedTest => ({
      name: stateName(commands),
      change: { commands, spacing: interval },
      asTrained: trained.includes(commands),
      chance: 1 / variables,
    }),
  );
  const recallTests: PlannedTest[] = [
    { name: recallName(most), change: { length: most }, asTrained: true, chance: 1 / 2 },
  ];
  return compared.flatMap((model) => [
    {
      setting: "state",
      model,
      config: wordsRun({ ...setup, ...state }, model, seed, learningRate),
      tests: stateTests,
    },
    {
      setting: "recall",
      model,
      config: wordsRun({ ...setup, ...recall }, model, seed, learningRate),
      tests: recallTests,
    },
  ]);
}

const source = "O, arXiv:2604.03444, appendix C";

export const olmoTable: Experiment = {
  name: "olmo-table",
  question: "Do gated recurrences and their hybrids with attention follow state, and do they still recall?",
  about: "gated recurrences and hybrids on state and on recall",
  publishedIn: "O",
  models: described(compared),
  published: [
    ...compared.flatMap((model) =>
      publishedAt.map(
        (n, i): PublishedClaim => ({
          source,
          statement: `Accuracy of ${architectures[model].label} on the final assert after ${n} updates`,
          published: published[model][i],
          measure: (result) => rowsOf(result, { setting: "state", model, test: stateName(n) }).map(atEnd),
        }),
      ),
    ),
    ...(Object.keys(publishedRecall) as (keyof typeof publishedRecall)[]).map(
      (model): PublishedClaim => ({
        source,
        statement: `Recall of ${architectures[model].label}, m = 128`,
        published: publishedRecall[model],
        here: "at the most bits of this scale",
        measure: (result) => rowsOf(result, { setting: "recall", model }).map(atEnd),
      }),
    ),
  ],

  plan(scale, seeds) {
    return { runs: seeds.flatMap((seed) => runsOf(scale, seed)), sample: { commands: 8 } };
  },

  findings(result) {
    if (result.scale === "smoke")
      return ["Smoke scale only shows that everything runs; it says nothing about the models."];
    const { trained } = settings[result.scale];
    const longest = Math.max(...trained);
    const far = compared.flatMap((model) =>
      publishedAt.flatMap((n, i) => {
        const rows = rowsOf(result, { setting: "state", model, test: stateName(n) });
        if (rows.length === 0) return [];
        const ours = mean(rows.map(atEnd));
        const text = `${architectures[model].label} at n = ${n}: ${percentSign(ours)} where ${percentSign(published[model][i])} is published${n > longest ? `; here nothing above n = ${longest} was trained` : ""}.`;
        return Math.abs(ours - published[model][i]) > 0.1 ? [text] : [];
      }),
    );
    const last = String(stagesOf(settings[result.scale]).at(-1)!.at(-1)!.commands);
    const stuck = result.training
      .filter(({ setting, points }) => setting === "state" && !points.at(-1)?.stage.startsWith(last))
      .map(
        ({ model, seed, points }) =>
          `${architectures[model as ArchitectureName].label} (seed ${seed}): its curriculum ended at "${points.at(-1)?.stage}" (updates, interval).`,
      );
    return [...far, ...stuck];
  },

  report(result) {
    const { tested, trained } = settings[result.scale];
    const test = stateName(Math.max(...tested));
    const ends = compared.flatMap((model) => {
      const rows = rowsOf(result, { setting: "state", model, test });
      return rows.length === 0 ? [] : [`${architectures[model].label} ${percentSign(mean(rows.map(atEnd)))}`];
    });
    const right = compared.filter((model) => {
      const rows = rowsOf(result, { setting: "state", model, test });
      return rows.length > 0 && mean(rows.map(atEnd)) >= 0.95;
    });
    const names = right.length === 0 ? "No model" : listed(right.map((model) => architectures[model].label));
    return experimentReport(result, {
      title: `${names} ${right.length === 1 || right.length === 0 ? "follows" : "follow"} state to ${test.slice(4)} updates`,
      lead: `Accuracy on the final assert at ${test}, mean over seeds: ${listed(ends)}. Trained to n = ${Math.max(...trained)}.`,
      views: [
        {
          heading: "Accuracy on the final assert, by the number of updates",
          text: "The program asserts a variable at a fixed interval and once at the end. The last assert is what is scored.",
          caption: "Percent. Strong line: mean over seeds; thin lines: seeds.",
          figures: [
            lines(result, {
              title: "state",
              xLabel: "updates",
              scale: "log2",
              chance: 1 / settings[result.scale].variables,
              setting: "state",
              points: by("commands", atEnd),
              mark: { x: Math.max(...trained), label: "trained" },
              reference: "none",
            }),
          ],
        },
      ],
    });
  },
};
