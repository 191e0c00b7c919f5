/**
 * @file Where a Transformer looks: the attention of each head, over one program and from where the model is asked.
 *
 *     a_ts = e^(q_t' k_s) / sum_{r <= t} e^(q_t' k_r),  s <= t       q and k as they are tapped: turned, q over sqrt(dk)
 *
 * Source: Vaswani et al. 2017, arXiv:1706.03762.
 */

import { z } from "zod";
import { formatCount, percentSign, signed } from "../core/format.ts";
import { dot } from "../core/linear-algebra.ts";
import { attending, defineAnalysis, hasQuestions, inSteps } from "./analysis.ts";
import { type AttendedPart, attendedParts, partsBefore } from "./attention-sources.ts";
import { headName, type Part, shortHead } from "./figures.ts";
import { attentionLayers, type Program, type Recording, rowAt, type Tap } from "./recording.ts";

const AttentionOfHead = z.strictObject({
  layer: z.int(),
  head: z.int(),
  /** For each of `parts` the mean share of attention, over the questions that have such a part. */
  shares: z.array(z.number()),
  /** Equally attended tokens of the same entropy: e^H, its geometric mean over questions. */
  spread: z.number(),
  /** map[t][s] is the attention of token t of the sample to its token s <= t, to four decimals. */
  map: z.array(z.array(z.number())),
});
type AttentionOfHead = z.infer<typeof AttentionOfHead>;

const Attention = z.strictObject({
  questions: z.int(),
  /** Those that some question has, with the share that they get where all tokens get the same. */
  parts: z.array(z.strictObject({ name: z.enum(attendedParts), questions: z.int(), uniform: z.number() })),
  /** Tokens up to the question, their geometric mean: the spread where all tokens get the same. */
  tokens: z.number(),
  /** The piece of the first program that is mapped. Earlier tokens are attended too, but not drawn. */
  sample: z.strictObject({
    /** Its first token's place in the program. */
    from: z.int(),
    tokens: z.array(z.string()),
    /** First tokens of commands, reveals and lines of the initialization. */
    starts: z.array(z.int()),
    /** Tokens at which the model is asked. */
    questions: z.array(z.int()),
  }),
  heads: z.array(AttentionOfHead),
});
export type Attention = z.infer<typeof Attention>;

export const attention = defineAnalysis({
  name: "attention",
  summary: "where each head of an attention layer looks",
  caution:
    "Attention shows where a head looks. It shows neither what the head takes from there nor whether the model uses it, which ablation shows. After the first layer a token may contain information from other tokens. A head singles out a part if its attention is at least halfway between uniform and this part alone. The spread is the number of equally attended tokens with the same entropy.",
  found: Attention,
  needs: [attending("no layer of this model is attention"), hasQuestions],
  measure: ({ recording, steps }) => inSteps(measureAttention(recording), steps),
  part: partOf,
});

/** So long a piece can still be read on a page. */
export const MAPPED = 64;
/** Enough for shares to a percent; the first programs, since all are drawn alike. */
const MOST_QUESTIONS = 2000;

