/** @file What `interpret` measures, against the evaluation and closed forms, and what it says of made-up results. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { parityPrograms, recordingOf, tapOf } from "../../src/analysis/recording.test-helper.ts";
import { askRun, openTrainedRun } from "../../src/app/run/open.ts";
import { trainRun } from "../../src/app/run/train.ts";
import { rngFrom } from "../../src/core/rng.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import type { Measurements, UnreadResult } from "../runner/index.ts";
import { madeResult } from "../runner/made.test-helper.ts";
import {
  betaAlongLine,
  heads as eachHead,
  interpret,
  keyVariance,
  rowsOfHeads,
  wholeModel,
} from "./interpret.ts";

const root = tmpFolder("interpret");

test("the model that is silenced is the one that is asked: both are right as often, on the same programs", async () => {
  const folder = join(root, "run");
  const [planned] = interpret.plan({ scale: "smoke" }, [3]).runs;
  const config = { ...planned.config, train: { ...planned.config.train, steps: 6, warmupSteps: 1 } };
  await trainRun(folder, config, { signal: new AbortController().signal });
  const run = await openTrainedRun(folder);
  const measuring = interpret.measureRun!(run, { ...planned, config });
  let rows: Measurements = [];
  for (let shown = 0; ; shown++) {
    const step = await measuring.next();
    if (!step.done) {
      expect(step.value.done).toBeLessThanOrEqual(step.value.of);
      continue;
    }
    // Read, whole, two heads silenced in two ways; 40 programs are two runs of the model.
    expect(shown).toBe((1 + 1 + 2 * 2) * 2);
    rows = step.value;
    break;
  }
  const [model] = rows.filter(({ name }) => name === wholeModel.id);
  const { evaluation, references } = await askRun(run, planned.tests.at(-1)!.change, 40); // by another graph
  expect(model.values.accuracy).toBeCloseTo(evaluation.accuracy, 12);
  expect(model.values.questions).toBe(evaluation.reveals);
  expect(model.values.windowedBayes).toBeCloseTo(references.windowedBayes.accuracy, 12);
  const heads = rows.filter(({ name }) => name === eachHead.id).map(({ values }) => values);
  expect(heads).toHaveLength(2);
  for (const head of heads) {
    for (const kind of ["Zero", "Mean"])
      expect(head[`lostAt${kind}`]).toBeCloseTo(evaluation.accuracy - head[`accuracyAt${kind}`], 12);
  }
}, 60_000);

test("heads are ranked by beta, with what their numbers were made of", () => {
  const rng = rngFrom(3);
  const programs = parityPrograms(20, 10, rng);
  // Head 1 reflects at nine bits of ten, along two directions, one three times as often; head 0 writes along all four.
  const betas = (t: number) => [1.2, t % 10 === 9 ? 1.8 : 1.98];
  const direction = (t: number) => (t % 4 === 0 ? [1, 0, 0, 0] : [0, 1, 0, 0]);
  const recording = recordingOf(programs, {
    "layers.0.beta": tapOf(programs, [2], (_, t) => betas(t)),
    "layers.0.key": tapOf(programs, [2, 4], (_, t) => [
      ...Array.from({ length: 4 }, () => rng.normal()),
      ...direction(t),
    ]),
  });
  const silenced = [0, 1].flatMap((head) =>
    (["zero", "mean"] as const).map((kind) => ({
      ...{ layer: 0, head, kind, accuracy: 0.9 - 0.4 * head, drop: 0.4 * head },
      ...{ interval: [0, 1] as const, dropInterval: [0, 1] as const },
    })),
  );
  const rows = rowsOfHeads(recording, silenced);
  const [first, second] = rows.filter(({ name }) => name === eachHead.id);
  expect([first.note, second.note]).toEqual(["0.1", "0.0"]);
  expect(first.values.beta).toBeCloseTo(0.9 * 1.98 + 0.1 * 1.8, 5);
  expect(first.values.commandsNear2).toBeCloseTo(0.9, 12);
  expect([first.values.lostAtZero, second.values.lostAtMean]).toEqual([0.4, 0]);
  // Two directions make one line of differences from the mean; four of noise need all four.
  expect([first, second].map(({ values }) => values.components99)).toEqual([1, 4]);
  const kept = Math.exp(0.9 * Math.log(0.98) + 0.1 * Math.log(0.8));
  expect(first.values.horizon).toBeCloseTo(Math.log(0.5) / Math.log(kept), 3);
});

interface Head {
  readonly beta: number;
  readonly left: number;
  readonly components: number;
  /** Points of a share that are lost at zero and at the mean, where it is not what follows from `left`. */
  readonly lost?: readonly [number, number];
}

