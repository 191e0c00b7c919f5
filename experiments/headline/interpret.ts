/**
 * @file How does DeltaNet [-1,1] track? Its heads one by one: which reflects at every command, and what is lost without it.
 *
 *     trained   as in `headline`, with four layers: 12 commands on 3 variables, a reveal every 1, 2, 4 or 12
 *     read      512 commands, a reveal every 4
 *     measured  for each head mean beta along a command, principal components of its keys, accuracy without it
 *
 * Expected, as A shows for one head of a large model (layer 12, head 3; 512 commands, a reveal every 4): one head has
 * beta near 2 on every command; its keys need far fewer principal components than others; with it silenced tracking is
 * gone: what is left is a guess. Our own question: what does silencing any other one cost? Heads are silenced one by one, so
 * two that replace each other would both look idle.
 *
 * Source: A, arXiv:2602.14814, Fig. 5.
 */

import { ablateHeads, type Silenced } from "../../src/analysis/ablation.ts";
import { type BetaOfHead, betaOfHeads } from "../../src/analysis/beta.ts";
import { keysOfHeads } from "../../src/analysis/keys.ts";
import { type Recording, rowAt } from "../../src/analysis/recording.ts";
import { readReferences } from "../../src/app/analyze/analyze.ts";
import { collect } from "../../src/app/analyze/record-activations.ts";
import { type TrainedRun, testAbout } from "../../src/app/run/open.ts";
import { mean } from "../../src/core/statistics.ts";
import { matrixFigure } from "../../src/report/figures/cells.ts";
import { type Drawing, type NumbersFigure, percentSign } from "../../src/report/index.ts";
import { replTest, TRACKER } from "../repl/shared.ts";
import {
  A,
  atLeast,
  atMost,
  type ClaimOf,
  check,
  defineExperiment,
  defineMeasurement,
  described,
  FAR_FEWER,
  type Measurements,
  type Measuring,
  measuredLine,
  PAPER,
  type PlannedRun,
  type Scale,
  SLIGHT,
  tracks,
  type UnreadResult,
} from "../runner/index.ts";
import { type HeadlineSettings, headlinePlan, settings } from "./headline.ts";

export const wholeModel = defineMeasurement({
  id: "wholeModel",
  label: "the whole model",
  at: {},
  values: {
    accuracy: "accuracy",
    questions: "questions",
    exactBayes: "exactBayes",
    windowedBayes: "windowedBayes",
    windowedBayesWithoutBoundary: "windowedBayesWithoutBoundary",
  },
});

const rank = "by beta";

export const heads = defineMeasurement({
  id: "heads",
  label: "each head",
  at: { rank },
  values: {
    beta: "beta",
    commandsNear2: "commands above 1.9",
    betaOnReveals: "beta on reveals",
    distanceFrom2: "|2 \u2212 beta|",
    horizon: "horizon",
    components95: "components for 95 %",
    components99: "components for 99 %",
    keysRead: "keys read",
    keysThere: "keys there are",
    accuracyAtZero: "accuracy at zero",
    lostAtZero: "lost at zero",
    accuracyAtMean: "accuracy at mean",
    lostAtMean: "lost at mean",
  },
});

export const betaAlongLine = defineMeasurement({
  id: "betaAlongLine",
  label: "mean beta along a line",
  at: { line: "line", rank, place: "place" },
  values: { beta: "beta" },
});

export const keyVariance = defineMeasurement({
  id: "keyVariance",
  label: "variance of keys",
  at: { rank, components: "components" },
  values: { share: "share" },
});

/** Above this a reflection is called nearly exact. */
const NEAR_2 = 1.9;

/** The records of all programs are held at once: so many commands in all. */
const COMMANDS = 20_000;
/** In place of a longer horizon, which would be the precision of float32. */
const LONGEST_HORIZON = 10_000;

