/** @file The figures of `interpret`: beta along a line, accuracy without each head, variance of keys. */

import { matrixFigure } from "../../src/report/figures/matrix.ts";
import {
  counted,
  type Drawing,
  integer,
  listed,
  type NumbersFigure,
  percentSign,
} from "../../src/report/index.ts";
import type { UnreadResult } from "../engine/experiment.ts";
import { measuredLine } from "../engine/views.ts";
import { agrees, type Found, range } from "./interpret-found.ts";
import { betaAlongLine, keyVariance, NEAR_2 } from "./interpret-heads.ts";

export function betaView(result: UnreadResult, found: readonly Found[]) {
  const rows = found.flatMap(({ seed, names }) => names.map((name, i) => ({ seed, name, rank: i + 1 })));
  const figure = (line: string): Drawing[] => {
    const own = betaAlongLine.of(result, { at: { line } });
    const places = [...new Set(own.map(({ at }) => Number(at.place)))].toSorted((a, b) => a - b);
    if (places.length === 0) return [];
    const title = `Mean beta along a ${line}`;
    return [
      {
        kind: "drawing",
        title,
        drawing: matrixFigure({
          title,
          rowLabel: "seed: head",
          columnLabel: `tokens of a ${line}, from its first`,
          rows: rows.map(({ seed, name }) => `${seed}: ${name}`),
          columns: places.map((place) => own.find(({ at }) => at.place === place)?.note ?? ""),
          cells: rows.map(({ seed, rank }) =>
            places.map(
              (place) =>
                own.find((row) => row.seed === seed && row.at.rank === rank && row.at.place === place)?.values
                  .beta,
            ),
          ),
          ...{ from: 0, to: 2, digits: 2 },
        }),
      },
    ];
  };
  const all = found.map(({ heads }) => heads[0].commandsNear2);
  const horizons = range(
    found.map(({ heads }) => heads[0].horizon),
    (horizon) => horizon.toFixed(0),
  );
  return {
    heading: "Which head reflects",
    text:
      "At each token a head multiplies what stands in its memory along the key by 1 \u2212 beta. 1 leaves it, \u22121 (beta = 2) reflects it, and a swap is a reflection. For each seed the heads are listed in order of the largest mean beta at any token of a command. " +
      `The first one has a beta above ${NEAR_2} at that token in ${range(all, percentSign)} of all commands; by its beta half of what it turns would be left after ${horizons} commands. What it means: where only one head comes near 2, only that one can carry a permutation from command to command without losing it by reflections; the others forget within a few.`,
    caption:
      "Mean over all programs; layer.head, both counted from 0. A swap is nine tokens. On reveals the same head may be near 2 as well, at tokens whose key meets nothing it holds.",
    figures: [...figure("command"), ...figure("reveal")],
  };
}

export function ablationView(found: readonly Found[]) {
  const most = Math.max(...found.map(({ heads }) => heads.length));
  const ranks = Array.from({ length: most }, (_, i) => i);
  const figure = (kind: "accuracyAtZero" | "accuracyAtMean"): Drawing => {
    const title = `Accuracy (%) with a head at ${kind === "accuracyAtZero" ? "zero" : "its mean"}`;
    return {
      kind: "drawing",
      title,
      drawing: matrixFigure({
        title,
        rowLabel: "seed",
        columnLabel: "without the n-th head by beta; windowed: no model",
        rows: found.map(({ seed }) => String(seed)),
        columns: ["whole", ...ranks.map((i) => `no. ${i + 1}`), "windowed"],
        cells: found.map(({ model, heads }) =>
          [model.accuracy, ...ranks.map((i) => heads[i]?.[kind]), model.windowedBayes].map((share) =>
            share === undefined ? undefined : 100 * share,
          ),
        ),
        ...{ from: 0, to: 100, digits: 0 },
      }),
    };
  };
  const agreeing = found.filter(agrees).map(({ seed }) => String(seed));
  return {
    heading: "What is lost without each head",
    text:
      "Each head is silenced in turn in the whole program: with zeros in place of what it reads, and, since zeros are nothing a model is used to, with its mean over all programs. " +
      `The windowed filter knows what can be known without carrying a state further than its window. What it means: where the first column drops to that filter or below, tracking goes through that one head; where the others stay, none of them is needed as long as the rest is there: ${agreeing.length === 0 ? "both in no seed here" : `both in ${agreeing.length === 1 ? "seed" : "seeds"} ${listed(agreeing)}`}. Two heads that stand in for each other would both look idle; silencing one at a time does not show that.`,
    caption: "The same programs in every column of a row.",
    figures: [figure("accuracyAtZero"), figure("accuracyAtMean")],
  };
}

/** `the first 20,000 of 180,144 tokens of commands` */
function keysRead(found: readonly Found[]): string {
  const [first] = found.flatMap(({ heads }) => heads);
  if (first?.keysThere === undefined) return "tokens of commands";
  const { keysRead: read, keysThere: of } = first;
  return `${read < of ? `the first ${integer(read)} of ${integer(of)}` : `all ${integer(of)}`} tokens of commands`;
}

export function keysView(result: UnreadResult, found: readonly Found[]) {
  const ranks = [...new Set(keyVariance.of(result).map(({ at }) => Number(at.rank)))];
  const figure: NumbersFigure = {
    kind: "numbers",
    title: "Variance of keys held by so many components",
    yLabel: "cumulative share of variance",
    xLabel: "principal components",
    levels: [{ y: 0.99, label: "99 %" }],
    lines: ranks.map((rank, index) => ({
      label: `no. ${rank} by beta`,
      index,
      seeds: measuredLine(keyVariance.of(result, { at: { rank } }), "components", "share"),
    })),
  };
  const fewest = found.filter(({ heads }) =>
    heads.slice(1).every((head) => head.components99 > heads[0].components99),
  ).length;
  const needs = (values: readonly number[]) => range(values, (value) => value.toFixed(0));
  return {
    heading: "Along how many directions it writes",
    text: `Keys of ${keysRead(found)}. For 99 % of their variance the first head by beta needs ${needs(found.map(({ heads }) => heads[0].components99))} components, the others ${needs(found.flatMap(({ heads }) => heads.slice(1).map((head) => head.components99)))}. What it means: a head that only ever turns its memory along the few directions between slots needs few; in ${fewest} of ${counted(found.length, "seed")} the first head needs the fewest of all.`,
    caption: "Strong line: mean over seeds.",
    figures: [figure],
  };
}
