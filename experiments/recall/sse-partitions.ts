/**
 * @file Does sparse state expansion recall more pairs the more partitions it has, at hardly a parameter more?
 *
 *     k4 v1 k7 v0 k2 v6 ...   f3 k7 f2 k2 ...    which was the key's value?     2 to 32 pairs; asked of 64, too
 *
 * One memory for all tokens and N = 1, 4 or 16 more, of which each token writes and reads one (src/models/sse.ts); a partition more costs a
 * parameter for each channel of each layer. The baseline is gated linear attention, the first memory alone. Two layers of width 32 with
 * short convolutions, heads of 16 x 16; one learning rate, which for each of these was the better of two (log). N = 4 and 16 are trained once more
 * with the paper's penalty on uneven use of the partitions (`balance`), by the same rate.
 *
 * Also measured, per layer: how often a key, when it is asked, chooses the partition that was chosen where its pair can have been written: at the
 * value, and up to two words after it, as the convolutions of four reach back to the key from there. What was written to another is not found.
 *
 * Expected: more partitions, more pairs; with the penalty fewer pairs in the partition that has most. Source: arXiv:2507.16577, in words
 * (retrieval grows with the state); its models and texts are larger.
 */

import { collect } from "../../src/app/analyze/record-activations.ts";
import { type TrainedRun, testAbout } from "../../src/app/run/open.ts";
import { formatCount } from "../../src/report/index.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import {
  about,
  above,
  by,
  crossed,
  defineExperiment,
  defineMeasurement,
  HELD_THEN_FALLING,
  lines,
  type Measuring,
  measurementRows,
  type PlannedRun,
  readAccuracy,
  type UnreadResult,
} from "../runner/index.ts";

const settings = {
  smoke: {
    model: { layers: 1, width: 16 },
    train: { steps: 8, batch: 8, warmupSteps: 2 },
    stages: [2, 4],
    pairs: [2, 4, 8],
    kinds: 8,
    programs: 20,
  },
  laptop: {
    model: { layers: 2, width: 32 },
    train: { ...HELD_THEN_FALLING, steps: 5000, batch: 16, warmupSteps: 20, decaySteps: 400 },
    // The most pairs of each stage, in four words a pair and at least 16; fewer stay in it.
    stages: [2, 4, 8, 16, 32],
    // Asked, each alone; the last is more than was trained.
    pairs: [2, 4, 8, 16, 32, 64],
    // Keys and values that there are.
    kinds: 64,
    programs: 300,
  },
  paper: {
    model: { layers: 2, width: 64 },
    train: { ...HELD_THEN_FALLING, steps: 40_000, batch: 64, warmupSteps: 100, decaySteps: 4000 },
    stages: [2, 4, 8, 16, 32, 64],
    pairs: [2, 4, 8, 16, 32, 64, 128],
    kinds: 256,
    programs: 1000,
  },
};
type Setup = (typeof settings)[keyof typeof settings];

const [heads, convolution] = [2, 4];
const ofSse = (partitions: number) => ({
  label: `SSE, N = ${partitions}`,
  summary: `a memory for all tokens and ${formatCount(partitions, "partition")}, of which each token writes and reads one`,
});
function balancedSse(partitions: number) {
  const { label, summary } = ofSse(partitions);
  return { label: `${label}, balanced`, summary: `${summary}; uneven use is penalised` };
}
const models = {
  gla: { label: "GLA", summary: "one memory, with a decay for each channel" },
  "sse-n1": ofSse(1),
  "sse-n4": ofSse(4),
  "sse-n16": ofSse(16),
  "sse-n4-balanced": balancedSse(4),
  "sse-n16-balanced": balancedSse(16),
} as const;
type Name = keyof typeof models;
const names = Object.keys(models) as Name[];
const sse = (partitions: number) => ({ name: "sse", heads, convolution, partitions, chosen: 1 });
/** Weight of the penalty on uneven use; one of two that were tried (log). */
const BALANCE = 0.01;
const mixers: Readonly<Record<Name, object>> = {
  gla: { name: "gla", heads, convolution },
  "sse-n1": sse(1),
  "sse-n4": sse(4),
  "sse-n16": sse(16),
  "sse-n4-balanced": { ...sse(4), balance: BALANCE },
  "sse-n16-balanced": { ...sse(16), balance: BALANCE },
};
/** For each of the first four the better of 2e-3 and 5e-3, on a seed that no result uses. */
const LEARNING_RATE = 2e-3;
const routed = defineMeasurement({
  id: "routed",
  label: "Partitions chosen where a pair is written and where it is queried",
  at: { layer: "layer", behind: "words behind the value" },
  values: {
    most: "pairs in the most used",
    same: "the same at the query",
    chance: "the same by chance",
  },
});
/** Texts that this is measured on. */
const LOOKED_AT = 64;

/** Where a pair can be written: its value, and words after it from which the convolution reaches its key. */
const BEHIND = Array.from({ length: convolution - 1 }, (_, behind) => behind);

/** The partitions chosen for each pair: so many words after its value, and where its key is asked. */
export function findRoutes(words: readonly string[], chosen: (place: number) => number, behind = 0) {
  const written = new Map<string, number>();
  let first = 0;
  for (; words[first + 1]?.startsWith("v"); first += 2) written.set(words[first], chosen(first + 1 + behind));
  return words.flatMap((word, place) => {
    const partition = place < first ? undefined : written.get(word);
    return partition === undefined ? [] : [{ written: partition, asked: chosen(place) }];
  });
}

