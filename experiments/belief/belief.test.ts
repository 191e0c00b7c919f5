/** @file The belief experiments: what they measure against arithmetic, references and exact posteriors; measured once. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deviation, referenceRows } from "../../src/analysis/belief/index.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed } from "../../src/tasks/index.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import type { Measurements, Measuring, PlannedWork, UnreadResult } from "../runner/index.ts";
import { madeResult } from "../runner/made.test-helper.ts";
import { measureOnce } from "../runner/part.ts";
import { beliefModels, marginalSurprises, natsAboveExact, partialsBefore } from "./belief-models.ts";
import { marginalAdversary } from "./marginal-adversary.ts";
import { filterNats, massDecay, massFall, underflow } from "./mass-decay.ts";

const root = tmpFolder("belief-experiments");

async function finished(measuring: Measuring): Promise<Measurements> {
  for (;;) {
    const step = await measuring.next();
    if (step.done) return step.value;
    expect(step.value.done).toBeLessThanOrEqual(step.value.of);
  }
}

test("mass-decay finds the reference's nats, the same rate by two routes, and float32's end where the rate says", async () => {
  const options = { variables: 5, probability: 0.5, spacing: 1, reveals: 2000, underflowEpisodes: 3 };
  const rows = await finished(massDecay.measureWork!({ setting: "", model: "joint", seed: 0, options }));
  const [{ nats }] = referenceRows;
  for (const [filter, published] of Object.entries(nats)) {
    const { values } = rows.find(({ name, model }) => name === filterNats.id && model === filter)!;
    const found = { mean: values.nats, standardError: values.standardError };
    expect(Math.abs(deviation(found, published)), filter).toBeLessThan(3);
  }
  const { values: mass } = rows.find(({ name }) => name === massFall.id)!;
  expect(Math.abs(mass.differenceInErrors)).toBeLessThan(3);
  const { values: float32 } = rows.find(
    ({ name, at }) => name === underflow.id && at?.precision === "float32",
  )!;
  expect(Math.abs(float32.normalMeasured / ((126 * Math.LN2) / 0.6) - 1)).toBeLessThan(0.1);
});

test("marginal-adversary finds ln 2 every two events against a written row, nothing against Sinkhorn with three variables", async () => {
  const worst = async (variables: number, length: number) => {
    const options = { variables, probability: 0.5, length, beam: 12 };
    const rows = await finished(marginalAdversary.measureWork!({ setting: "", model: "", seed: 0, options }));
    return Object.fromEntries(
      rows.flatMap((row) => (row.note === undefined ? [] : [[row.model, row.values.error]])),
    );
  };
  const [three, four] = [await worst(3, 8), await worst(4, 12)];
  expect([three.row, four.row].map((error) => error / Math.LN2)).toEqual([
    expect.closeTo(4, 9),
    expect.closeTo(6, 9),
  ]);
  expect(three.sinkhorn).toBe(0);
  expect(four.sinkhorn).toBeGreaterThan(0.5);
  expect(four["row+column"]).toBeGreaterThan(four.sinkhorn);
});

test("partial reveals are counted from the known start and from each full reveal", () => {
  const shown = (counts: readonly number[]) => ({
    reveals: counts.flatMap((count, i) =>
      Array.from({ length: count }, () => ({ start: 0, end: 0, variable: "a", value: "1", commands: i + 1 })),
    ),
  });
  expect(partialsBefore(shown([1, 1, 3, 1, 1]), 3)).toEqual([0, 1, 2, undefined, undefined, 0, 1]);
  expect(partialsBefore(shown([3, 3]), 3)).toEqual([0, undefined, undefined, 0, undefined, undefined]);
});

test("marginals pay what the exact filter pays at the first reveal, and Sinkhorn's are near it, but not it, at the third", () => {
  const prepared = prepareTask(taskNamed("pfsa"), {
    variables: 3,
    commands: 9,
    spacing: 3,
    probability: 0.25,
  });
  const stream = exampleStream(5, "test");
  const gaps: number[] = [];
  for (let i = 0; i < 60; i++) {
    const { text, reveals } = exampleFrom(prepared, stream(i));
    const exact = reveals.map(({ posterior, value }) => -Math.log(posterior![value]));
    for (const rule of ["row", "row+column", "sinkhorn"] as const) {
      // Hidden swaps alone are linear and exact, whatever the rule for a reveal is.
      expect(marginalSurprises(text, rule)[0]).toBeCloseTo(exact[0], 9);
    }
    gaps.push(marginalSurprises(text, "sinkhorn")[2] - exact[2]);
  }
  expect(Math.abs(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length)).toBeLessThan(0.05);
  expect(gaps.some((gap) => Math.abs(gap) > 1e-6)).toBe(true);
});

/** A result in which every model pays this much above the exact filter, in every seed. */
function made(above: Readonly<Record<string, number>>): UnreadResult {
  return madeResult(
    beliefModels,
    [],
    Object.entries(above).flatMap(([model, nats]) =>
      [0, 1].flatMap((seed) =>
        ["as trained", "beyond"].flatMap((kind) =>
          [2, 10.5, 28.5, 300].map((partials) => ({
            ...{ setting: "", model, seed, name: natsAboveExact.id, at: { test: kind, partials } },
            values: { nats: 0.5 + nats * partials, exact: 0.5, above: nats * partials, rowColumn: 0.1 },
          })),
        ),
      ),
    ),
  );
}

