/**
 * @file S_3 with hand-set weights in two delta-rule layers, with one mirror per word: one layer cannot represent a turn, which
 * takes two.
 *
 *     c_t   the parity of the number of turns so far, tracked by the first layer
 *     N_t = F^c_t M_t           M_t the product of all words, F any mirror of the group
 *     mirror g      N_t = F^c g F^c N_{t-1}                 c stays; one mirror
 *     turn g        N_t = F^(1-c) g F^c N_{t-1}             c was, and is 1 - c; again one mirror
 *
 * The feed-forward layer between them is a table (construction.ts): for each word and each c the mirror that the second layer applies.
 * The one after the second layer maps each N and c to the element, M = F^c N.
 *
 * The second layer represents N_t as delta-rule.ts does M_t: o = [p - N_t' p, a constant written by <s>], normalized.
 *
 * Source: the trick for dihedral groups: Siems et al. 2025, arXiv:2502.10297.
 */

import type { Rows } from "../naive.ts";
import {
  CONSTANT,
  type Construction,
  dot,
  type Entry,
  lookupWeights,
  mirrored,
  normFactor,
  reflectionFrames,
  siluInverse,
  sparse,
  unit,
  type Vector,
} from "./construction.ts";
import { constructParity, constructWords } from "./delta-rule.ts";
import { groupReflections } from "./group-reflections.ts";

/** Additional weights of a mixer, at `back` times a column of the normalized input. */
interface Besides {
  readonly extra: (d: number, constant: number) => Readonly<Record<string, Rows>>;
  /** The factor of its gate on the output. */
  readonly gain: number;
}

/** So that sigmoid is 1 in float32: b is 2. */
const CERTAIN = 40;
/** Positive keys with one nonzero entry have length exactly 1, whatever its size. */
const LARGE = 100;
/** For keys that may be negative: SiLU's range starts at -0.278. */
const SCALE = 0.25;
const HEADS = 2;

/** Columns of the width: words one by one, whether they turn, c, key and value of the second layer, its output, and the answer. */
const [WORD, TURN, STILL, PARITY, KEY, VALUE, REST, READ, TOLD] = [1, 8, 9, 10, 11, 14, 17, 18, 21];

/** The smallest separation of these unit vectors: 1 minus the largest product. */
const gapOf = (codes: readonly Vector[]) =>
  Math.min(...codes.flatMap((one, i) => codes.slice(i + 1).map((other) => 1 - dot(one, other))));

/** The group, as the two layers and their tables need it. */
interface Plan {
  /** By word, whether it turns. */
  readonly turning: readonly boolean[];
  /** The preimages of key and value of the second layer under SiLU, for a word with c after it. */
  readonly moves: (word: number, c: number) => { readonly key: Vector; readonly value: Vector };
  /** The same for the query of all words. */
  readonly query: Vector;
  /** Number of output values. */
  readonly reads: number;
  /** Possible outputs of length 1, with the c of their element, and the answer columns that they set. */
  readonly found: readonly { readonly code: Vector; readonly c: number; readonly tells: number }[];
  /** Separation of the possible outputs with equal c: `gapOf`. */
  readonly gap: number;
  readonly head: (head: ReturnType<typeof sparse>) => void;
}

