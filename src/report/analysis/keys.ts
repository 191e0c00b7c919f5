/** @file The page's part on keys: how many directions each head writes along, and the angles between those of swaps. */

import type { AnalysisDocument } from "../../analysis/document.ts";
import type { Angle, KeysAtPlace, KeysOfHead } from "../../analysis/keys.ts";
import { counted, percentSign, signed } from "../../math/format.ts";
import { linesFigure } from "../figures/lines.ts";
import { matrixFigure } from "../figures/matrix.ts";
import { type AnalysisPart, headName, shortHead } from "./part.ts";

const MOST_COMPONENTS = 32;

export function keysPart({ keys, ablation }: AnalysisDocument): AnalysisPart | undefined {
  if (keys === undefined || keys.length === 0) return undefined;
  const head = trackingHead(keys, ablation);
  const places = head.places.filter(({ angles }) => angles.length > 0);
  return {
    heading: "Along which directions it writes",
    how: [
      "Principal components of each head's keys at all tokens of commands: a head that moves few things needs few. Then, at each token of a command, the direction of each command's keys (the leading eigenvector of the mean k k\u2032) and the angles between those of different commands.",
      "Only lines and their angles are identifiable: k and \u2212k turn the memory alike, and the queries undo any rotation of it. With one slot a variable, swaps that share a variable would be 60 degrees apart, others 90.",
    ],
    figures: {
      ...(places.length > 0 && {
        "key-angles": matrixFigure({
          title: `Degrees between commands, ${headName(head)}`,
          rowLabel: "token",
          columnLabel: "pairs of commands; in brackets what slots would give",
          rows: places.map(({ place, token }) => `${place}: ${token}`),
          columns: places[0]!.angles.map(pairText),
          cells: places.map(({ angles }) => angles.map(({ degrees }) => degrees)),
          from: 0,
          to: 90,
          digits: 0,
        }),
      }),
      "key-components": linesFigure({
        kind: "lines",
        title: "Variance of keys explained",
        xLabel: "principal components",
        scale: "linear",
        chance: 0,
        lines: keys.slice(0, 6).map((each, index) => ({
          label: shortHead(each),
          index,
          seeds: [
            {
              seed: 0,
              points: [
                [0, 0] as const,
                ...each.explained.slice(0, MOST_COMPONENTS).map((share, i) => [i + 1, share] as const),
              ],
            },
          ],
        })),
      }),
    },
    caption: `Cumulative share of variance${keys.length > 6 ? ", the first six heads" : ""}; and angles at each token of a command.`,
    table: {
      columns: ["layer.head", "components for 95 %", "token", "mean beta", "own share", "angles (degrees)"],
      rows: keys.flatMap((each) => {
        const place = bestPlace(each);
        return [
          [
            shortHead(each),
            String(each.components),
            place === undefined ? "\u2013" : `${place.place}: ${place.token}`,
            place === undefined ? "\u2013" : signed(place.beta, 2),
            place === undefined ? "\u2013" : percentSign(place.ownShare),
            place === undefined ? "\u2013" : rangeText(place.angles),
          ],
        ];
      }),
    },
    meaning: meaningOf(head, keys),
    caution:
      "The table shows the token, among those with at least nine tenths of the head's largest beta, at which commands lie farthest apart on average: a choice among several that favours large angles. A command writes at several tokens, so its effect is the product of their reflections, of which each place shows one.",
  };
}

/** The head whose loss costs most; without ablation the one with the largest beta on commands. */
function trackingHead(keys: readonly KeysOfHead[], ablation: AnalysisDocument["ablation"]): KeysOfHead {
  const score = ({ layer, head, places }: KeysOfHead) =>
    ablation?.silenced.find((each) => each.kind === "mean" && each.layer === layer && each.head === head)
      ?.drop ?? Math.max(0, ...places.map(({ beta }) => beta));
  return keys.reduce((most, each) => (score(each) > score(most) ? each : most));
}

function bestPlace({ places }: KeysOfHead): KeysAtPlace | undefined {
  const strongest = Math.max(...places.map(({ beta }) => beta));
  const meanAngle = ({ angles }: KeysAtPlace) =>
    angles.reduce((sum, { degrees }) => sum + degrees, 0) / angles.length;
  return places
    .filter(({ beta, angles }) => beta >= 0.9 * strongest && angles.length > 0)
    .reduce<KeysAtPlace | undefined>(
      (most, each) => (most === undefined || meanAngle(each) > meanAngle(most) ? each : most),
      undefined,
    );
}

const pairText = ({ between, expected }: Angle) => {
  const pair = between.map((text) => text.replace(/ = .*/s, "").replace(/^>>> /, "").trim()).join(" / ");
  return expected === undefined ? pair : `${pair} [${expected}]`;
};

function rangeText(angles: readonly Angle[]): string {
  const degrees = angles.map((each) => each.degrees).toSorted((a, b) => a - b);
  if (degrees.length === 0) return "\u2013";
  return `${signed(degrees[0]!, 0)} to ${signed(degrees.at(-1)!, 0)}`;
}

function meaningOf(head: KeysOfHead, keys: readonly KeysOfHead[]): string[] {
  const others = keys.filter((each) => each !== head).map(({ components }) => components);
  const fewer = others.length > 0 && head.components < Math.min(...others);
  const beside =
    others.length === 0
      ? ""
      : `; the others need ${Math.min(...others)}${Math.min(...others) === Math.max(...others) ? "" : ` to ${Math.max(...others)}`}${fewer ? ", so this head writes along the fewest directions" : ""}`;
  const first = `${headName(head).replace("l", "L")} has 95 % of its keys' variance in ${counted(head.components, "component")}${beside}.`;
  const place = bestPlace(head);
  const known = place?.angles.filter(({ expected }) => expected !== undefined) ?? [];
  if (place === undefined || known.length === 0) return [first];
  const off = known.map(({ degrees, expected }) => Math.abs(degrees - expected!));
  const mean = off.reduce((sum, each) => sum + each, 0) / off.length;
  const at = `At "${place.token}" (token ${place.place}, mean beta ${signed(place.beta, 2)}) commands lie ${rangeText(known)} degrees apart, ${signed(mean, 0)} degrees from what one slot a variable would give, on average.`;
  const verdict =
    mean < 15
      ? "That is near the geometry of swaps of slots."
      : "That is not the geometry of swaps of slots: the head tracks in some other arrangement, or over several tokens together.";
  return [first, `${at} ${verdict}`];
}
