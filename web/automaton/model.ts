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

/** Logits of tokens, [token][vocabulary], by the twin of the architecture. @throws Error for one that has none here. */
export async function loadLogits({ model, weights }: Pick<Thinking, "model" | "weights">) {
  const { subject } = await twinOf(model.name);
  return (ids: readonly number[]): number[][] => {
    const offered = new Map<string, Rows>(); // by one layer to those above it
    return logitsNaive(
      ids,
      weights,
      model.layers,
      (x, own) => subject.twin(x, own, model as never, offered), // its own configuration, written by its own describeModel
      () => subject.feedForwardGate,
    );
  };
}

/** @throws Error for an architecture that has no twin here. */
export async function loadModel({ tokens, ...rest }: Thinking): Promise<Mind> {
  const logits = await loadLogits(rest);
  const tokenizer = wordTokenizer(tokens);
  return (text, values) => {
    const last = logits(tokenizer.encode(text)).at(-1)!;
    const held = values.map((value) => last[tokenizer.encode(value)[0]]);
    return held.indexOf(Math.max(...held));
  };
}

async function twinOf(name: string): Promise<Twin> {
  try {
    // esbuild and Vite bundle every file that fits the pattern; esbuild throws for another name before there is a promise.
    return await import(`../../src/models/${name}.naive.ts`);
  } catch (cause) {
    throw new Error(`${name} has no implementation for this page`, { cause });
  }
}

/** Numbers [.., width] as rows. */
export function tensorRows(data: ArrayLike<number>, shape: readonly number[]): number[][] {
  const width = shape.at(-1) ?? 1;
  return Array.from({ length: data.length / width }, (_, row) =>
    Array.from({ length: width }, (_, i) => data[row * width + i]),
  );
}