/** Shares of pairs: in the partition with most of them, the same at the query, and the latter if both were drawn apart. */
export function routeShares(routes: ReturnType<typeof findRoutes>, partitions: number) {
  const count = (end: "written" | "asked", partition: number) =>
    routes.filter((route) => route[end] === partition).length / routes.length;
  const each = Array.from({ length: partitions }, (_, partition) => partition);
  return {
    most: Math.max(...each.map((partition) => count("written", partition))),
    same: routes.filter(({ written, asked }) => written === asked).length / routes.length,
    chance: each.reduce((sum, partition) => sum + count("written", partition) * count("asked", partition), 0),
  };
}

async function* measureRoutes(run: TrainedRun, { tests }: PlannedRun): Measuring {
  yield { done: 0, of: 1 };
  const hardest = tests.findLast(({ asTrained }) => asTrained)!; // the fewest pairs are as trained
  const test = testAbout(run, hardest.change, LOOKED_AT);
  const { recording, forward } = await collect(run, test, async () => {}, ["share"]);
  await forward.release();
  const { programs, taps } = recording;
  return crossed(Object.entries(taps), BEHIND).map(([[name, { shape, data }], behind]) => {
    const [, length, partitions] = shape;
    const routes = programs.flatMap(({ tokens }, program) => {
      const chosen = (place: number) => {
        const start = (program * length + place) * partitions;
        return largest(data.subarray(start, start + partitions));
      };
      return findRoutes(tokens, chosen, behind);
    });
    const layer = Number(name.split(".")[1]); // layers.L.share
    return routed.row({ at: { layer, behind }, values: routeShares(routes, partitions) });
  });
}

const largest = (shares: Float32Array) => shares.indexOf(Math.max(...shares));

const [FEWEST, MOST] = ["sse-n1", "sse-n16"] as const;

const wordsFor = (pairs: number) => Math.max(16, 4 * pairs);
const testName = (pairs: number) => formatCount(pairs, "pair");
const mostOf = ({ stages }: Setup) => Math.max(...stages);

/** Accuracy of each seed at the most pairs that are trained. */
const sharesAtMost = (result: UnreadResult, setup: Setup, model: Name) =>
  measurementRows(result, { model, test: testName(mostOf(setup)) }).map(readAccuracy);

export const ssePartitions = defineExperiment<Setup>({
  name: "sse-partitions",
  question: "Does sparse state expansion recall more pairs with more partitions?",
  about: "Do more memory partitions recall more pairs?",
  publishedIn: "SSE, in words",
  models,
  settings,
  published: names.map((model) => ({
    source: "SSE, arXiv:2507.16577, in words",
    statement: `Recall grows with the number of partitions: ${models[model].label}`,
    models: [model],
    here: "accuracy with the largest trained number of pairs",
    agrees: () => "inconclusive",
    measure: (result, setup) => sharesAtMost(result, setup, model),
  })),

  measurements: [routed],
  measureRun: measureRoutes,

  plan(setup, seeds) {
    const { model, train, stages, pairs, kinds, programs } = setup;
    const most = mostOf(setup);
    const own = stages.map((upTo) => ({ pairs: [Math.min(...pairs), upTo], length: wordsFor(upTo) }));
    const { steps } = train;
    return {
      runs: crossed(seeds, names).map(([seed, name]) => ({
        setting: "",
        model: name,
        config: RunConfig.parse({
          seed,
          task: { name: "mqar", keys: kinds, values: kinds, fillers: 16, ...own.at(-1) },
          model: { ...mixers[name], ...model },
          train: { ...train, learningRate: LEARNING_RATE },
          curriculum: {
            stages: own.map((stage) => [stage]),
            averagingWindow: 100,
            maxStepsPerStage: Math.ceil(steps / stages.length),
          },
          evaluate: { examples: programs },
        }),
        tests: pairs.map((each) => ({
          name: testName(each),
          change: { pairs: each, length: wordsFor(Math.max(each, most)) },
          asTrained: each <= most,
          chance: 1 / each,
        })),
      })),
      sample: { pairs: 3, length: 20 },
    };
  },

  checks(result, setup) {
    const few = sharesAtMost(result, setup, FEWEST);
    const name = `${models[MOST].label} less the best seed of ${models[FEWEST].label}, ${testName(mostOf(setup))}`;
    const gained = sharesAtMost(result, setup, MOST).map((share) => share - Math.max(...few));
    return about([FEWEST, MOST], above(name, gained, 0));
  },

  report: (result, setup) => ({
    views: [
      {
        heading: "Pairs",
        text: `Held-out texts of ${wordsFor(mostOf(setup))} words with N pairs of a key and a value. The rightmost, in longer texts, were not trained. Each partition costs one parameter per channel and layer.`,
        caption: "Accuracy in percent. Thin lines: seeds.",
        figures: [
          lines(result, {
            title: "pairs of a key and a value",
            xLabel: "pairs",
            scale: "log2",
            chance: 0,
            setting: "",
            points: by("pairs"),
            reference: "none",
          }),
        ],
      },
    ],
  }),
});
