/** @file What the conformance suite needs to know of every mixer: its twin says it, src/models/NAME.naive.ts. */

import { existsSync } from "node:fs";
import { small } from "./conformance.test-helper.ts";
import type { MixerName } from "./index.ts";
import { mixers } from "./index.ts";
import type { LayerMixer } from "./model.ts";
import type { Fields, Remember, Rows, Subject, Weights } from "./naive.ts";

export const subjects: Readonly<Record<string, Subject>> = Object.fromEntries(
  await Promise.all(
    Object.keys(mixers).map(async (name): Promise<[string, Subject]> => {
      const twin = new URL(`./${name}.naive.ts`, import.meta.url);
      if (!existsSync(twin))
        throw new Error(
          `${name} has no naive twin: write src/models/${name}.naive.ts (docs/how-to/add-a-model.md)`,
        );
      // By its whole address: a list of files made when this one was compiled would not have a new twin.
      const { subject } = await import(/* @vite-ignore */ twin.href);
      return [name, subject];
    }),
  ),
);

/** A linear layer and one of attention; a pattern that ends in its middle; and blocks with other feed-forward layers. */
const hybrids = [
  { pattern: ["gated-deltanet", "transformer"], transformer: { heads: 1 } },
  { layers: 3, pattern: ["slstm", "mamba"], mamba: { stateSize: 3 } },
  { pattern: ["mlstm-block", "slstm-block"], "slstm-block": { heads: 2 } },
];

export const configsToTest = [
  ...Object.entries(subjects).flatMap(([name, { configs }]) =>
    configs.map((config) => ({
      name: "pattern" in config ? ("hybrid" as const) : (name as MixerName),
      config,
    })),
  ),
  ...hybrids.map((config) => ({ name: "hybrid" as const, config })),
];

/** The same with their models, for `describe.each`. */
export const casesToTest = configsToTest.map(({ name, config }) => ({
  ...{ name, config, shown: JSON.stringify(config), model: small(name, config) },
}));

/** The subject of a layer, with the layer's configuration filled in. */
export function subjectOf({ mixer, own }: LayerMixer, d: number, layer = 0) {
  const subject = subjects[mixer.name];
  const fields = own as Fields; // of other types are only fields from which no size follows
  const heads = fields.heads ?? 1;
  const headWidth = subject.headWidth?.(d, fields) ?? d / heads;
  return {
    heads,
    twin: (x: Rows, weights: Weights, offered: Map<string, Rows>, remember?: Remember) =>
      subject.twin(x, weights, own as never, offered, remember), // its own twin
    gate: subject.feedForwardGate,
    readBy: subject.readBy ?? "out",
    parameters: subject.parameters(d, fields, layer),
    taps: (B: number, T: number): Record<string, number[]> => ({
      ...subject.taps(B, T, d, fields),
      heads: [B, T, heads, headWidth],
      residual: [B, T, d],
    }),
  };
}
