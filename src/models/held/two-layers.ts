/**
 * @file S_3 and Z_3 set by hand in two layers of the delta rule, with one mirror a word: in one layer a turn, two mirrors, has no room.
 *
 *     c_t   whether the turns among the words so far are odd in number; the first layer holds it
 *     N_t = F^c_t M_t           M_t the product of all words, F any mirror of the group
 *     mirror g      N_t = F^c g F^c N_{t-1}                 c stays; one mirror
 *     turn g        N_t = F^(1-c) g F^c N_{t-1}             c was, and is 1 - c; again one mirror
 *
 * The feed-forward layer between them is a table: for each word and each c the mirror that the second layer applies. That behind the
 * second layer is another one: for each N and c the element, M = F^c N. A unit of a table is silu(L (sum of what it asks - what it needs)), which is
 * L times the surplus where all is there, and 0 where something is missing.
 *
 * The second layer holds N_t as delta.ts holds M_t: o = [p - N_t' p, a constant that <s> has written], normalised. Of Tomita's language 6, which counts
 * modulo three, no first word stands before the symbols; each of them turns, so that c is the parity of their number.
 *
 * Source: the trick for dihedral groups: Siems et al. 2025, arXiv:2502.10297.
 */

import type { Rows } from "../naive.ts";
import { reflectionsOf } from "./group-reflections.ts";
import { type Held, normFactor, siluInverse, sparse } from "./held.ts";

type Vector = readonly number[];

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
const SCALE = 0.25;
/** Of values: what rounding leaves of a state of 0 is then far below the number that a norm adds. */
const SMALL = 0.05;
const HEADS = 2;

/** Columns of the width. */
const CONSTANT = 0;
const WORD = 1;
const [WORDS, ELEMENTS, SIZE] = [7, 6, 2]; // <s> and the elements; dimensions of the plane
const TURN = WORD + WORDS;
const STILL = TURN + 1;
const PARITY = STILL + 1;
const KEY = PARITY + 1;
const KEYS = SIZE + 1; // of the plane, and the one of <s>
const REST = KEY + KEYS;
const READ = REST + 1;
const READS = SIZE + 1;
const LOGIT = READ + READS;

const dot = (a: Vector, b: Vector) => a.reduce((sum, each, i) => sum + each * b[i], 0);
const mirrored = (x: Vector, k: Vector): Vector => x.map((each, i) => each - 2 * dot(x, k) * k[i]);
const unit = (x: Vector): Vector => x.map((each) => each / Math.hypot(...x));

/** One unit of a table: what it adds up, and what of the constant it needs; `gives` is written where there is more. */
interface Entry {
  readonly asks: readonly (readonly [column: number, factor: number])[];
  readonly needs: number;
  /** By how much what it asks for is more than it needs, where all is there. */
  readonly surplus: number;
  /** The length of what the residual then holds. */
  readonly length: number;
  readonly gives: readonly (readonly [column: number, value: number])[];
}

/** A gated layer that looks up: exactly one entry has what it needs. */
function tableOf(d: number, entries: readonly Entry[]): Readonly<Record<string, Rows>> {
  const hidden = 2 * d;
  const [gateAndUp, down] = [sparse(d, 2 * hidden), sparse(hidden, d)];
  for (const [at, { asks, needs, surplus, length, gives }] of entries.entries()) {
    const factor = normFactor(length, d);
    const sharp = (2 * LARGE) / (surplus * factor); // silu of 200 and of -200 are 200 and 0
    for (const [column, each] of asks) gateAndUp.at(column, at, sharp * each);
    gateAndUp.at(CONSTANT, at, -sharp * needs);
    gateAndUp.at(CONSTANT, hidden + at, 1);
    const found = 2 * LARGE * factor;
    for (const [column, value] of gives) down.at(at, column, value / found);
  }
  return { "feedForward.gateAndUp": gateAndUp.weight, "feedForward.down": down.weight };
}

