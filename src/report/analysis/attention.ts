/** @file The page's part on attention: where each head of a Transformer looks, on one program and where it is asked. */

import {
  type AttendedPart,
  type Attention,
  type AttentionOfHead,
  attendedParts,
} from "../../analysis/attention.ts";
import type { AnalysisDocument } from "../../analysis/document.ts";
import { counted, percentSign, signed } from "../../math/format.ts";
import { attentionFigure } from "../figures/attention.ts";
import { matrixFigure } from "../figures/matrix.ts";
import { type AnalysisPart, headName, shortHead } from "./part.ts";

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
    "the last reveal of the asked variable",
    "what it held then, which is right as long as nothing has moved it",
  ],
  [
    "answerReveal",
    "the last reveal of the right answer, where another variable held it",
    "to single that one out, the model must have followed the commands since",
  ],
  [
    "freshReveals",
    "reveals since the last command",
    "what other variables hold now, which leaves fewer answers for this one",
  ],
  ["lastCommand", "the last command", "a state that is kept up to date would stand there"],
  [
    "commandsSince",
    "the other commands back to the last reveal of the variable, if there is one",
    "from these the answer can be worked out anew at each question",
  ],
];

export function attentionPart({ attention }: AnalysisDocument): AnalysisPart | undefined {
  if (attention === undefined) return undefined;
  const { questions, parts, tokens, sample, heads } = attention;
  const mapped = mostTelling(attention);
  const { from } = sample;
  return {
    heading: "Where each head looks",
    how: [
      "A head of attention reads a mean of what stands at the tokens so far; attention is the weight of each. First, for every head, the share that falls on each part of a program at the tokens where the model is asked; then all weights over one program.",
      "Parts are told apart by how they lie to the question: its own line; the last command, more since the asked variable was last revealed, and old ones; reveals since the last command (new), the last of the asked variable, the last of the right answer if that is another, and old ones; the initial values. Each share is a mean over the questions that have such a part, so that a row need not add up. The first row is what each part would get if all tokens got the same.",
    ],
    figures: {
      attention: matrixFigure({
        title: "Attention from where the model is asked (%)",
        rowLabel: "layer.head",
        columnLabel:
          "its: the last reveal of the asked variable; of the right answer, if another; new: since the last command",
        rows: ["all alike", ...heads.map(shortHead)],
        columns: attendedParts.map((name) => partNames[name]),
        cells: [parts.map(({ uniform }) => uniform), ...heads.map(({ shares }) => shares)].map((shares) =>
          attendedParts.map((name) => {
            const share = shares[parts.findIndex((part) => part.name === name)];
            return share === undefined ? undefined : 100 * share;
          }),
        ),
        ...{ from: 0, to: 100, digits: 0 },
      }),
      ...Object.fromEntries(
        mapped.map((head) => [
          `attention-${shortHead(head)}`,
          attentionFigure({ title: `Attention, ${headName(head)}`, ...sample, map: head.map }),
        ]),
      ),
    },
    caption: `Above: the first ${counted(questions, "question")}, blank where none has such a part. Below: ${from === 0 ? `the first ${counted(sample.tokens.length, "token")} of a program` : `tokens ${from} to ${from + sample.tokens.length - 1} of a program (what they give to those before is not drawn)`}${mapped.length < heads.length ? `; the ${MOST_MAPS} heads that differ most from looking everywhere alike` : ""}. A row looks at the columns; a line's column runs down from its name. Triangles: where the model is asked.`,
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
    caution:
      "Attention says where a head looks, not what it takes from there, nor whether that is used: silencing the head shows it. Behind the first layer a token may hold what was gathered from others, so a head that looks at the question's own line or at a command may read any part of the program there. A head singles a part out where it goes at least half of the way from looking everywhere alike to looking there alone. The spread is the number of equally attended tokens with the same entropy.",
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
  const alike = (uniform: number) => `${percentSign(uniform)} if all tokens got the same`;
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
