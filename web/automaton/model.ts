/** @file A trained model as one that is asked, in plain numbers: every architecture by its naive twin, loaded when it is needed. */

import type { MixerName } from "../../src/models/index.ts";
import { logitsNaive, type Rows, type Subject } from "../../src/models/naive.ts";
import { wordTokenizer } from "../../src/tasks/tokenizer.ts";
import type { Mind } from "./tasks.ts";

type Twin = Promise<{ readonly subject: Pick<Subject, "twin" | "feedForwardGate"> }>;

const twins: Readonly<Record<MixerName, () => Twin>> = {
  cached: () => import("../../src/models/cached.naive.ts"),
  deltanet: () => import("../../src/models/deltanet.naive.ts"),
  deltaproduct: () => import("../../src/models/deltaproduct.naive.ts"),
  fox: () => import("../../src/models/fox.naive.ts"),
  "gated-deltanet": () => import("../../src/models/gated-deltanet.naive.ts"),
  gka: () => import("../../src/models/gka.naive.ts"),
  gla: () => import("../../src/models/gla.naive.ts"),
  gmu: () => import("../../src/models/gmu.naive.ts"),
  gru: () => import("../../src/models/gru.naive.ts"),
  kda: () => import("../../src/models/kda.naive.ts"),
  lact: () => import("../../src/models/lact.naive.ts"),
  "log-linear": () => import("../../src/models/log-linear.naive.ts"),
  "long-convolution": () => import("../../src/models/long-convolution.naive.ts"),
  lstm: () => import("../../src/models/lstm.naive.ts"),
  mamba: () => import("../../src/models/mamba.naive.ts"),
  mamba2: () => import("../../src/models/mamba2.naive.ts"),
  mamba3: () => import("../../src/models/mamba3.naive.ts"),
  "mlstm-block": () => import("../../src/models/mlstm-block.naive.ts"),
  mlstm: () => import("../../src/models/mlstm.naive.ts"),
  path: () => import("../../src/models/path.naive.ts"),
  "pd-ssm": () => import("../../src/models/pd-ssm.naive.ts"),
  rnn: () => import("../../src/models/rnn.naive.ts"),
  rwkv7: () => import("../../src/models/rwkv7.naive.ts"),
  s4d: () => import("../../src/models/s4d.naive.ts"),
  s5: () => import("../../src/models/s5.naive.ts"),
  "sd-ssm": () => import("../../src/models/sd-ssm.naive.ts"),
  seqboat: () => import("../../src/models/seqboat.naive.ts"),
  "slstm-block": () => import("../../src/models/slstm-block.naive.ts"),
  slstm: () => import("../../src/models/slstm.naive.ts"),
  "sr-gru": () => import("../../src/models/sr-gru.naive.ts"),
  sse: () => import("../../src/models/sse.naive.ts"),
  transformer: () => import("../../src/models/transformer.naive.ts"),
};

export interface Thinking {
  /** Mixer's name and its fields, layers and width, as in a run's config.json. */
  readonly model: { readonly name: string; readonly layers: number } & Readonly<Record<string, unknown>>;
  /** tokens[id]. */
  readonly tokens: readonly string[];
  readonly weights: Readonly<Record<string, Rows>>;
}

/** @throws Error for an architecture that has no twin here. */
export async function mindOf({ model, tokens, weights }: Thinking): Promise<Mind> {
  if (!Object.hasOwn(twins, model.name)) throw new Error(`${model.name} cannot be asked here`);
  const { subject } = await twins[model.name as MixerName](); // it has a row
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
export function rowsOf(data: ArrayLike<number>, shape: readonly number[]): number[][] {
  const width = shape.at(-1) ?? 1;
  return Array.from({ length: data.length / width }, (_, row) =>
    Array.from({ length: width }, (_, i) => data[row * width + i]),
  );
}
