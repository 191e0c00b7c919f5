/**
 * @file S_3 with hand-set weights in two layers of a rotating memory (Mamba-3): rotations of one layer commute, and those of S_3 do
 * not.
 *
 *     c_t   the parity of the number of mirrors so far, as 1 or -1, tracked by the first layer
 *     N_t = F^c_t M_t           M_t the product of all words, F a mirror of the group: always a turn
 *     word g      N_t = F^c_t g F^c_{t-1} N_{t-1}: by a third, back by a third, or not at all
 *
 * The feed-forward layer between them is a table (construction.ts): for each word and each c one of the three rotations. A step of 2/3
 * with a tanh of 1 is exactly a third of a turn. The answer follows from three numbers: the rotated point, and c.
 *
 * Source: as delta-two-layer.ts.
 */

import {
  CONSTANT,
  type Construction,
  lookupWeights,
  normFactor,
  reflectionFrames,
  sparse,
} from "./construction.ts";
import { groupReflections } from "./group-reflections.ts";
import { CERTAIN, softplusInverse, turningMixer } from "./rotations.ts";

/** Columns of the width: words one by one, c as 1 or -1, the rotation of the second layer, and its output. */
const [WORD, PARITY, TURN, READ] = [1, 8, 9, 10];

export const constructRotationsTwoLayers: Construction["set"] = (d) => {
  const { mirrors } = groupReflections("S_3");
  const [frame] = mirrors.find((own) => own.length === 1)!; // F: a swap
  const { turnOf } = reflectionFrames(frame);
  const isMirror = (own: readonly unknown[]) => own.length % 2 === 1;
  const [embedding, head] = [sparse(1 + mirrors.length, d), sparse(d, 1 + mirrors.length)];
  for (let word = 0; word <= mirrors.length; word++) {
    embedding.at(word, CONSTANT, 1);
    embedding.at(word, WORD + word, 1);
  }
  const first = turningMixer(d, {
    factor: normFactor(Math.SQRT2, d),
    given: [
      { column: WORD, value: [1, 1] },
      ...mirrors.flatMap((own, g) => (isMirror(own) ? [{ column: WORD + 1 + g, turn: CERTAIN }] : [])),
    ],
    stepBias: softplusInverse(1),
    reads: [[0, PARITY]],
  });
  const turns = mirrors.flatMap((own, g) =>
    [0, 1].flatMap((c) => {
      const sign = Math.sign(Math.round(turnOf(own, c)));
      if (sign === 0) return [];
      return {
        asks: [[WORD + 1 + g, 1] as const, [PARITY, c === 0 ? 1 : -1] as const],
        ...{ needs: 1.4, surplus: 0.5 }, // the first layer's state decays to 0.9 at most
        length: Math.sqrt(3),
        gives: [[TURN, sign] as const],
      };
    }),
  );
  const second = turningMixer(d, {
    factor: normFactor(Math.sqrt(3), d), // of <s>
    given: [
      { column: WORD, value: [3 / 2, 3 / 2] }, // times the step: 1
      { column: TURN, turn: CERTAIN },
    ],
    stepBias: softplusInverse(2 / 3),
    reads: [
      [0, READ],
      [1, READ + 1],
    ],
  });
  for (const [g, own] of mirrors.entries()) {
    const c = Number(isMirror(own));
    const angle = turnOf(own, c); // like the first word after <s>
    head.at(READ, 1 + g, Math.cos(angle));
    head.at(READ + 1, 1 + g, -Math.sin(angle));
    head.at(PARITY, 1 + g, c === 0 ? 0.75 : -0.75);
  }
  const at = (layer: number, part: string, weights: object) =>
    Object.entries(weights).map(([name, rows]) => [`layers.${layer}.${part}${name}`, rows]);
  return {
    embedding: embedding.weight,
    head: head.weight,
    ...Object.fromEntries([
      ...at(0, "mixer.", first),
      ...at(0, "", lookupWeights(d, turns)),
      ...at(1, "mixer.", second),
    ]),
  };
};
