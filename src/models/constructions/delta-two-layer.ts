/**
 * @file S_3 and Z_3 set by hand in two layers of the delta rule, with one mirror a word: in one layer a turn, two mirrors, has no room.
 *
 *     c_t   whether the turns among the words so far are odd in number; the first layer holds it
 *     N_t = F^c_t M_t           M_t the product of all words, F any mirror of the group
 *     mirror g      N_t = F^c g F^c N_{t-1}                 c stays; one mirror
 *     turn g        N_t = F^(1-c) g F^c N_{t-1}             c was, and is 1 - c; again one mirror
 *
 * The feed-forward layer between them is a table (table.ts): for each word and each c the mirror that the second layer applies. That behind the
 * second layer is another one: for each N and c the element, M = F^c N.
 *
 * The second layer holds N_t as delta.ts holds M_t: o = [p - N_t' p, a constant that <s> has written], normalised. Of Tomita's language 6, which counts
 * modulo three, no first word stands before the symbols; each of them turns, so that c is the parity of their number.
 *
 * Source: the trick for dihedral groups: Siems et al. 2025, arXiv:2502.10297.
 */

import type { Rows } from "../naive.ts";
import {
  CONSTANT,
  dot,
  type Entry,
  framesOf,
  type Held,
  mirrored,
  normFactor,
  siluInverse,
  sparse,
  tableOf,
  unit,
  type Vector,
} from "./construction.ts";
import { heldParity, heldStrings, heldWords } from "./delta-rule.ts";
import { reflectionsOf } from "./group-reflections.ts";

/** What a mixer has besides: at `back` times a column of the normalised input stands its number. */
interface Besides {
  readonly extra: (d: number, constant: number) => Readonly<Record<string, Rows>>;
  /** By how much its gate multiplies what is read. */
  readonly gain: number;
}

/** So that sigmoid is 1 in float32: b is 2. */
const CERTAIN = 40;
/** Positive keys of any length are of length 1 exactly where they are one number. */
const LARGE = 100;
/** Of keys that may be negative: SiLU reaches no number below -0.278. */
const SCALE = 0.25;
/** Of values: what rounding leaves of a state of 0 is then far below the number that a norm adds. */
const SMALL = 0.05;
const HEADS = 2;

/** Columns of the width: words one by one, whether they turn, c, what becomes key and value of the second layer, what it reads, and what is told. */
const [WORD, TURN, STILL, PARITY, KEY, VALUE, REST, READ, TOLD] = [1, 8, 9, 10, 11, 14, 17, 18, 21];

/** The unit vector of the plane at so many degrees. */
const at = (degrees: number): Vector => [
  Math.cos((Math.PI * degrees) / 180),
  Math.sin((Math.PI * degrees) / 180),
];

/** How far the nearest two of these unit vectors are from being one: 1 less their product. */
const gapOf = (codes: readonly Vector[]) =>
  Math.min(...codes.flatMap((one, i) => codes.slice(i + 1).map((other) => 1 - dot(one, other))));

/** What is to be held, as the two layers and their tables need it. */
interface Plan {
  /** By word, whether it turns. */
  readonly turning: readonly boolean[];
  /** What becomes the key and the value of the second layer by SiLU, of a word with c behind it. */
  readonly moves: (word: number, c: number) => { readonly key: Vector; readonly value: Vector };
  /** The same of the query, of all words. */
  readonly query: Vector;
  /** Numbers that are read. */
  readonly reads: number;
  /** What may be read, of length 1, with the c of its element, and which of the columns told it then sets. */
  readonly found: readonly { readonly code: Vector; readonly c: number; readonly tells: number }[];
  /** How near any two of what may be read with one c come to each other: `gapOf`. */
  readonly gap: number;
  readonly head: (head: ReturnType<typeof sparse>) => void;
}