/** F^c x, and for a word of these mirrors F^after g F^before, again a mirror, where c is `after` behind it. */
function framesOf(frame: Vector) {
  const framed = (c: number, x: Vector) => (c === 1 ? mirrored(x, frame) : x);
  const mirrorOf = (own: readonly Vector[], after: number): Vector => {
    const before = own.length % 2 === 0 ? 1 - after : after;
    const moved = (x: Vector) => framed(after, own.reduce<Vector>(mirrored, framed(before, x)));
    // Of a mirror Q = I - 2 k k' each column of I - Q is along k.
    const columns = [
      [1, 0],
      [0, 1],
    ].map((x) => moved(x).map((each, i) => x[i] - each));
    return unit(columns.toSorted((a, b) => Math.hypot(...b) - Math.hypot(...a))[0]);
  };
  return { framed, mirrorOf };
}

/** How far the nearest two of these unit vectors are from being one: 1 less their product. */
const gapOf = (codes: readonly Vector[]) =>
  Math.min(...codes.flatMap((one, i) => codes.slice(i + 1).map((other) => 1 - dot(one, other))));

interface LayerParts {
  readonly qkv: Rows;
  readonly out: Rows;
  readonly table: Readonly<Record<string, Rows>>;
  /** The number by which a column of the normalised input is multiplied to have its own. */
  readonly back: number;
}

/** A layer's weights by their paths; every b is 2. */
function layerWeights(d: number, at: number, { qkv, out, table, back }: LayerParts, extra: Besides["extra"]) {
  const beta = sparse(d, HEADS);
  for (let j = 0; j < HEADS; j++) beta.at(CONSTANT, j, CERTAIN * back);
  const mixer = { qkv, out, beta: beta.weight, ...extra(d, back) };
  return Object.fromEntries([
    ...Object.entries(mixer).map(([name, rows]) => [`layers.${at}.mixer.${name}`, rows]),
    ...Object.entries(table).map(([name, rows]) => [`layers.${at}.${name}`, rows]),
  ]);
}