/** Of the plan's last test. */
async function* measureHeads(run: TrainedRun, { tests, config }: PlannedRun): Measuring {
  const { change } = tests.at(-1)!; // a run is planned with one
  const length = Number(change.commands ?? change.length ?? 1);
  const programs = Math.min(config.evaluate.examples, Math.ceil(COMMANDS / length));
  const test = testAbout(run, change, programs);
  const steps = inSteps(async (tick) => {
    const collected = await collect(run, test, tick, ["beta", "decay", "key", "heads"]);
    const { forward, ask } = collected;
    try {
      return { ...collected, ablation: await ablateHeads(forward.heads, ask) };
    } finally {
      await forward.release();
    }
  });
  const headCount = Number(config.model.layers) * Number(config.model.heads);
  const of = Math.ceil(programs / 25) * 2 * (1 + headCount); // read, whole, two kinds of silence for each head
  let step = await steps.next();
  for (let done = 0; !step.done; step = await steps.next()) yield { done: Math.min(++done, of), of };
  const { recording, ablation } = step.value;
  const { accuracy, questions, silenced } = ablation;
  return [
    wholeModel.row({ values: { accuracy, questions, ...(await readReferences(run, test)) } }),
    ...rowsOfHeads(recording, silenced),
  ];
}

/** Heads in order of beta: their numbers, their beta along lines, the variance of their keys. */
export function rowsOfHeads(recording: Recording, silenced: readonly Silenced[]): Measurements {
  const keys = keysOfHeads(recording);
  const ranked = betaOfHeads(recording).toSorted((a, b) => b.strongest.mean - a.strongest.mean);
  return ranked.flatMap((beta, i): Measurements => {
    const same = (each: { readonly layer: number; readonly head: number }) =>
      each.layer === beta.layer && each.head === beta.head;
    const { explained, keys: counted } = keys.find(same)!; // a head with a beta has keys
    const without = silenced.filter(same);
    const at = { rank: i + 1 };
    const of = (kind: Silenced["kind"]) => without.find((each) => each.kind === kind);
    return [
      heads.row({
        at,
        values: {
          beta: beta.strongest.mean,
          commandsNear2: shareAbove(recording, beta),
          betaOnReveals: beta.strongestReveal?.mean ?? 0,
          distanceFrom2: beta.distanceFrom2,
          horizon: Math.min(LONGEST_HORIZON, beta.horizon),
          components95: componentsFor(explained, 0.95),
          components99: componentsFor(explained, 0.99),
          ...(counted && { keysRead: counted.read, keysThere: counted.of }),
          ...lossAt("Zero", of("zero")),
          ...lossAt("Mean", of("mean")),
        },
        note: `${beta.layer}.${beta.head}`,
      }),
      ...(["command", "reveal"] as const).flatMap((line) =>
        beta[line].map(({ place, token, mean }) =>
          betaAlongLine.row({ at: { line, ...at, place }, values: { beta: mean }, note: token }),
        ),
      ),
      ...explained.map((share, n) =>
        keyVariance.row({ at: { ...at, components: n + 1 }, values: { share } }),
      ),
    ];
  });
}

const lossAt = <Kind extends "Zero" | "Mean">(kind: Kind, silenced: Silenced | undefined) =>
  silenced && {
    [`accuracyAt${kind}`]: silenced.accuracy,
    [`lostAt${kind}`]: silenced.drop,
  };

const componentsFor = (explained: readonly number[], share: number) =>
  1 + explained.findIndex((each) => each >= share);

/** How many of all commands have a beta near 2 at the token where the mean is largest. */
function shareAbove({ programs, taps }: Recording, { layer, head, strongest }: BetaOfHead): number {
  let [above, all] = [0, 0];
  for (const [i, { tokens, classes, places }] of programs.entries()) {
    for (let t = 0; t < tokens.length; t++) {
      if (classes[t] !== "command" || places[t] !== strongest.place) continue;
      all++;
      if (rowAt(taps[`layers.${layer}.beta`], i, t, head)[0] > NEAR_2) above++;
    }
  }
  return above / Math.max(1, all);
}