/** Yields after each head how many there are. */
export function* measureAttention(recording: Recording): Generator<number, Attention> {
  const { programs, taps } = recording;
  const layers = attentionLayers(recording);
  const questions = programs
    .flatMap(({ questions }, program) => questions.map((_, which) => ({ program, which })))
    .slice(0, MOST_QUESTIONS)
    .map(({ program, which }) => ({ program, parts: partsBefore(programs[program], which) }));
  const having = attendedParts.map((_, part) => questions.filter(({ parts }) => parts.includes(part)).length);
  const present = attendedParts.flatMap((_, part) => (having[part] > 0 ? [part] : []));
  /** Means over questions of what each part gets of `rowOf`, whose numbers sum to 1. */
  const read = (rowOf: (program: number, token: number) => Float64Array) => {
    const sums = attendedParts.map(() => 0);
    let entropy = 0;
    for (const { program, parts } of questions) {
      for (const [s, share] of rowOf(program, parts.length - 1).entries()) {
        sums[parts[s]] += share;
        if (share > 0) entropy -= share * Math.log(share);
      }
    }
    return {
      shares: present.map((part) => sums[part] / having[part]),
      spread: Math.exp(entropy / questions.length),
    };
  };
  const uniform = read((_, token) => new Float64Array(token + 1).fill(1 / (token + 1)));
  const sample = sampleOf(programs[0]);
  const heads: AttentionOfHead[] = [];
  const places = layers.flatMap((layer) =>
    Array.from({ length: taps[`layers.${layer}.query`].shape[2] }, (_, head) => ({ layer, head })),
  );
  for (const { layer, head } of places) {
    const [query, key] = [taps[`layers.${layer}.query`], taps[`layers.${layer}.key`]];
    const rowOf = (program: number, token: number) => attentionRow(query, key, { program, token, head });
    const map = sample.tokens.map((_, t) =>
      Array.from(rowOf(0, sample.from + t).subarray(sample.from), (share) => Number(share.toFixed(4))),
    );
    heads.push({ layer, head, ...read(rowOf), map });
    yield places.length;
  }
  return {
    questions: questions.length,
    parts: present.map((part, i) => ({
      name: attendedParts[part],
      questions: having[part],
      uniform: uniform.shares[i],
    })),
    tokens: uniform.spread,
    sample,
    heads,
  };
}

/** The attention of one head at one token to each token up to it. */
export function attentionRow(
  query: Tap,
  key: Tap,
  { program, token, head }: { readonly program: number; readonly token: number; readonly head: number },
): Float64Array {
  const own = rowAt(query, program, token, head);
  const row = Float64Array.from({ length: token + 1 }, (_, s) => dot(own, rowAt(key, program, s, head)));
  const largest = row.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY); // e^1000 would overflow
  const total = row.reduce((sum, score) => sum + Math.exp(score - largest), 0);
  return row.map((score) => Math.exp(score - largest) / total);
}

/** From the first token, or so late that the first question is in it. */
function sampleOf({ tokens, places, questions }: Program): Attention["sample"] {
  const from = Math.max(0, (questions[0]?.position ?? 0) + 1 - MAPPED);
  const to = Math.min(tokens.length, from + MAPPED);
  const inside = (t: number) => (t >= from && t < to ? [t - from] : []);
  return {
    from,
    tokens: tokens.slice(from, to),
    starts: places.flatMap((place, t) => (place === 0 ? inside(t) : [])),
    questions: questions.flatMap(({ position }) => inside(position)),
  };
}

const MOST_MAPS = 8;

const partNames: Readonly<Record<AttendedPart, string>> = {
  question: "question",
  lastCommand: "last command",
  commandsSince: "more since",
  oldCommands: "old commands",
  freshReveals: "new reveals",
  variableReveal: "its variable",
  answerReveal: "its answer",
  oldReveals: "old reveals",
  initialisation: "initial",
};

/** Where the state could be read, and what it would say of a head that looks there. */
const readings: readonly (readonly [AttendedPart, string, string])[] = [
  [
    "variableReveal",
    "the last reveal of the queried variable",
    "its value then, which is correct until a command changes it",
  ],
  [
    "answerReveal",
    "the last reveal of the right answer, where another variable held it",
    "to single it out, the model must have followed the commands since",
  ],
  [
    "freshReveals",
    "reveals since the last command",
    "the current values of other variables, which leave fewer answers",
  ],
  ["lastCommand", "the last command", "an up-to-date state would be there"],
  [
    "commandsSince",
    "the other commands back to the last reveal of the variable, if there is one",
    "the answer can be recomputed from these at each question",
  ],
];

