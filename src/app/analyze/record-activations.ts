/**
 * @file Runs a trained model over fresh programs and keeps what analyses read: `Recording` (analysis/recording.ts), and
 * the same programs asked again with a head silenced.
 */

import { meanReading } from "../../analysis/ablation.ts";
import type { AblatedForward, Asked, Program, Recording, Tap } from "../../analysis/recording.ts";
import { itemsInTurns } from "../../core/rotations.ts";
import { mixerTraits } from "../../models/index.ts";
import { idsOfValues } from "../../tasks/batch/rows.ts";
import { maximumLength } from "../../tasks/batch.ts";
import { freshInTurns, type Test } from "../../train/evaluate.ts";
import type { TrainedRun } from "../run/open.ts";
import { type Forward, openForward, silencing } from "./forward.ts";
import { programFrom } from "./programs.ts";

/** Programs in one run of the model. */
const ROWS = 25;

/** As much of a trained run as is needed to run its model. */
export type ReadModel = Pick<TrainedRun, "model" | "tree" | "weights" | "runtime">;

interface Collected {
  readonly recording: Recording;
  readonly forward: Forward;
  /** tokens[i] are those of program i, filled up with zeros. */
  readonly tokens: readonly Int32Array[];
  /** First tokens of the task's values, in their order. */
  readonly valueTokens: readonly number[];
  readonly ask: AblatedForward;
  /** Runs programs given as tokens, ROWS at a time, and hands out each result with the place of its first program. */
  each(
    programs: readonly Int32Array[],
    changes: Readonly<Record<string, Float32Array>> | undefined,
    take: (results: Readonly<Record<string, Float32Array>>, first: number, count: number) => void,
  ): Promise<void>;
}

/**
 * `tick` is called after each run of the model, with how many of this reading of the programs are done; it may throw to stop.
 * `read` are the taps that are kept: NAME of all layers, or `layers.L.NAME`.
 */
export async function collect(
  run: ReadModel,
  test: Test,
  tick: (done: number, of: number) => Promise<void>,
  read: readonly string[],
): Promise<Collected> {
  const { prepared, tokenizer } = test;
  const trained = maximumLength(prepared, tokenizer);
  const places = await freshInTurns(test);
  const programs: Program[] = [];
  for await (const place of itemsInTurns(places, test.pause))
    programs.push(programFrom(prepared, tokenizer, test.stream(place), trained));
  const length = programs.reduce((most, program) => Math.max(most, program.tokens.length), trained);
  const idOf = new Map(tokenizer.tokens.map((token, id) => [token, id]));
  const tokens = programs.map((program) => {
    const ids = new Int32Array(length);
    for (const [t, token] of program.tokens.entries()) ids[t] = idOf.get(token)!; // they came from this tokenizer
    return ids;
  });
  const valueTokens = idsOfValues(prepared, tokenizer).map(([first]) => first);
  const rows = Math.min(ROWS, Math.max(1, programs.length));
  const forward = await openForward(run, rows, length, (name) =>
    read.some((each) => name === each || name.endsWith(`.${each}`)),
  );
  const each: Collected["each"] = async (list, changes, take) => {
    const batch = new Int32Array(rows * length);
    for (let first = 0; first < list.length; first += rows) {
      const count = Math.min(rows, list.length - first);
      for (let row = 0; row < rows; row++) batch.set(list[first + Math.min(row, count - 1)], row * length);
      take(await forward.run(batch, changes), first, count);
      await tick(Math.ceil((first + count) / rows), Math.ceil(list.length / rows));
    }
  };
  const taps: Record<string, Tap & { readonly data: Float32Array }> = Object.fromEntries(
    Object.entries(forward.taps).map(([name, [, ...rest]]) => {
      const shape = [programs.length, ...rest];
      return [name, { shape, data: new Float32Array(shape.reduce((product, each) => product * each, 1)) }];
    }),
  );
  const answers: number[][] = [];
  await each(tokens, undefined, (results, first, count) => {
    for (const [name, { shape, data }] of Object.entries(taps)) {
      const stride = data.length / shape[0];
      data.set(results[name].subarray(0, count * stride), first * stride);
    }
    answers.push(...answersOf(results.logits, programs.slice(first, first + count), forward, valueTokens));
  });
  const ask: AblatedForward = async (silenced) => {
    const tap = silenced && taps[`layers.${silenced.layer}.heads`];
    const changes =
      silenced &&
      tap &&
      silencing(
        silenced,
        [rows, ...tap.shape.slice(1)],
        silenced.kind === "mean" ? meanReading(tap, programs, silenced.head) : undefined,
      );
    const asked: Asked[] = [];
    await each(tokens, changes, ({ logits }, first, count) => {
      const own = programs.slice(first, first + count);
      for (const [i, row] of answersOf(logits, own, forward, valueTokens).entries()) {
        const { questions } = own[i];
        asked.push({
          asked: questions.length,
          right: questions.filter(({ value }, k) => row[k] === value).length,
        });
      }
    });
    return asked;
  };
  const layers = run.model.mixers.map(mixerTraits);
  const { values, automaton } = prepared;
  const recording = { layers, values, programs, taps, answers, ...(automaton && { automaton }) };
  return { recording, forward, tokens, valueTokens, ask, each };
}

/** The value whose word is the most probable of all words, at each question; -1 where that word is no value. */
function answersOf(
  logits: Float32Array,
  programs: readonly Program[],
  { length, vocabulary }: Forward,
  valueTokens: readonly number[],
): number[][] {
  return programs.map(({ questions }, i) =>
    questions.map(({ position }) => {
      const start = (i * length + position) * vocabulary;
      const row = logits.subarray(start, start + vocabulary);
      return valueTokens.indexOf(row.indexOf(Math.max(...row)));
    }),
  );
}