/** Work that calls `tick` now and then, as a generator: it rests at each tick until it is asked to go on. */
async function* inSteps<T>(work: (tick: () => Promise<void>) => Promise<T>): AsyncGenerator<void, T> {
  let goOn = () => {};
  let arrived = () => {};
  let arrival = new Promise<void>((resolve) => (arrived = resolve));
  const result = work(() => {
    arrived();
    return new Promise((resolve) => (goOn = resolve));
  });
  for (;;) {
    const finished = await Promise.race([arrival.then(() => false), result.then(() => true)]);
    if (finished) return result;
    arrival = new Promise<void>((resolve) => (arrived = resolve));
    yield;
    goOn();
  }
}

type Head = ReturnType<typeof heads.of>[number]["values"];
type Whole = ReturnType<typeof wholeModel.of>[number]["values"];

interface Found {
  readonly seed: number;
  readonly model: Whole;
  readonly heads: readonly Head[];
  /** `layer.head`. */
  readonly names: readonly string[];
}

function foundIn(result: Pick<UnreadResult, "measurements" | "seeds">): Found[] {
  return result.seeds.flatMap((seed) => {
    const own = heads.of(result, { seed }).toSorted((a, b) => Number(a.at.rank) - Number(b.at.rank));
    const [model] = wholeModel.of(result, { seed });
    if (model === undefined || own.length === 0) return [];
    return [
      {
        seed,
        model: model.values,
        heads: own.map(({ values }) => values),
        names: own.map(({ note }) => note ?? ""),
      },
    ];
  });
}

/** The larger of what is left under zeros and under means: tracking is gone without a head only where both agree. */
const leftWithout = ({ accuracyAtZero, accuracyAtMean }: Head) => Math.max(accuracyAtZero, accuracyAtMean);
/** The larger of what is lost under zeros and under means: a head is idle only where both agree. Below 0 where neither costs. */
const lostWithout = ({ lostAtZero, lostAtMean }: Head) => Math.max(lostAtZero, lostAtMean);

const windowed = ({ windowedBayes }: Whole) => windowedBayes ?? 0;

/** The heads in order of need: least is left without the first. */
const byNeed = ({ heads }: Found) => heads.toSorted((a, b) => leftWithout(a) - leftWithout(b));

/** The most that ablating another head costs; undefined where there is no other. */
function othersLose(found: Found): number | undefined {
  const [, ...others] = byNeed(found);
  return others.length === 0 ? undefined : Math.max(...others.map(lostWithout));
}
/** How many components the keys of the needed head need, over the mean of the others; undefined where there is no other. */
function componentsOverOthers(found: Found): number | undefined {
  const [needed, ...others] = byNeed(found);
  return others.length === 0
    ? undefined
    : needed.components99 / mean(others.map(({ components99 }) => components99));
}

function betaView(result: UnreadResult, found: readonly Found[]) {
  const rows = found.flatMap(({ seed, names }) => names.map((name, i) => ({ seed, name, rank: i + 1 })));
  const figure = (line: string): Drawing[] => {
    const own = betaAlongLine.of(result, { at: { line } });
    const places = [...new Set(own.map(({ at }) => Number(at.place)))].toSorted((a, b) => a - b);
    if (places.length === 0) return [];
    const title = `Mean beta along a ${line}`;
    return [
      {
        kind: "drawing",
        title,
        drawing: matrixFigure({
          title,
          rowLabel: "seed: head",
          columnLabel: `tokens of a ${line}, from its first`,
          rows: rows.map(({ seed, name }) => `${seed}: ${name}`),
          columns: places.map((place) => own.find(({ at }) => at.place === place)?.note ?? ""),
          cells: rows.map(({ seed, rank }) =>
            places.map(
              (place) =>
                own.find((row) => row.seed === seed && row.at.rank === rank && row.at.place === place)?.values
                  .beta,
            ),
          ),
          ...{ from: 0, to: 2, digits: 2 },
        }),
      },
    ];
  };
  return {
    heading: "Which head reflects",
    text:
      "At each token a head multiplies its memory along the key by 1 \u2212 beta. Beta = 2 reflects it, and a swap is a reflection. For each seed, heads are in order of their largest mean beta at a token of a command. " +
      "If only one head is near 2, only that one can carry a permutation over many commands by reflections.",
    caption:
      "Mean over all programs; layer.head, both counted from 0. A swap is nine tokens. On reveals the same head may be near 2 as well.",
    figures: [...figure("command"), ...figure("reveal")],
  };
}

