/**
 * @file Conformance checks of a model; each returns an error sentence. Used by the conformance suite, and by `statelab check` and
 * `train` for a user's model.
 *
 *     causal        logits at t do not change with the token at t + 1
 *     step          step by step the logits equal those of the whole sequence
 *     batch         a row's logits do not depend on the other rows
 *     packed        packed sessions have the same logits as separate ones, if the mixer declares that it packs
 *     deterministic the same seed gives the same parameters, the same parameters the same logits
 *     gradient      dL/dp along random directions is (L(p + h r) - L(p - h r)) / 2h
 */

import { rngFrom } from "../../core/rng.ts";
import { compile, crossEntropy, flattenParameters, Graph, grad, type Runtime } from "../../tensor/index.ts";
import {
  applyModel,
  initialParameters,
  type Model,
  type ModelParameters,
  mixerTraits,
  parameterShapes,
} from "../index.ts";
import { furthest, parallelRunner, parameterData, runParallel, runSteps, tokensBelow } from "./run.ts";

interface ExaminedModel {
  readonly model: Model;
  /** Of order 1, so that every part contributes. */
  readonly tree: ModelParameters;
  readonly runtime: Runtime;
}

export interface ModelCheck {
  /** A second or less for a small model: runs before every training of a user's file. */
  readonly cheap: boolean;
  /** Why the check does not apply to this model; undefined if it does. */
  readonly skips?: (model: Model) => string | undefined;
  /** An error message, or undefined. */
  readonly examine: (examined: ExaminedModel) => Promise<string | undefined>;
}

/** Relative to the largest logit: tolerance for float32 rounding. */
const tolerance = 1e-4;
const largest = (logits: readonly number[][][]) => Math.max(1, ...logits.flat(2).map(Math.abs));
const tokensFor = ({ model }: ExaminedModel, label: string, batch: number, length: number) =>
  tokensBelow(model.vocabulary, rngFrom(1).fork(label), batch, length);

async function causal(examined: ExaminedModel): Promise<string | undefined> {
  const { model, tree, runtime } = examined;
  const length = 13;
  const [tokens] = tokensFor(examined, "causal", 1, length);
  const runner = await parallelRunner(runtime, model, tree, 1, length);
  try {
    const { logits: before } = await runner.run([tokens]);
    for (const changed of [1, 6, length - 1]) {
      const { logits: after } = await runner.run([
        tokens.with(changed, (tokens[changed] + 1) % model.vocabulary),
      ]);
      for (let at = 0; at < changed; at++) {
        const difference = furthest(after[0][at], before[0][at]);
        if (difference > 1e-6 * largest(before)) {
          return `the logits at position ${at} change by ${difference.toPrecision(2)} with the token at position ${changed}, which comes later`;
        }
      }
    }
    return undefined;
  } finally {
    await runner.release();
  }
}

async function stepIsSequence(examined: ExaminedModel): Promise<string | undefined> {
  const { model, tree, runtime } = examined;
  const length = 11;
  const tokens = tokensFor(examined, "step", 2, length);
  const whole = await runParallel(runtime, model, tree, tokens);
  const steps = await runSteps(runtime, model, tree, tokens, length);
  for (let at = 0; at < length; at++) {
    const difference = furthest(
      steps.logits.map((row) => row[at]),
      whole.logits.map((row) => row[at]),
    );
    if (difference > tolerance * largest(whole.logits)) {
      return `at position ${at} the logits of \`step\` differ by ${difference.toPrecision(2)} from those of \`apply\``;
    }
  }
  return undefined;
}

async function batchRows(examined: ExaminedModel): Promise<string | undefined> {
  const { model, tree, runtime } = examined;
  const tokens = tokensFor(examined, "batch", 3, 8);
  const together = await runParallel(runtime, model, tree, tokens);
  const runner = await parallelRunner(runtime, model, tree, 1, 8);
  try {
    for (const [row, sequence] of tokens.entries()) {
      const { logits } = await runner.run([sequence]);
      const difference = furthest(together.logits[row], logits[0]);
      if (difference > tolerance * largest(together.logits)) {
        return `row ${row} of a batch has logits that differ by ${difference.toPrecision(2)} from what it has alone`;
      }
    }
    return undefined;
  } finally {
    await runner.release();
  }
}

/** Lengths of packed sessions; only the last one may be cut off. */
const SESSIONS = [4, 1, 7, 3];

async function packed(examined: ExaminedModel): Promise<string | undefined> {
  const { model, tree, runtime } = examined;
  const length = SESSIONS.reduce((sum, each) => sum + each, 0);
  const [tokens] = tokensFor(examined, "packed", 1, length);
  const fresh = SESSIONS.flatMap((each) => [1, ...new Array<number>(each - 1).fill(0)]);
  const together = await runParallel(runtime, model, tree, [tokens], { fresh: [fresh] });
  let start = 0;
  for (const [session, own] of SESSIONS.entries()) {
    const end = start + own;
    const { logits } = await runParallel(runtime, model, tree, [tokens.slice(start, end)]);
    const difference = furthest(together.logits[0].slice(start, end), logits[0]);
    if (difference > tolerance * largest(logits)) {
      return `session ${session} of a row has logits that differ by ${difference.toPrecision(2)} from what it has alone, though \`packs\` is declared`;
    }
    start = end;
  }
  return undefined;
}