function twoLayers(
  { turning, moves, query, reads, found, gap, head: fill }: Plan,
  { extra, gain }: Besides,
): Held["set"] {
  return (d) => {
    const read = Math.sqrt(d / HEADS); // the length of what a norm leaves
    const embedding = sparse(turning.length, d);
    for (const [word, isTurn] of turning.entries()) {
      embedding.at(word, CONSTANT, 1);
      embedding.at(word, WORD + word, 1);
      embedding.at(word, isTurn ? TURN : STILL, 1);
    }
    const given = 3; // the square of an embedding's length

    // The first layer: its state is 0, or 2 k v' behind an odd number of turns, which its norm makes `read` long. With v of 1 what
    // rounding leaves of a state of 0 stays far below the number that the norm adds.
    const first = 1 / normFactor(Math.sqrt(given), d);
    const [counting, toParity] = [sparse(d, 3 * d), sparse(d, d)];
    counting.at(CONSTANT, 0, LARGE * first);
    counting.at(TURN, d, LARGE * first);
    counting.at(STILL, d + 1, LARGE * first);
    counting.at(TURN, 2 * d, siluInverse(1) * first);
    toParity.at(0, PARITY, 1 / (read * gain));

    // The table of mirrors. All that it writes is filled up to one length.
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

    // The table of elements: by what is read and c.
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
        ...Object.entries(tableOf(d, table)).map(([name, rows]) => [`layers.${at}.${name}`, rows]),
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

/** All words of S_3, of a model of two layers. */
export function heldInTwoLayers(besides: Besides = NOTHING_ELSE): Held["set"] {
  const { mirrors, point } = reflectionsOf("S_3");
  const [frame] = mirrors.find((own) => own.length === 1)!; // F: a swap
  const { framed, mirrorOf } = framesOf(frame);
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

/** Tomita's language 6: a 0 turns the plane by a third, a 1 back. Keys are positive, and mirrors exact, as in `heldStrings` (delta.ts). */
export function heldThirdsInTwoLayers(besides: Besides = NOTHING_ELSE): Held["set"] {
  const turns = [
    [at(15), at(75)],
    [at(75), at(15)],
  ];
  const { framed, mirrorOf } = framesOf(at(135)); // so that all mirrors of the second layer are at 15 and 75 degrees
  const point = at(20); // on none of them, nor across
  const elements = [[], ...turns];
  const codeOf = (own: readonly Vector[], c: number): Vector => {
    const image = own.toReversed().reduce<Vector>(mirrored, framed(c, point));
    return unit(point.map((each, i) => each - image[i]));
  };
  // p - N' p is 0 with c = 0 and no turn, where nothing is found.
  const codes = [0, 1].map((c) => elements.slice(1 - c).map((own) => codeOf(own, c)));
  return twoLayers(
    {
      turning: [true, true],
      moves(word, c) {
        const key = mirrorOf(turns[word], c).map(Math.abs); // k or -k is the same mirror, and both numbers have one sign
        return {
          key: key.map((each) => LARGE * each),
          value: key.map((each) => siluInverse(SMALL * each)),
        };
      },
      query: point.map((each) => LARGE * each),
      reads: point.length,
      found: turns.flatMap((own) => [0, 1].map((c) => ({ code: codeOf(own, c), c, tells: 0 }))),
      gap: Math.min(1, ...codes.map(gapOf)),
      head: (head) => {
        head.at(TOLD, 0, 1); // outside of the language
        head.at(CONSTANT, 1, LARGE / 2);
      },
    },
    besides,
  );
}

/** All that layers with the delta rule, two heads and eigenvalues down to -1 are set to: alone with one mirror a token, and in pairs. */
export function heldByReflections(besides: Besides = NOTHING_ELSE): readonly Held[] {
  const config = { heads: 2, betaMax: 2, convolution: 0 };
  const shape = { heads: 2, mirrors: 1 };
  const two = { ...config, layers: 2 };
  const { extra } = besides;
  return [
    { task: { name: "parity" }, config, set: heldParity(shape, extra) },
    ...["S_3", "S_5"].map((group) => ({
      task: { name: "group-words", group, generators: "swaps" },
      config,
      set: heldWords(group, shape, extra),
    })),
    { task: { name: "tomita", language: 5 }, config, set: heldStrings(5, shape, extra) },
    { task: { name: "group-words", group: "S_3" }, config: two, set: heldInTwoLayers(besides) },
    { task: { name: "tomita", language: 6 }, config: two, set: heldThirdsInTwoLayers(besides) },
  ];
}