/** Each head of each seed: its beta, the components of its keys, and what is left without it (A, Fig. 5). */
export function headFigures(result: Pick<UnreadResult, "measurements" | "seeds">): Drawing[] {
  const found = foundIn(result);
  const names = [...new Set(found.flatMap(({ names }) => names))].toSorted();
  const figure = (title: string, [to, digits]: readonly number[], measured: (head: Head) => number) => ({
    kind: "drawing" as const,
    title,
    drawing: matrixFigure({
      ...{ title, rowLabel: "seed", columnLabel: "layer.head", columns: names },
      rows: found.map(({ seed }) => String(seed)),
      cells: found.map(({ heads, names: own }) => names.map((name) => measured(heads[own.indexOf(name)]))),
      ...{ from: 0, to, digits },
    }),
  });
  return [
    figure("Largest mean beta at a token of a command", [2, 2], ({ beta }) => beta),
    figure("Principal components of its keys", [32, 0], ({ components99 }) => components99),
    figure("Accuracy (%) without the head", [100, 0], (head) => 100 * leftWithout(head)),
  ];
}

const headsView = (result: UnreadResult) => ({
  heading: "Each head",
  text:
    "Each head is ablated in turn, in the whole program: its output is replaced by zeros, or by its mean over all programs, whichever leaves more. " +
    "If accuracy falls to a guess, tracking goes through that head. Two heads that replace each other would not be found by ablating one at a time.",
  caption: "layer.head, both counted from 0. Components: for 99 % of the variance.",
  figures: headFigures(result),
});

function keysView(result: UnreadResult) {
  const ranks = [...new Set(keyVariance.of(result).map(({ at }) => Number(at.rank)))];
  const figure: NumbersFigure = {
    kind: "numbers",
    title: "Key variance by number of components",
    yLabel: "cumulative share of variance",
    xLabel: "principal components",
    levels: [{ y: 0.99, label: "99 %" }],
    lines: ranks.map((rank, index) => ({
      label: `no. ${rank} by beta`,
      index,
      seeds: measuredLine(keyVariance.of(result, { at: { rank } }), "components", "share"),
    })),
  };
  return {
    heading: "Dimensions of the keys",
    text: "A head that only reflects along the directions between slots needs few components.",
    caption: "Strong line: mean over seeds.",
    figures: [figure],
  };
}

const source = `${A}, Fig. 5`;
const unlike = "four layers, trained on 12 commands; there a larger model";
const published: ClaimOf<unknown>[] = [
  {
    ...{ source, unlike },
    statement: "One head holds beta at 2 on every command",
    published: 2,
    agrees: (values) => Math.min(...values) > NEAR_2,
    here: "largest mean beta at a token of a command, over heads",
    unit: "number",
    measure: (result) => foundIn(result).map(({ heads }) => heads[0].beta),
  },
  {
    statement: "Accuracy without the head that is needed most",
    here: "at zero or at its mean, whichever leaves more",
    measure: (result) => foundIn(result).map((found) => leftWithout(byNeed(found)[0])),
  },
  {
    statement: "Its largest mean beta at a token of a command",
    unit: "number",
    measure: (result) => foundIn(result).map((found) => byNeed(found)[0].beta),
  },
  {
    statement: "The largest loss by ablating another head",
    here: "by zero or by its mean, whichever costs more",
    measure: (result) => foundIn(result).flatMap((found) => othersLose(found) ?? []),
  },
  {
    ...{ source, unlike },
    statement: "Its keys need far fewer principal components than those of other heads",
    here: "components for 99 % of the variance, relative to the mean of other heads",
    unit: "number",
    agrees: (values) => Math.max(...values) <= FAR_FEWER,
    measure: (result) => foundIn(result).flatMap((found) => componentsOverOthers(found) ?? []),
  },
];

