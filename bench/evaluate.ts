/**
 * @file How many programs a second a trained model is asked, by `statelab evaluate` and token by token.
 *
 *     npm run bench -- evaluate
 *
 * `evaluate` computes 25 whole programs by one graph that names nothing but what was right. What one would otherwise write
 * feeds the step decoder a token at a time and reads the answer where a value comes next: a program after the other, or
 * 25 side by side. All three take turns, each from the test to the answers, its graph built and compiled again; the ratio is of
 * medians. All must give the same answers, except if the two best logits are nearly equal.
 */

import { nearTie } from "../src/app/run/predictions.ts";
import { fail } from "../src/core/error.ts";
import { median } from "../src/core/statistics.ts";
import { modelNamed, parameterShapes } from "../src/models/index.ts";
import { textTable } from "../src/report/text-table.ts";
import { RunConfig } from "../src/schemas/run-config.ts";
import { exampleFrom, exampleStream } from "../src/tasks/example.ts";
import { taskNamed } from "../src/tasks/index.ts";
import { nodeRuntime } from "../src/tensor/session-node.ts";
import { openDecoder } from "../src/train/decoder.ts";
import { evaluate, freshExamples, type Test } from "../src/train/evaluate.ts";
import { createTrainer, type Trainer } from "../src/train/trainer.ts";
import type { BenchOptions } from "./lib/interleave.ts";

export interface EvaluateRow {
  readonly model: string;
  readonly programs: number;
  readonly reveals: number;
  /** That all three agree upon. */
  readonly accuracy: number;
  /** Programs a second, from medians: by whole programs, by tokens, by tokens of several programs side by side. */
  readonly whole: number;
  readonly tokens: number;
  readonly sideBySide: number;
  /** How many times faster whole programs are than the better of the two. */
  readonly ratio: number;
}

export interface EvaluateSizes {
  /** Steps of training: after them some answers are right and some wrong. */
  readonly steps: number;
  readonly width: number;
  readonly programs: number;
  readonly commands: number;
  readonly rounds: number;
}

const SIZES: EvaluateSizes = { steps: 60, width: 64, programs: 50, commands: 24, rounds: 3 };
export const MODELS = ["transformer", "deltanet", "lstm"] as const;
/** As many as `evaluate` takes at a time. */
const SIDE_BY_SIDE = 25;

export async function run({ json, signal }: BenchOptions): Promise<readonly EvaluateRow[]> {
  const rows: EvaluateRow[] = [];
  for (const model of MODELS) {
    if (signal.aborted) break;
    rows.push(await measure(model, SIZES, signal));
  }
  const columns = ["model", "programs/s, evaluate", "token by token", "25 side by side", "times faster"];
  const cells = rows.map(({ model, whole, tokens, sideBySide, ratio }) => [
    model,
    ...[whole, tokens, sideBySide].map((rate) => rate.toFixed(1)),
    ratio.toFixed(2),
  ]);
  console.log(
    json
      ? JSON.stringify({ version: 1, benchmark: "evaluate", rows }, null, 2)
      : textTable({ columns, rows: cells }),
  );
  return rows;
}

export async function measure(name: string, sizes: EvaluateSizes, signal: AbortSignal): Promise<EvaluateRow> {
  const trainer = await trained(name, sizes);
  try {
    const test: Test = {
      prepared: trainer.data.variant({}, "bench/evaluate"),
      tokenizer: trainer.data.tokenizer,
      stream: exampleStream(0, "bench/evaluate"),
      programs: sizes.programs,
      exclude: trainer.trained(),
    };
    const weights = { tree: parameterShapes(trainer.model), data: trainer.parameters };
    const whole = () => evaluate(trainer.model, weights, test, nodeRuntime(), SIDE_BY_SIDE);
    const times: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < sizes.rounds; round++) {
      signal.throwIfAborted();
      const { hits } = await timed(times[0], whole);
      for (const [i, slots] of [1, SIDE_BY_SIDE].entries()) {
        const answers = await timed(times[1 + i], () => askByTokens(trainer.model, weights, test, slots));
        checkSame(name, hits, answers);
      }
    }
    const { programs, reveals, accuracy } = await whole();
    const [byWhole, byTokens, sideBySide] = times.map((each) => (1000 * programs) / median(each));
    return {
      ...{ model: name, programs, reveals, accuracy, whole: byWhole, tokens: byTokens, sideBySide },
      ratio: byWhole / Math.max(byTokens, sideBySide),
    };
  } finally {
    await trainer.release();
  }
}

