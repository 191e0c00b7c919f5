/**
 * @file The settings of each trained parameter. Later lines change earlier ones; of each list the first group that matches counts:
 *
 *     all             train.beta1, train.beta2; train.weightDecay for matrices, 0 for vectors: norms, biases, log rates, skips
 *     tables, starts  weightDecay 0 for embeddings, convolutions and trained initial states
 *     the mixer's     `groups` of its definition, as in its source
 *     train.groups
 *
 * Source: decay by kind as in the code of Mamba (decay rates, skips), xLSTM (embeddings, norms, biases) and S4 (frequencies, steps).
 */

import { fail } from "../../core/error.ts";
import type { LayerMixer } from "../../models/model.ts";
import type { ParameterGroup, TrainConfig } from "../../schemas/run-config.ts";
import type { Shape } from "../../tensor/index.ts";

/** AdamW's settings for one parameter; its rate is that of the step times `learningRateRatio`. */
export type Settings = Readonly<Record<Exclude<keyof ParameterGroup, "match">, number>>;

const UNDECAYED: ParameterGroup = { match: "*embedding|*convolution|initialState.*", weightDecay: 0 };

/** The settings of each range, in order. Errors: LabError for a group of the configuration that matches no trained parameter. */
export function settingsOf(
  ranges: readonly { readonly path: string; readonly shape: Shape }[],
  { beta1, beta2, weightDecay, groups = [] }: Pick<TrainConfig, "beta1" | "beta2" | "weightDecay" | "groups">,
  mixers: readonly LayerMixer[],
): Settings[] {
  const unused = groups.findIndex(({ match }) => !ranges.some(({ path }) => matches(match, path)));
  if (unused !== -1) {
    const known = new Set(ranges.map(({ path }) => path.replace(/\.\d+\./, ".*.")));
    fail(`train.groups.${unused}.match`, `a pattern of ${[...known].join(", ")}`, groups[unused].match);
  }
  return ranges.map(({ path, shape }) => {
    const [, layer, own] = /^layers\.(\d+)\.mixer\.(.*)$/.exec(path) ?? [];
    const found = [
      first([UNDECAYED], path),
      own === undefined ? undefined : first(mixers[Number(layer)]?.mixer.groups ?? [], own),
      first(groups, path),
    ];
    const usual = { learningRateRatio: 1, weightDecay: shape.length >= 2 ? weightDecay : 0, beta1, beta2 };
    return Object.assign({}, usual, ...found) as Settings;
  });
}

const first = (groups: readonly ParameterGroup[], path: string) =>
  groups.find(({ match }) => matches(match, path));

/** Whether a path fits one of the patterns between |, in which * is any characters. */
function matches(patterns: string, path: string): boolean {
  return patterns.split("|").some((pattern) => {
    const [start, ...pieces] = pattern.split("*");
    const end = pieces.pop();
    if (end === undefined) return path === pattern;
    if (!path.startsWith(start)) return false;
    let at = start.length;
    for (const piece of pieces) {
      const found = path.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return path.endsWith(end) && path.length - end.length >= at;
  });
}