test("belief-models compares the nonlinear models with the better DeltaNet, and reads only what lies beyond training", () => {
  const others = { "deltanet[0,1]": 0.02, gru: 0.005, transformer: 0.04 };
  const agreeing = made({ ...others, "deltanet[-1,1]": 0.01, lstm: 0.001 });
  const [lstm] = beliefModels.published;
  // The mean of 10.5, 28.5 and 300 is 113; the better DeltaNet pays 0.01 a partial reveal, the LSTM 0.001.
  expect(lstm.measure!(agreeing)).toEqual([expect.closeTo(1.017, 9), expect.closeTo(1.017, 9)]);
  // At 0.5 nats a reveal float32 ends after 175 of them: 300 less 19.5.
  const behind = beliefModels.published.find(({ statement }) => statement.startsWith("LSTM falls behind"));
  expect(behind!.measure!(agreeing)).toEqual([expect.closeTo(0.2805, 9), expect.closeTo(0.2805, 9)]);
  const unmet = (result: UnreadResult) =>
    beliefModels.checks(result).flatMap(({ name, met }) => (met ? [] : [name]));
  expect(unmet(agreeing)).toContain(
    "Transformer: nats per reveal beyond training, over those of a uniform guess",
  );
  const contrary = made({ ...others, "deltanet[-1,1]": 0.001, lstm: 0.003 });
  expect(unmet(contrary)).toContain("LSTM: nats nearer the exact filter than the better DeltaNet");
});

test("what was measured is kept, and measured again only for other options or where the file is damaged", async () => {
  let measured = 0;
  const ask = (seed: number) => {
    const about: PlannedWork = { setting: "s", model: "m", seed, options: { length: 4 } };
    const measuring = function* (): Measuring {
      yield { done: 0, of: 1 };
      return [{ name: "n", values: { seed: measured++ } }];
    };
    const signal = new AbortController().signal;
    return measureOnce(measuring, { folder: root, name: "made", about, signal, onProgress: () => {} });
  };
  const first = await ask(0);
  expect(first).toEqual([{ setting: "s", model: "m", seed: 0, name: "n", at: {}, values: { seed: 0 } }]);
  expect(await ask(0)).toEqual(first);
  expect((await ask(1))[0].values).toEqual({ seed: 1 });
  const path = join(root, "measured", "made.json");
  writeFileSync(path, readFileSync(path, "utf8").slice(0, 40));
  expect((await ask(1))[0].values).toEqual({ seed: 2 });
  const stopped = new AbortController();
  stopped.abort();
  const about: PlannedWork = { setting: "s", model: "m", seed: 9, options: {} };
  const endless = function* (): Measuring {
    for (;;) yield { done: 0, of: 1 };
  };
  const asked = measureOnce(endless, {
    folder: root,
    name: "made",
    about,
    signal: stopped.signal,
    onProgress: () => {},
  });
  await expect(asked).rejects.toThrow("stopped");
});
