/**
 * @file What each head of a trained tracker does, in numbers: how strongly it writes, along how many directions, and what
 * is lost without it.
 *
 *     by beta                1: the head with the largest mean beta at a token of a command, 2: the next, ...
 *     commands above 1.9     share of commands at which its beta is above 1.9 at that token
 *     components for 99 %    principal components that hold so much of the variance of its keys at commands, of so many
 *                            keys the first: keys read, keys there are
 *     accuracy at zero       of the model with what the head has read put to zero; at mean: to its mean over all programs
 *
 * Heads are ranked by beta alone, before any is silenced: that the first one is the one that is needed is a finding.
 */

import { ablateHeads, type Silenced } from "../../src/analysis/ablation.ts";
import { type BetaOfHead, betaOfHeads } from "../../src/analysis/beta.ts";
import { keysOfHeads } from "../../src/analysis/keys.ts";
import { type Recording, rowAt } from "../../src/analysis/recording.ts";
import { referencesOf } from "../../src/work/inspect/analyse.ts";
import { collect } from "../../src/work/inspect/collect.ts";
import { type TrainedRun, testAbout } from "../../src/work/run/trained.ts";
import type { Measurements, Measuring, PlannedRun } from "../engine/experiment.ts";
import { defineMeasurement } from "../engine/measurements.ts";

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
export const NEAR_2 = 1.9;

/** The records of all programs are held at once: so many commands in all. */
const COMMANDS = 20_000;
/** In place of a longer horizon, which would be the precision of float32. */
const LONGEST_HORIZON = 10_000;

/** Of the plan's last test. */
export async function* measureHeads(run: TrainedRun, { tests, config }: PlannedRun): Measuring {
  const { change } = tests.at(-1)!; // a run is planned with one
  const length = Number(change.commands ?? change.length ?? 1);
  const programs = Math.min(config.evaluate.programs, Math.ceil(COMMANDS / length));
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
  const of = Math.ceil(programs / 25) * 10; // a guess: two kinds of silence for each of four heads
  let step = await steps.next();
  for (let done = 0; !step.done; step = await steps.next()) yield { done: Math.min(++done, of), of };
  const { recording, ablation } = step.value;
  const { accuracy, questions, silenced } = ablation;
  return [
    wholeModel.row({ values: { accuracy, questions, ...(await referencesOf(run, test)) } }),
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

export const componentsFor = (explained: readonly number[], share: number) =>
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