function twoLayers(
  { turning, moves, query, reads, found, gap, head: fill }: Plan,
  { extra, gain }: Besides,
): Construction["set"] {
  return (d) => {
    const read = Math.sqrt(d / HEADS); // length after a norm
    const embedding = sparse(turning.length, d);
    for (const [word, isTurn] of turning.entries()) {
      embedding.at(word, CONSTANT, 1);
      embedding.at(word, WORD + word, 1);
      embedding.at(word, isTurn ? TURN : STILL, 1);
    }
    const given = 3; // squared length of an embedding

    // The first layer: its state is 0, or 2 k v' after an odd number of turns, whose norm has the length of `read`. With v of 1,
    // rounding errors of a zero state are far below the epsilon of the norm.
    const first = 1 / normFactor(Math.sqrt(given), d);
    const [counting, toParity] = [sparse(d, 3 * d), sparse(d, d)];
    counting.at(CONSTANT, 0, LARGE * first);
    counting.at(TURN, d, LARGE * first);
    counting.at(STILL, d + 1, LARGE * first);
    counting.at(TURN, 2 * d, siluInverse(1) * first);
    toParity.at(0, PARITY, 1 / (read * gain));

    // The table of mirrors. Its outputs are padded to one length.
    const cases = turning.flatMap((_, word) =>
      [0, 1].map((c) => {
        const { key, value } = moves(word, c);
        const written = [
          ...key.map((each, i) => [KEY + i, each] as const),
          ...value.map((each, i) => [VALUE + i, each] as const),
        ];
        const square = given + c + written.reduce((sum, [, each]) => sum + each ** 2, 0);
        return { word, c, written, square };
      }),
    );
    const whole = Math.max(...cases.map(({ square }) => square));
    const mirrors = cases.map(({ word, c, written, square }) => ({
      asks: [[WORD + word, 1] as const, [PARITY, c === 1 ? 1 : -1] as const],
      needs: c === 1 ? 1.5 : 0.5,
      surplus: 0.5,
      length: Math.sqrt(given + c),
      gives: [...written, [REST, Math.sqrt(whole - square)] as const],
    }));

    // The second layer.
    const second = 1 / normFactor(Math.sqrt(whole), d);
    const [moving, toRead] = [sparse(d, 3 * d), sparse(d, d)];
    for (const [i, each] of query.entries()) {
      moving.at(CONSTANT, i, each * second);
      moving.at(KEY + i, d + i, second);
      moving.at(VALUE + i, 2 * d + i, second);
    }
    for (let i = 0; i < reads; i++) toRead.at(i, READ + i, 1 / gain);

    // The table of elements: by output and c.
    const elements = found.map(({ code, c, tells }) => ({
      asks: [...code.map((each, i) => [READ + i, each / read] as const), [PARITY, c === 1 ? 2 : -2] as const],
      needs: (c === 1 ? 3 : 1) - gap / 2,
      surplus: gap / 2,
      length: Math.sqrt(whole + read ** 2),
      gives: [[TOLD + tells, LARGE] as const],
    }));
    const head = sparse(d, turning.length);
    fill(head);

    const layer = (at: number, back: number, qkv: Rows, out: Rows, table: readonly Entry[]) => {
      const beta = sparse(d, HEADS);
      for (let j = 0; j < HEADS; j++) beta.at(CONSTANT, j, CERTAIN * back);
      const mixer = { qkv, out, beta: beta.weight, ...extra(d, back) };
      return Object.fromEntries([
        ...Object.entries(mixer).map(([name, rows]) => [`layers.${at}.mixer.${name}`, rows]),
        ...Object.entries(lookupWeights(d, table)).map(([name, rows]) => [`layers.${at}.${name}`, rows]),
      ]);
    };
    return {
      embedding: embedding.weight,
      head: head.weight,
      ...layer(0, first, counting.weight, toParity.weight, mirrors),
      ...layer(1, second, moving.weight, toRead.weight, elements),
    };
  };
}

const NOTHING_ELSE: Besides = { extra: () => ({}), gain: 1 };

/** All words of S_3, for a model of two layers. */
function heldInTwoLayers(besides: Besides = NOTHING_ELSE): Construction["set"] {
  const { mirrors, point } = groupReflections("S_3");
  const [frame] = mirrors.find((own) => own.length === 1)!; // F: a swap
  const { framed, mirrorOf } = reflectionFrames(frame);
  const small = (x: Vector) => x.map((each) => siluInverse(SCALE * each));
  const codeOf = (own: readonly Vector[], c: number): Vector => {
    const image = own.toReversed().reduce<Vector>(mirrored, framed(c, point));
    return unit([...point.map((each, i) => each - image[i]), 1]);
  };
  return twoLayers(
    {
      turning: [false, ...mirrors.map((own) => own.length % 2 === 0)], // <s>, then the elements
      moves(word, c) {
        const key = small(word === 0 ? [0, 0, 1] : [...mirrorOf(mirrors[word - 1], c), 0]); // <s> writes the constant
        return { key, value: key };
      },
      query: small([...point, 1 / 2]),
      reads: point.length + 1,
      found: mirrors.flatMap((own, element) =>
        [0, 1].map((c) => ({ code: codeOf(own, c), c, tells: element })),
      ),
      gap: gapOf(mirrors.map((own) => codeOf(own, 0))), // the same six with c = 1
      head: (head) => {
        for (const element of mirrors.keys()) head.at(TOLD + element, 1 + element, 1);
      },
    },
    besides,
  );
}

/** Constructions for layers with the delta rule, two heads and eigenvalues down to -1: alone with one mirror per token, and in pairs. */
export function constructReflections(besides: Besides = NOTHING_ELSE): readonly Construction[] {
  const config = { heads: 2, betaMax: 2, convolution: 0 };
  const shape = { heads: 2, mirrors: 1 };
  const two = { ...config, layers: 2 };
  const { extra } = besides;
  return [
    { task: { name: "parity" }, config, set: constructParity(shape, extra) },
    ...["S_3", "S_5"].map((group) => ({
      task: { name: "group-words", group, generators: "swaps" },
      config,
      set: constructWords(group, shape, extra),
    })),
    { task: { name: "group-words", group: "S_3" }, config: two, set: heldInTwoLayers(besides) },
  ];
}
