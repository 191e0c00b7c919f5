/**
 * @file A mixture in training: when a window ends, measures the losses of the parts that the policy observes, and chooses the shares
 * of the next window.
 *
 *     step 1         128 | 129        256 | 257
 *     shares .5 .5       | .6 .4          | .7 .3
 *     losses before      after = before   after
 */

import { exampleStream, rngFrom } from "../../core/rng.ts";
import { applyModel, parameterShapes } from "../../models/index.ts";
import { batchWriter, emptyBatch } from "../../tasks/batch.ts";
import { type Compiled, compile, crossEntropy, Graph, type Runtime } from "../../tensor/index.ts";
import type { Feeds } from "../../tensor/session.ts";
import type { TrainingData } from "../data.ts";
import { diverged } from "../diverged.ts";
import type { Setup } from "../setup.ts";
import { mixed } from "./mixture-task.ts";
import type { Window } from "./samplers/policy.ts";

export interface Mixer {
  /** Opens the window of a step if it is not open yet, and returns its records. */
  before(step: number, stage: number, weights: Feeds): Promise<Readonly<Record<string, number>>>;
  release(): Promise<void>;
}

export function mixtureTrainer(
  { config, model }: Setup,
  data: TrainingData,
  runtime: Runtime,
): Mixer | undefined {
  const mixture = config.data?.mixture;
  if (mixture === undefined || data.policy === undefined) return undefined;
  const { policy, params } = data.policy;
  const rng = rngFrom(config.seed).fork("mixture");
  const { window: every, examples: programs } = mixture;
  const rows = Math.min(programs, config.train.batch);
  let asking: { readonly stage: number; readonly run: Compiled<"loss"> } | undefined;

  async function lossOf(stage: number, part: number, weights: Feeds): Promise<number> {
    const { length, parts, prepared } = data.stages[stage];
    if (asking?.stage !== stage) {
      await asking?.run.release();
      const graph = new Graph();
      const [tokens, targets] = ["tokens", "targets"].map((name) =>
        graph.input(name, [rows, length], "int32"),
      );
      const asked = graph.input("weights", [rows, length]);
      const logits = applyModel(model, graph.parameters(parameterShapes(model)), tokens);
      asking = {
        stage,
        run: await compile(graph, { loss: crossEntropy(logits, targets, asked) }, runtime),
      };
    }
    const { run } = asking;
    const batch = emptyBatch(rows, length);
    const write = batchWriter(mixed([parts[part]], prepared, "data.mixture.parts"), data.tokenizer);
    const stream = exampleStream(config.seed, `mixture ${parts[part].label}`);
    const own = Object.fromEntries(
      run.inputs.flatMap(({ name }) => (weights[name] === undefined ? [] : [[name, weights[name]]])),
    );
    let [total, count] = [0, 0];
    for (let first = 0; first < programs; first += rows) {
      write(batch, stream, first);
      const asked = batch.weights.reduce((sum, weight) => sum + weight, 0);
      if (asked === 0) continue; // its mean is 0 / 0
      const { tokens, targets } = batch;
      const { loss } = await run.run({ ...own, tokens, targets, weights: batch.weights });
      total += asked * Number(loss[0]);
      count += asked;
    }
    return count === 0 ? 0 : total / count;
  }

  return {
    async before(step, stage, weights) {
      const { windows } = data.shares;
      const last = windows.at(-1);
      const isOpen = last?.stage === stage && step - last.from < every;
      if (isOpen) return {};
      const known = new Map<number, number>();
      const looksAt = async (part: number) => {
        const loss = known.get(part) ?? (await lossOf(stage, part, weights));
        if (!Number.isFinite(loss)) diverged(step, `loss of ${data.stages[stage].parts[part].label}`, loss);
        known.set(part, loss);
        return loss;
      };
      const closed = windows.slice(0, -1);
      // Another stage has other programs: the losses after its last window are unknown.
      if (last !== undefined)
        closed.push(last.stage === stage ? { ...last, after: await each(last.looked, looksAt) } : last);
      const next = await opened(closed, step, stage, looksAt);
      data.shares.load([...closed, next]);
      return Object.fromEntries(
        data.stages[stage].parts.map(({ label }, i) => [`share.${label}`, next.shares[i]]),
      );
    },
    async release() {
      await asking?.run.release();
      asking = undefined;
    },
  };

  async function opened(
    closed: readonly Window[],
    step: number,
    stage: number,
    looksAt: (part: number) => Promise<number>,
  ): Promise<Window> {
    const { parts } = data.stages[stage];
    const there = parts.flatMap(({ variants }, i) => (variants.length === 0 ? [] : [i]));
    const of = (all: readonly number[]) => there.map((i) => all[i]);
    const total = there.reduce((sum, i) => sum + parts[i].share, 0);
    const past = {
      given: there.map((i) => parts[i].share / total),
      windows: closed
        .filter((window) => window.stage === stage)
        .map((window) => ({
          ...window,
          shares: of(window.shares),
          looked: window.looked.map((i) => there.indexOf(i)),
        })),
      done: (step - 1) / config.train.steps,
    };
    const chosen = policy.choose(past, rng.fork(closed.length), params);
    const looked = chosen.looked.map((i) => there[i]);
    const shares = parts.map((_, i) => chosen.shares[there.indexOf(i)] ?? 0);
    return { from: step, stage, shares, looked, before: await each(looked, looksAt), after: [] };
  }
}

/** Sequential, since the parts share a session. */
async function each<T>(parts: readonly number[], ask: (part: number) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (const part of parts) found.push(await ask(part));
  return found;
}