function partOf(attention: Attention): Part {
  const { questions, parts, tokens, sample, heads } = attention;
  const mapped = mostTelling(attention);
  const { from } = sample;
  return {
    heading: "Attention of each head",
    how: [
      "An attention head reads a weighted mean over the tokens so far; attention is the weight of a token. First, for each head, the share on each part of a program at the questions. Then all weights over one program.",
      "The parts: the line of the question; the last command, others since the last reveal of the queried variable, and older ones; new reveals (since the last command), the last reveal of the queried variable, that of the correct answer, and older ones; the initial values. A share is a mean over the questions that have the part, so rows need not sum to 100 %. The first row is uniform attention.",
    ],
    figures: {
      attention: {
        kind: "matrix",
        title: "Attention at the questions (%)",
        rowLabel: "layer.head",
        columnLabel:
          "its: last reveal of the queried variable; answer: of the correct answer, if another; new: since the last command",
        rows: ["all alike", ...heads.map(shortHead)],
        columns: attendedParts.map((name) => partNames[name]),
        cells: [parts.map(({ uniform }) => uniform), ...heads.map(({ shares }) => shares)].map((shares) =>
          attendedParts.map((name) => {
            const share = shares[parts.findIndex((part) => part.name === name)];
            return share === undefined ? undefined : 100 * share;
          }),
        ),
        ...{ from: 0, to: 100, digits: 0 },
      },
      ...Object.fromEntries(
        mapped.map((head) => [
          `attention-${shortHead(head)}`,
          { kind: "attention", title: `Attention, ${headName(head)}`, ...sample, map: head.map },
        ]),
      ),
    },
    caption: `Above: the first ${formatCount(questions, "question")}, blank where none has such a part. Below: ${from === 0 ? `the first ${formatCount(sample.tokens.length, "token")} of a program` : `tokens ${from} to ${from + sample.tokens.length - 1} of a program (their attention to earlier tokens is not drawn)`}${mapped.length < heads.length ? `; the ${MOST_MAPS} heads that differ most from uniform attention` : ""}. A row looks at the columns; a line's column runs down from its name. Triangles: where the model is asked.`,
    table: {
      columns: [
        "layer.head",
        "looks most at",
        "share",
        "all alike",
        `spread, of ${signed(tokens, 0)} tokens`,
      ],
      rows: heads.map((head) => {
        const most = head.shares.indexOf(Math.max(...head.shares));
        return [
          shortHead(head),
          partNames[parts[most]!.name],
          percentSign(head.shares[most]!),
          percentSign(parts[most]!.uniform),
          signed(head.spread, 1),
        ];
      }),
    },
    meaning: meaningOf(attention),
  };
}

/** Those with a part that gets most beyond its uniform share, in the order of the model. */
function mostTelling({ heads, parts }: Attention): AttentionOfHead[] {
  const excess = ({ shares }: AttentionOfHead) =>
    Math.max(...shares.map((share, i) => share - parts[i]!.uniform));
  const chosen = heads.toSorted((a, b) => excess(b) - excess(a)).slice(0, MOST_MAPS);
  return heads.filter((head) => chosen.includes(head));
}

function meaningOf({ parts, heads }: Attention): string[] {
  const found = readings.flatMap(([name, words, consequence]) => {
    const part = parts.findIndex((each) => each.name === name);
    if (part === -1) return [];
    const head = heads.reduce((best, each) => (each.shares[part]! > best.shares[part]! ? each : best));
    return [{ words, consequence, head, share: head.shares[part]!, uniform: parts[part]!.uniform }];
  });
  // Half of the way from looking everywhere alike to looking there alone.
  const isSingledOut = ({ share, uniform }: (typeof found)[number]) => share - uniform >= (1 - uniform) / 2;
  const alike = (uniform: number) => `uniform: ${percentSign(uniform)}`;
  const others = found.filter((each) => !isSingledOut(each));
  return [
    ...found
      .filter(isSingledOut)
      .map(
        ({ words, consequence, head, share, uniform }) =>
          `${headName(head).replace("l", "L")} gives ${percentSign(share)} of its attention to ${words} (${alike(uniform)}): ${consequence}.`,
      ),
    ...(others.length === 0
      ? []
      : [
          `No head singles out ${others.map(({ words, head, share, uniform }) => `${words} (at most ${percentSign(share)}, ${headName(head)}; ${alike(uniform)})`).join("; nor ")}.`,
        ]),
  ];
}