async function deterministic(examined: ExaminedModel): Promise<string | undefined> {
  const { model, tree, runtime } = examined;
  const drawn = () => flattenParameters(initialParameters(model, rngFrom(5)));
  const [first, second] = [drawn(), drawn()];
  const shapes = new Map(
    flattenParameters(parameterShapes(model)).map(([path, { shape }]) => [path, String(shape)]),
  );
  for (const [i, [path, { shape, data }]] of first.entries()) {
    if (String(shape) !== shapes.get(path)) return `the shape of ${path} depends on what is drawn`;
    const again = second[i]?.[1].data;
    if (again === undefined || data.some((each, j) => !Object.is(each, again[j]))) {
      return `\`init\` gives other numbers for ${path} when it is called again with the same seed`;
    }
  }
  const tokens = tokensFor(examined, "deterministic", 2, 7);
  const [one, other] = [
    await runParallel(runtime, model, tree, tokens),
    await runParallel(runtime, model, tree, tokens),
  ];
  return furthest(one.logits, other.logits) === 0
    ? undefined
    : "the same parameters and tokens give other logits when they are run again";
}

const directions = 3;

async function gradients(examined: ExaminedModel): Promise<string | undefined> {
  const { model, tree, runtime } = examined;
  const [rows, length] = [2, 7];
  const tokens = tokensFor(examined, "gradient", rows, length + 1);
  const inputs = Int32Array.from(tokens.flatMap((row) => row.slice(0, -1)));
  const targets = Int32Array.from(tokens.flatMap((row) => row.slice(1)));
  const graph = new Graph();
  const parameters = graph.parameters(parameterShapes(model));
  const logits = applyModel(model, parameters, graph.input("tokens", [rows, length], "int32"));
  const weights = graph.constant(new Float32Array(rows * length).fill(1), [rows, length]);
  const loss = crossEntropy(logits, graph.input("targets", [rows, length], "int32"), weights);
  const paths = flattenParameters(tree).map(([path]) => path);
  const asked = paths.map((path) => graph.inputs.find(({ name }) => name === path)!); // each was declared above
  const found = Object.fromEntries(
    grad(loss, asked).map((gradient, i) => [`gradient.${paths[i]}`, gradient]),
  );
  const run = await compile(graph, { logits, ...found }, runtime);
  const numbers = parameterData(tree);
  /** From the logits, in float64: only the model rounds to float32. */
  const lossOf = (values: Float32Array) => meanLoss(values, targets);
  try {
    const feeds = { tokens: inputs, targets };
    const at: Readonly<Record<string, unknown>> = await run.run({ ...numbers, ...feeds });
    for (const path of paths) {
      const rng = rngFrom(2).fork(path);
      const own = numbers[path];
      const gradient = at[`gradient.${path}`] as Float32Array; // of a float32 parameter
      const size = Math.sqrt(gradient.reduce((sum, each) => sum + each * each, 0));
      for (let k = 0; k < directions; k++) {
        // Unit directions; the first is the gradient, along which a wrong factor is most visible.
        const random = Float64Array.from(own, () => (rng.below(2) === 0 ? 1 : -1) / Math.sqrt(own.length));
        const direction = k === 0 && size > 0 ? Float64Array.from(gradient, (each) => each / size) : random;
        const moved = async (by: number) => {
          const values = Float32Array.from(own, (each, i) => each + by * direction[i]);
          const { logits: after } = await run.run({ ...numbers, [path]: values, ...feeds });
          return lossOf(after as Float32Array);
        };
        const slopeBy = async (h: number) => ((await moved(h)) - (await moved(-h))) / (2 * h);
        const claimed = direction.reduce((sum, each, i) => sum + each * gradient[i], 0);
        let said: number | undefined;
        // A strongly curved loss is linear only close by; if float32 rounding dominates at that distance, the check is skipped.
        for (const h of [5e-3, 1e-3, 2.5e-4]) {
          const noise = 4e-6 / h;
          if (said !== undefined && noise > 0.05 * Math.abs(claimed)) break;
          const [narrow, wide] = [await slopeBy(h), await slopeBy(2 * h)];
          const slope = (4 * narrow - wide) / 3; // removes the third-order term in h
          // If the two slopes differ, the loss is too curved for a reliable estimate.
          const allowed =
            2e-4 + 0.02 * Math.max(Math.abs(slope), Math.abs(claimed)) + 2 * Math.abs(narrow - wide);
          said = slope;
          if (Math.abs(slope - claimed) <= allowed) {
            said = undefined;
            break;
          }
        }
        if (said !== undefined) {
          return `the gradient of ${path} says ${claimed.toPrecision(3)} where finite differences say ${said.toPrecision(3)}`;
        }
      }
    }
    return undefined;
  } finally {
    await run.release();
  }
}

function meanLoss(logits: Float32Array, targets: Int32Array): number {
  const width = logits.length / targets.length;
  const losses = Array.from(targets, (target, i) => {
    const row = Array.from(logits.subarray(i * width, (i + 1) * width));
    const most = Math.max(...row);
    return most + Math.log(row.reduce((sum, each) => sum + Math.exp(each - most), 0)) - row[target];
  });
  return losses.reduce((sum, each) => sum + each, 0) / losses.length;
}

/** By user-facing name. */
export const modelChecks = {
  causal: { cheap: true, examine: causal },
  "step equals sequence": { cheap: true, examine: stepIsSequence },
  "batch rows independent": { cheap: true, examine: batchRows },
  "packed sessions independent": {
    cheap: true,
    skips: ({ mixers }) =>
      mixers.every(({ mixer }) => mixer.packs) ? undefined : "it does not say that it packs sessions",
    examine: packed,
  },
  deterministic: { cheap: true, examine: deterministic },
  "gradients against finite differences": {
    cheap: false,
    skips: (model) =>
      model.mixers.some((layer) => mixerTraits(layer).choices)
        ? "it chooses, and declares that its gradient is not a slope"
        : undefined,
    examine: gradients,
  },
} as const satisfies Record<string, ModelCheck>;
