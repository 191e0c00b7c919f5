/** @file A trained model as one that is asked, in plain numbers: every architecture by its naive twin, loaded when it is needed. */

import { logitsNaive, type Rows, type Subject } from "../../src/models/naive.ts";
import { wordTokenizer } from "../../src/tasks/tokenizer.ts";
import type { Mind } from "./tasks.ts";

type Twin = { readonly subject: Pick<Subject, "twin" | "feedForwardGate"> };

export interface Thinking {
  /** Mixer's name and its fields, layers and width, as in a run's config.json. */
  readonly model: { readonly name: string; readonly layers: number } & Readonly<Record<string, unknown>>;
  /** tokens[id]. */
  readonly tokens: readonly string[];
  readonly weights: Readonly<Record<string, Rows>>;
}

/** @throws Error for an architecture that has no twin here. */
export async function loadModel({ model, tokens, weights }: Thinking): Promise<Mind> {
  // esbuild and Vite bundle every file that fits the pattern.
  const twin: Promise<Twin> = import(`../../src/models/${model.name}.naive.ts`);
  const { subject } = await twin.catch(() => {
    throw new Error(`${model.name} cannot be asked here`);
  });
  const tokenizer = wordTokenizer(tokens);
  return (text, values) => {
    const offered = new Map<string, Rows>(); // by one layer to those above it
    const logits = logitsNaive(
      tokenizer.encode(text),
      weights,
      model.layers,
      (x, own) => subject.twin(x, own, model as never, offered), // its own configuration, written by its own describeModel
      () => subject.feedForwardGate,
    );
    const last = logits[logits.length - 1];
    const held = values.map((value) => last[tokenizer.encode(value)[0]]);
    return held.indexOf(Math.max(...held));
  };
}

/** Numbers [.., width] as rows. */
export function tensorRows(data: ArrayLike<number>, shape: readonly number[]): number[][] {
  const width = shape.at(-1) ?? 1;
  return Array.from({ length: data.length / width }, (_, row) =>
    Array.from({ length: width }, (_, i) => data[row * width + i]),
  );
}
