/** @file The page's part on activation patching: which head carries a difference of one command, and at which token. */

import type { AnalysisDocument } from "../../analysis/document.ts";
import { counted, percentSign } from "../../math/format.ts";
import { matrixFigure } from "../figures/matrix.ts";
import { type AnalysisPart, headName, shortHead } from "./part.ts";

const SHOWN = 8;

/** A line's end and a space can be seen. */
const shown = (token: string) => token.trim() || (token.includes("\n") ? "\\n" : "\u2423");

export function patchingPart({ patching }: AnalysisDocument): AnalysisPart | undefined {
  if (patching === undefined || patching.carried.length === 0) return undefined;
  const { pairs, told, carried } = patching;
  const sites = [...new Set(carried.map(({ site }) => site))];
  const heads = [...new Set(carried.map(shortHead))];
  const label = (site: string) => {
    const token = carried.find((each) => each.site === site)?.token ?? "";
    if (site.endsWith("between")) return site.startsWith("commands") ? "c…" : "r…";
    return shown(token);
  };
  const ordered = carried.toSorted((a, b) => b.share - a.share);
  const [most] = ordered;
  return {
    heading: "Which head carries a difference, and at which token",
    how: [
      "Two programs that differ in one command, up to the first question that they answer differently. The model reads the changed one, but one head reads, at one token, what it reads there in the other. Carried is how far this turns the answer from that of the changed program (0) to that of the other (100 %), by the difference of the two answers' logits.",
    ],
    figures: {
      patching: matrixFigure({
        title: "Carried by one head at one token (%)",
        rowLabel: "layer.head",
        columnLabel:
          "tokens of the changed command; commands (c…) and reveals (r…) between; tokens up to the answer",
        rows: heads,
        columns: sites.map(label),
        cells: heads.map((head) =>
          sites.map((site) => {
            const found = carried.find((each) => shortHead(each) === head && each.site === site);
            return found && 100 * found.share;
          }),
        ),
        ...{ from: 0, to: 100, digits: 0 },
      }),
    },
    caption: `${counted(told, "pair")} that the model tells apart, of ${pairs}.`,
    table: {
      columns: ["layer.head", "where", "token", "carried (95 %)"],
      rows: ordered
        .slice(0, SHOWN)
        .map((each) => [
          shortHead(each),
          each.site,
          shown(each.token),
          `${percentSign(each.share)} (${each.interval.map((edge) => (100 * edge).toFixed(1)).join(" to ")})`,
        ]),
    },
    meaning: [
      most.share < 0.5
        ? `No head carries half of the difference at any one token: the most is ${percentSign(most.share)}, ${headName(most)} at ${most.site}. It is spread over several, or goes another way.`
        : `${headName(most)} carries ${percentSign(most.share)} of the difference at one token, ${most.site} ("${shown(most.token)}"). ${most.site.startsWith("asked") ? "The command is kept in that head's memory and read where it is asked for." : "The difference leaves that head there, before it is asked for."}`,
    ],
    caution:
      "What is patched is what a head reads from its memory, not the memory: a head that carries the state through the program shows only where it is read. Intervals draw pairs (bootstrap). Shares need not add up: readings that say the same may each carry all.",
  };
}