/** All words of S_3, of a model of two layers with heads of d/2. */
export function heldInTwoLayers({ extra, gain }: Besides = { extra: () => ({}), gain: 1 }): Held["set"] {
  return (d) => {
    const { mirrors, point } = reflectionsOf("S_3");
    const read = Math.sqrt(d / HEADS); // the length of what a norm leaves
    const [frame] = mirrors.find((own) => own.length === 1)!; // F: a swap
    const { framed, mirrorOf } = framesOf(frame);
    const isTurn = (own: readonly Vector[]) => own.length % 2 === 0;

    const embedding = sparse(WORDS, d);
    for (let word = 0; word < WORDS; word++) {
      embedding.at(word, CONSTANT, 1);
      embedding.at(word, WORD + word, 1);
      embedding.at(word, word > 0 && isTurn(mirrors[word - 1]) ? TURN : STILL, 1);
    }
    const given = 3; // the square of an embedding's length

    // The first layer: its state is 0, or 2 k v' behind an odd number of turns, which its norm makes `read` long. With v of 1 what
    // rounding leaves of a state of 0 stays far below the number that the norm adds.
    const first = 1 / normFactor(Math.sqrt(given), d);
    const counted = sparse(d, 3 * d);
    counted.at(CONSTANT, 0, LARGE * first);
    counted.at(TURN, d, LARGE * first);
    counted.at(STILL, d + 1, LARGE * first);
    counted.at(TURN, 2 * d, siluInverse(1) * first);
    const toParity = sparse(d, d);
    toParity.at(0, PARITY, 1 / (read * gain));

    // The table of mirrors. All that it writes is filled up to one length.
    const keyOf = (word: number, c: number): Vector =>
      word === 0 ? [0, 0, SCALE] : [...mirrorOf(mirrors[word - 1], c).map((each) => SCALE * each), 0];
    const cases = Array.from({ length: 2 * WORDS }, (_, i) => {
      const [word, c] = [Math.floor(i / 2), i % 2];
      const key = keyOf(word, c).map(siluInverse);
      return { word, c, key, square: given + c + dot(key, key) };
    });
    const whole = Math.max(...cases.map(({ square }) => square));
    const mirrorTable = tableOf(
      d,
      cases.map(({ word, c, key, square }) => ({
        asks: [
          [WORD + word, 1],
          [PARITY, c === 1 ? 1 : -1],
        ],
        needs: c === 1 ? 1.5 : 0.5,
        surplus: 0.5,
        length: Math.sqrt(given + c),
        gives: [
          ...key.map((each, i) => [KEY + i, each] as const),
          [REST, Math.sqrt(whole - square)] as const,
        ],
      })),
    );

    // The second layer.
    const second = 1 / normFactor(Math.sqrt(whole), d);
    const moving = sparse(d, 3 * d);
    const query = [...point.map((each) => SCALE * each), SCALE / 2].map(siluInverse);
    for (let i = 0; i < KEYS; i++) {
      moving.at(CONSTANT, i, query[i] * second);
      moving.at(KEY + i, d + i, second);
      moving.at(KEY + i, 2 * d + i, second);
    }
    const toRead = sparse(d, d);
    for (let i = 0; i < READS; i++) toRead.at(i, READ + i, 1 / gain);

    // The table of elements: by what is read, p - N' p beside a constant, and c.
    const codeOf = (element: number, c: number): Vector => {
      const image = mirrors[element].toReversed().reduce<Vector>(mirrored, framed(c, point));
      return unit([...point.map((each, i) => each - image[i]), 1]);
    };
    const codes = Array.from({ length: ELEMENTS }, (_, element) => codeOf(element, 0)); // the same six with c = 1
    const gap = gapOf(codes);
    const elementTable = tableOf(
      d,
      Array.from({ length: 2 * ELEMENTS }, (_, i) => {
        const [element, c] = [Math.floor(i / 2), i % 2];
        return {
          asks: [
            ...codeOf(element, c).map((each, at) => [READ + at, each / read] as const),
            [PARITY, c === 1 ? 2 : -2] as const,
          ],
          needs: (c === 1 ? 3 : 1) - gap / 2,
          surplus: gap / 2,
          length: Math.sqrt(whole + read ** 2),
          gives: [[LOGIT + element, LARGE] as const],
        };
      }),
    );
    const head = sparse(d, WORDS);
    for (let element = 0; element < ELEMENTS; element++) head.at(LOGIT + element, 1 + element, 1);

    const layers = [
      { qkv: counted.weight, out: toParity.weight, table: mirrorTable, back: first },
      { qkv: moving.weight, out: toRead.weight, table: elementTable, back: second },
    ];
    return {
      embedding: embedding.weight,
      head: head.weight,
      ...layerWeights(d, 0, layers[0], extra),
      ...layerWeights(d, 1, layers[1], extra),
    };
  };
}