interface Settings extends HeadlineSettings {
  readonly layers: number;
  /** The session that the heads read. */
  readonly read: readonly [commands: number, spacing: number];
}

const own: Record<Scale, Settings> = {
  smoke: { ...settings.smoke, layers: 1, read: [8, 2] },
  laptop: { ...settings.laptop, layers: 4, read: [512, 4] },
  paper: { ...settings.paper, layers: PAPER.model.layers, read: [512, 4] },
};

export const interpret = defineExperiment<Settings>({
  name: "interpret",
  question: "Which head of DeltaNet [-1,1] tracks the state, and how?",
  about: "Which head of a DeltaNet tracks?",
  publishedIn: "A, Fig. 5",
  models: described([TRACKER]),
  settings: own,
  published: published.map((claim) => ({ ...claim, models: [TRACKER] })),
  measurements: [wholeModel, heads, betaAlongLine, keyVariance],
  measureRun: measureHeads,

  plan(setup, seeds) {
    const plan = headlinePlan(setup, seeds);
    const { layers, read, variables } = setup;
    return {
      ...plan,
      runs: plan.runs
        .filter(({ model }) => model === TRACKER)
        .map((run) => ({
          ...run,
          config: { ...run.config, model: { ...run.config.model, layers } },
          tests: [...run.tests.filter(({ asTrained }) => asTrained), replTest(variables, ...read, false)],
        })),
    };
  },

  checks(result, { variables }) {
    const found = foundIn(result);
    const nearTwo = found.map(({ heads }) => heads.filter(({ beta }) => beta > NEAR_2).length);
    return [
      ...atLeast(
        "accuracy of the whole model",
        found.map(({ model }) => model.accuracy),
        tracks.least,
      ),
      ...check(
        "heads with a mean beta above 1.9 at a token of a command",
        "1",
        nearTwo,
        nearTwo.every((count) => count === 1),
        "number",
      ),
      ...atMost(
        "left without the head of the largest beta, above a guess",
        found.map(({ heads }) => leftWithout(heads[0]) - 1 / variables),
        SLIGHT,
      ),
      ...atMost(
        "lost without any other one head",
        found.flatMap((each) => othersLose(each) ?? []),
        SLIGHT,
      ),
      ...atMost(
        "components of its keys over those of other heads",
        found.flatMap((each) => componentsOverOthers(each) ?? []),
        FAR_FEWER,
        "number",
      ),
    ];
  },

  report(result) {
    const found = foundIn(result);
    return {
      views: [betaView(result, found), headsView(result), keysView(result)],
      untabled: [betaAlongLine.id, keyVariance.id],
      table: {
        table: {
          columns: ["seed", "head", "beta", "components", "accuracy without", "whole", "windowed"],
          rows: found.flatMap(({ seed, heads, names, model }) =>
            heads.map((head, i) => [
              i === 0 ? String(seed) : "",
              names[i],
              head.beta.toFixed(3),
              String(head.components99),
              percentSign(leftWithout(head)),
              ...(i === 0 ? [model.accuracy, windowed(model)].map(percentSign) : ["", ""]),
            ]),
          ),
        },
        legend: [
          "  head: layer.head, in order of beta: the largest mean at any token of a command; components: for 99 % of the variance",
          "  of its keys; accuracy without: with the head at zero or at its mean, whichever leaves more",
        ],
      },
    };
  },
});
