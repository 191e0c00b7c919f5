/**
 * @file Snapping: replaces a recurrent model's state at the end of each command by the nearest of a few prototypes.
 *
 *     fit       prototype of a task state = mean recurrent state after commands that lead to it, on separate programs
 *     snapped   recurrent state -> nearest prototype (Euclidean), then the next command
 *
 * Snapping stops drift, but removes what a model stores besides the task state (where a line began, earlier tokens). A snap is wrong
 * if the nearest prototype belongs to another state than the true one. Source: ours; Ran et al. 2023
 * (PRDC, arXiv:2305.13569) draw a policy to the nearest state of its data while it is trained.
 */

import type { Program } from "../../analysis/recording.ts";
import { fail } from "../../core/error.ts";
import { itemsInTurns } from "../../core/rotations.ts";
import { growingStates } from "../../models/stack.ts";
import { idsOfValues } from "../../tasks/batch/rows.ts";
import { maximumLength } from "../../tasks/batch.ts";
import { openDecoder } from "../../train/decoder.ts";
import { freshInTurns, type Test } from "../../train/evaluate.ts";
import { programFrom } from "./programs.ts";
import type { ReadModel } from "./record-activations.ts";

/** Programs that are read side by side. */
const SLOTS = 25;

export interface Snapping {
  /** Prototypes: states that the programs of the fit have come to. */
  readonly prototypes: number;
  /** Share of right answers, as the model is and with snapping. */
  readonly plain: number;
  readonly snapped: number;
  readonly snaps: number;
  /** Share of the snaps. */
  readonly wrong: number;
}

/** At the end of a command: what is carried, and the state that is there. */
type AtEnd = (carried: Readonly<Record<string, Float32Array>>, state: string) => void;

/** Errors: LabError for a model that keeps its whole past, of which there is no prototype. */
export async function measureSnapping(
  run: ReadModel,
  { fit, test }: { fit: Test; test: Test },
): Promise<Snapping> {
  const growing = Object.keys(growingStates(run.model));
  if (growing.length > 0)
    fail("snapping", "a model that carries a state of constant size", `one that keeps ${growing.join(", ")}`);
  const sums = new Map<string, { readonly sum: Float64Array; count: number }>();
  await readThrough(run, fit, (carried, state) => {
    const all = flat(carried);
    const known = sums.get(state) ?? { sum: new Float64Array(all.length), count: 0 };
    for (const [i, value] of all.entries()) known.sum[i] += value;
    known.count++;
    sums.set(state, known);
  });
  const prototypes = [...sums].map(([state, { sum, count }]) => ({
    state,
    at: sum.map((each) => each / count),
  }));
  if (prototypes.length === 0) fail("snapping", "programs with commands to fit prototypes to", "none");
  let [snaps, wrong] = [0, 0];
  const snap: AtEnd = (carried, state) => {
    const { state: nearest, at } = nearestTo(flat(carried), prototypes);
    let from = 0;
    for (const array of Object.values(carried)) {
      array.set(at.subarray(from, from + array.length));
      from += array.length;
    }
    snaps++;
    if (nearest !== state) wrong++;
  };
  const plain = await readThrough(run, test, () => {});
  const snapped = await readThrough(run, test, snap);
  return { prototypes: prototypes.length, plain, snapped, snaps, wrong: wrong / Math.max(1, snaps) };
}

interface Prototype {
  readonly state: string;
  readonly at: Float64Array;
}

function nearestTo(carried: Float64Array, prototypes: readonly Prototype[]): Prototype {
  let [best, least] = [prototypes[0], Number.POSITIVE_INFINITY];
  for (const each of prototypes) {
    let distance = 0;
    for (let i = 0; i < carried.length && distance < least; i++) distance += (carried[i] - each.at[i]) ** 2;
    if (distance < least) [best, least] = [each, distance];
  }
  return best;
}

const flat = (carried: Readonly<Record<string, Float32Array>>) =>
  Float64Array.from(Object.values(carried).flatMap((array) => [...array]));

/** Reads the programs token by token; the share of right answers. */
async function readThrough(run: ReadModel, test: Test, atEnd: AtEnd): Promise<number> {
  const { prepared, tokenizer } = test;
  const context = maximumLength(prepared, tokenizer);
  const programs: Program[] = [];
  for await (const place of itemsInTurns(await freshInTurns(test), test.pause))
    programs.push(programFrom(prepared, tokenizer, test.stream(place), context));
  const idOf = new Map(tokenizer.tokens.map((token, id) => [token, id]));
  const valueTokens = idsOfValues(prepared, tokenizer).map(([first]) => first);
  const slots = Math.min(SLOTS, Math.max(1, programs.length));
  const decoder = await openDecoder(run.model, { tree: run.tree, data: run.weights }, run.runtime, {
    slots,
    context,
  });
  let [right, asked] = [0, 0];
  try {
    for (let first = 0; first < programs.length; first += slots) {
      const read = programs.slice(first, first + slots);
      const longest = Math.max(...read.map(({ tokens }) => tokens.length));
      for (let slot = 0; slot < slots; slot++) decoder.clear(slot);
      for (let t = 0; t < longest; t++) {
        for (const [slot, { tokens }] of read.entries()) {
          decoder.tokens[slot] = t < tokens.length ? idOf.get(tokens[t])! : 0; // they came from this tokenizer
          decoder.positions[slot] = t;
        }
        const logits = await decoder.step();
        for (const [slot, program] of read.entries()) {
          const row = logits.subarray(slot * decoder.vocabulary, (slot + 1) * decoder.vocabulary);
          for (const { value } of askedAt(program, t)) {
            asked++;
            if (row.indexOf(Math.max(...row)) === valueTokens[value]) right++;
          }
          const state = stateEndingAt(program, t);
          if (state !== undefined) atEnd(decoder.carried(slot), state);
        }
      }
    }
  } finally {
    await decoder.release();
  }
  return right / Math.max(1, asked);
}

const askedAt = ({ questions }: Program, t: number) => questions.filter(({ position }) => position === t);

/** The state after token t, if a command ends there. */
function stateEndingAt({ ends, states }: Program, t: number): string | undefined {
  const i = ends.indexOf(t);
  return i < 1 ? undefined : states[i].join(" ");
}