/** A result with these heads in both of its seeds, of a model that is right in 98 % where the windowed filter is in 50 %. */
function made(heads: readonly Head[]): UnreadResult {
  const row = { setting: "", model: "deltanet[-1,1]" };
  return madeResult(
    interpret,
    [],
    [0, 1].flatMap((seed) => [
      {
        ...row,
        seed,
        name: wholeModel.id,
        at: {},
        values: { accuracy: 0.98, questions: 100, windowedBayes: 0.5 },
      },
      ...heads.flatMap(({ beta, left, components, lost = [0.99 - left, 0.98 - left] }, i) => [
        {
          ...{ ...row, seed, name: eachHead.id, at: { rank: i + 1 }, note: `0.${i}` },
          values: {
            ...{ beta, commandsNear2: beta > 1.9 ? 1 : 0, horizon: 50 },
            ...{ accuracyAtZero: left - 0.01, accuracyAtMean: left },
            ...{ lostAtZero: lost[0], lostAtMean: lost[1] },
            components99: components,
          },
        },
        {
          ...{
            ...row,
            seed,
            name: betaAlongLine.id,
            at: { line: "command", rank: i + 1, place: 0 },
            note: ">>>",
          },
          values: { beta },
        },
        { ...row, seed, name: keyVariance.id, at: { rank: i + 1, components: 1 }, values: { share: 1 } },
      ]),
    ]),
  );
}

const values = (result: UnreadResult) => interpret.published.map(({ measure }) => measure!(result)[0]);
/** The names of the expectations that are not met. */
const unmet = (result: UnreadResult) =>
  interpret.checks(result).flatMap(({ name, met }) => (met ? [] : [name]));

test("a made-up tracker with one head near 2 agrees with the paper, and nothing is said against it", () => {
  const agreeing = made([
    { beta: 1.99, left: 0.33, components: 10 },
    { beta: 1.3, left: 0.97, components: 15 },
    { beta: 1.1, left: 0.98, components: 25 },
  ]);
  expect(values(agreeing)).toEqual([1.99, 0.33, 1.99, expect.closeTo(0.02, 9), expect.closeTo(0.5, 9)]);
  expect(unmet(agreeing)).toEqual([]);
});

test("what silencing any other head costs is the larger of its two losses, uncut", () => {
  const first = { beta: 1.99, left: 0.33, components: 10 };
  const of = (...lost: [number, number][]) =>
    made([first, ...lost.map((each) => ({ beta: 1.2, left: 0.97, components: 20, lost: each }))]);
  const most = 3; // the fourth claim
  expect(interpret.published[most].statement).toContain("ablating another head");
  expect(values(of([0.002, 0.015], [0.004, 0.003]))[most]).toBeCloseTo(0.015, 12);
  expect(values(of([-0.002, -0.003], [-0.004, -0.001]))[most]).toBeCloseTo(-0.001, 12);
  expect(values(of())[most]).toBeUndefined();
  // Idle at one kind of silence alone is not idle.
  expect(unmet(of([0.2, 0.01]))).toEqual(["lost without any other one head"]);
});

test("fewer components than others is no agreement with far fewer", () => {
  const heads = (components: number) =>
    made([
      { beta: 1.99, left: 0.33, components },
      { beta: 1.2, left: 0.97, components: 20 },
    ]);
  expect(unmet(heads(14))).toEqual(["components of its keys over those of other heads"]);
  expect(unmet(heads(10))).toEqual([]);
});

test("where two heads share the work, or none comes near 2, each disagreement is a check that is not met", () => {
  const shared = made([
    { beta: 1.8, left: 0.7, components: 20 },
    { beta: 1.3, left: 0.8, components: 10 },
  ]);
  expect(unmet(shared)).toEqual([
    "heads with a mean beta above 1.9 at a token of a command",
    "left without the head of the largest beta, above a guess",
    "lost without any other one head",
    "components of its keys over those of other heads",
  ]);
});

test("the plan is the headline's DeltaNet [-1,1] with four layers; its heads read 512 commands with a reveal every 4", () => {
  const { runs } = interpret.plan({ scale: "laptop" }, [0, 1]);
  expect(runs.map(({ model, config, tests }) => [model, config.model.layers, tests.at(-1)!.name])).toEqual([
    ["deltanet[-1,1]", 4, "512/4"],
    ["deltanet[-1,1]", 4, "512/4"],
  ]);
});