/** Tomita's language 6: a 0 turns the plane by a third, a 1 back. */
export function heldThirdsInTwoLayers(
  { extra, gain }: Besides = { extra: () => ({}), gain: 1 },
): Held["set"] {
  // Columns of the width: these mirrors are exact (delta.ts, heldStrings), so that values have columns of their own.
  const [WORD_AT, PARITY_AT, KEY_AT, VALUE_AT, REST_AT, READ_AT, TOLD_AT] = [1, 3, 4, 6, 8, 9, 11];
  return (d) => {
    const read = Math.sqrt(d / HEADS);
    const at = (degrees: number) => [
      Math.cos((Math.PI * degrees) / 180),
      Math.sin((Math.PI * degrees) / 180),
    ];
    const turns = [
      [at(15), at(75)],
      [at(75), at(15)],
    ];
    const { framed, mirrorOf } = framesOf(at(135)); // so that all mirrors of the second layer are at 15 and 75 degrees
    const point = at(20); // on none of them, nor across

    const embedding = sparse(2, d);
    for (const word of turns.keys()) {
      embedding.at(word, CONSTANT, 1);
      embedding.at(word, WORD_AT + word, 1);
    }
    const given = 2;
    const first = 1 / normFactor(Math.sqrt(given), d);
    const counted = sparse(d, 3 * d);
    for (const [column, value] of [
      [0, LARGE],
      [d, LARGE],
      [2 * d, siluInverse(1)],
    ])
      counted.at(CONSTANT, column, value * first);
    const toParity = sparse(d, d);
    toParity.at(0, PARITY_AT, 1 / (read * gain));

    const cases = turns.flatMap((own, word) =>
      [0, 1].map((c) => {
        const key = mirrorOf(own, c).map(Math.abs); // k or -k is the same mirror, and both numbers have one sign
        const written = [
          ...key.map((each, i) => [KEY_AT + i, LARGE * each] as const),
          ...key.map((each, i) => [VALUE_AT + i, siluInverse(SMALL * each)] as const),
        ];
        return {
          word,
          c,
          written,
          square: given + c + written.reduce((sum, [, each]) => sum + each ** 2, 0),
        };
      }),
    );
    const whole = Math.max(...cases.map(({ square }) => square));
    const mirrorTable = tableOf(
      d,
      cases.map(({ word, c, written, square }) => ({
        asks: [
          [WORD_AT + word, 1],
          [PARITY_AT, c === 1 ? 1 : -1],
        ],
        needs: c === 1 ? 1.5 : 0.5,
        surplus: 0.5,
        length: Math.sqrt(given + c),
        gives: [...written, [REST_AT, Math.sqrt(whole - square)] as const],
      })),
    );

    const second = 1 / normFactor(Math.sqrt(whole), d);
    const [moving, toRead] = [sparse(d, 3 * d), sparse(d, d)];
    for (const i of point.keys()) {
      moving.at(CONSTANT, i, LARGE * point[i] * second);
      moving.at(KEY_AT + i, d + i, second);
      moving.at(VALUE_AT + i, 2 * d + i, second);
      toRead.at(i, READ_AT + i, 1 / gain);
    }

    // p - N' p, where it is not 0: of the turns by one and two thirds, and with c = 1 of none.
    const elements = [[], ...turns];
    const codeOf = (own: readonly Vector[], c: number): Vector => {
      const image = own.toReversed().reduce<Vector>(mirrored, framed(c, point));
      return unit(point.map((each, i) => each - image[i]));
    };
    const codes = [0, 1].map((c) => elements.slice(1 - c).map((own) => codeOf(own, c)));
    const gap = Math.min(1, ...codes.map(gapOf));
    const outside = elements.slice(1).flatMap((own) => [0, 1].map((c) => ({ code: codeOf(own, c), c })));
    const elementTable = tableOf(
      d,
      outside.map(({ code, c }) => ({
        asks: [
          ...code.map((each, i) => [READ_AT + i, each / read] as const),
          [PARITY_AT, c === 1 ? 2 : -2] as const,
        ],
        needs: (c === 1 ? 3 : 1) - gap / 2,
        surplus: gap / 2,
        length: Math.sqrt(whole + read ** 2),
        gives: [[TOLD_AT, LARGE] as const],
      })),
    );
    const head = sparse(d, 2);
    head.at(TOLD_AT, 0, 1);
    head.at(CONSTANT, 1, LARGE / 2);
    const layers = [
      { qkv: counted.weight, out: toParity.weight, table: mirrorTable, back: first },
      { qkv: moving.weight, out: toRead.weight, table: elementTable, back: second },
    ];
    return {
      embedding: embedding.weight,
      head: head.weight,
      ...layerWeights(d, 0, layers[0], extra),
      ...layerWeights(d, 1, layers[1], extra),
    };
  };
}
