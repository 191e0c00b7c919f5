/**
 * @file Hybrids: layers with different mixers, by a repeated pattern.
 *
 *     model:
 *       name: hybrid
 *       layers: 4
 *       pattern: [gated-deltanet, gated-deltanet, gated-deltanet, transformer]
 *       gated-deltanet: { heads: 4, betaMax: 2 }        # missing fields have the mixer's default
 *       transformer: { heads: 4 }
 *
 * Source: three recurrent layers and one of attention: Olmo Hybrid, arXiv:2604.03444.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import type { AnyMixer, Pattern } from "./model.ts";

type Config = { readonly pattern: readonly string[] } & Readonly<Record<string, unknown>>;

/** `mixers` by name: those allowed in a pattern. */
export function makeHybrid(mixers: Readonly<Record<string, AnyMixer>>): Pattern<Config> {
  const ownFields = Object.entries(mixers).map(([name, { config }]) => [name, config.optional()] as const);
  const config = z.strictObject({
    pattern: z
      .array(z.enum(Object.keys(mixers)))
      .min(1)
      .describe("Mixers of the layers, repeated up to the last layer"),
    ...Object.fromEntries(ownFields),
  });
  return {
    name: "hybrid",
    summary: "layers with different mixers, by a repeated pattern",
    source: "arXiv:2604.03444",
    config: config as unknown as z.ZodType<Config>, // the fields are the names of `mixers`, which are not known to the types
    arrange({ pattern, ...given }, layers, at) {
      if (pattern.length > layers)
        fail(at, `layers for the whole pattern, ${pattern.length} or more`, layers);
      for (const name of Object.keys(given))
        if (!pattern.includes(name))
          fail(at, `settings of ${[...new Set(pattern)].join(", ")} alone, as the pattern has it`, name);
      const filled = Object.fromEntries(
        pattern.map((name) => [name, mixers[name].config.parse(given[name] ?? {})]),
      );
      // One shared object for all layers of a name, so that kinds of layers can be counted by identity.
      const kinds = Object.fromEntries(
        pattern.map((name) => [name, { mixer: mixers[name], own: filled[name] }]),
      );
      return {
        own: { pattern, ...filled },
        mixers: Array.from({ length: layers }, (_, layer) => kinds[pattern[layer % pattern.length]]),
      };
    },
  };
}