async function timed<T>(times: number[], ask: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await ask();
  times.push(performance.now() - start);
  return result;
}

async function trained(name: string, { steps, width, commands }: EvaluateSizes): Promise<Trainer> {
  const config = RunConfig.parse({
    task: { name: "repl", variables: 3, commands, spacing: 2 },
    model: { name, layers: 2, width },
    train: { steps, batch: 8 },
  });
  const [task, architecture] = [taskNamed("repl"), modelNamed(name)];
  const trainer = await createTrainer(config, {
    ...{ task, architecture, runtime: nodeRuntime(), now: () => performance.now() },
  });
  const records = trainer.steps();
  while (!(await records.next()).done);
  return trainer;
}

interface Answer {
  readonly hit: number;
  /** Between the two best logits, at the token where they are nearest. */
  readonly margin: number;
}

/** The baseline without a graph of whole programs: a loop over programs and reveals. */
async function askByTokens(
  model: Trainer["model"],
  weights: Parameters<typeof openDecoder>[1],
  test: Test,
  slots: number,
): Promise<Answer[][]> {
  const programs = freshExamples(test).map((place) => tokensOf(test, place));
  const context = Math.max(...programs.map(({ ids }) => ids.length));
  const decoder = await openDecoder(model, weights, nodeRuntime(), { slots, context });
  const answers: Answer[][] = [];
  try {
    for (let first = 0; first < programs.length; first += slots) {
      const some = programs.slice(first, first + slots);
      const found = some.map(({ reveals }) =>
        Array.from({ length: reveals }, () => ({ hit: 1, margin: Infinity })),
      );
      for (const slot of some.keys()) decoder.clear(slot);
      const last = Math.max(...some.map(({ revealAt }) => Math.max(...revealAt.keys())));
      for (let at = 0; at < last; at++) {
        decoder.positions.fill(at);
        for (const [slot, { ids }] of some.entries()) decoder.tokens[slot] = ids[at] ?? 0;
        const logits = await decoder.step();
        for (const [slot, { ids, revealAt }] of some.entries()) {
          const reveal = revealAt.get(at + 1);
          if (reveal === undefined) continue;
          const start = slot * model.vocabulary;
          const { best, lead } = twoBest(logits.subarray(start, start + model.vocabulary));
          const answer = found[slot][reveal];
          if (best !== ids[at + 1]) answer.hit = 0;
          answer.margin = Math.min(answer.margin, lead);
        }
      }
      answers.push(...found);
    }
    return answers;
  } finally {
    await decoder.release();
  }
}

/** A program's tokens, and where the tokens of its values stand: the number of the reveal by the place. */
function tokensOf({ prepared, tokenizer, stream }: Test, place: number) {
  const { text, reveals } = exampleFrom(prepared, stream(place));
  const ids: number[] = [];
  const revealAt = new Map<number, number>();
  let read = 0;
  for (const [i, { start, end }] of reveals.entries()) {
    ids.push(...tokenizer.encode(text.slice(read, start)));
    const value = tokenizer.encode(text.slice(start, end));
    for (const k of value.keys()) revealAt.set(ids.length + k, i);
    ids.push(...value);
    read = end;
  }
  return { ids, revealAt, reveals: reveals.length };
}

function twoBest(logits: Float32Array): { readonly best: number; readonly lead: number } {
  let [best, second] = [0, Number.NEGATIVE_INFINITY];
  for (let i = 1; i < logits.length; i++) {
    if (logits[i] > logits[best]) [best, second] = [i, logits[best]];
    else second = Math.max(second, logits[i]);
  }
  return { best, lead: logits[best] - second };
}

/** Errors: LabError where an answer differs that is no near tie, or was asked by one of both alone. */
export function checkSame(
  model: string,
  whole: readonly (readonly number[])[],
  byTokens: readonly (readonly Answer[])[],
): void {
  const asked = (programs: readonly (readonly unknown[])[]) => programs.map(({ length }) => length).join(" ");
  if (asked(whole) !== asked(byTokens))
    fail("bench/evaluate", `${model} to be asked the same`, asked(byTokens));
  for (const [i, hits] of whole.entries()) {
    for (const [k, hit] of hits.entries()) {
      const { hit: other, margin } = byTokens[i][k];
      if (hit !== other && margin >= nearTie)
        fail("bench/evaluate", `${model} to give the same answers token by token`, {
          program: i,
          reveal: k,
          margin,
        });
    }
  }
}
