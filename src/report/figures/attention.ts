/**
 * @file Attention of each token: a triangle with a row for the token that looks and a column for each one before it.
 *
 *       #  a = 1                    each line's name is where its rows meet the diagonal: its column runs down from there
 *       .  #  a, b = b, a           the darker, the more attention
 *     > #  .  #  print('a', a) a 2  marked: where the model is asked
 */

import type { AttentionFigure } from "../../analysis/figures.ts";
import { percentSign, shortened } from "../../core/format.ts";
import type { Markup } from "../svg.ts";
import { figureFrame, heading, linear, marker, opacity, rectangle, series, straight, text } from "./marks.ts";

const [WIDTH, LEFT, TOP, SIDE] = [400, 14, 28, 270];
/** Less is not drawn. */
const FAINT = 0.01;
/** Least distance between names of lines. */
const APART = 11;

export function attentionFigure(figure: AttentionFigure): Markup {
  const { title, tokens, starts, questions, map } = figure;
  const side = SIDE / tokens.length;
  const at = (token: number) => token * side;
  const shade = linear(0, 1, 0.1, 0.95);
  const lines = linesOf(figure);
  const lineAt = (token: number) => lines.findLast(({ from }) => from <= token)?.name ?? "";
  let labelled = Number.NEGATIVE_INFINITY;
  return figureFrame(
    [WIDTH, TOP + SIDE + 8],
    describeAttention(figure),
    heading(title),
    starts.map((start) => [
      straight("rule", LEFT, LEFT + at(start), TOP + at(start)),
      straight("rule", LEFT + at(start), LEFT + at(start), TOP + at(start), TOP + SIDE),
    ]),
    series(
      0,
      map.flatMap((row, t) =>
        row.map((share, s) => {
          if (share < FAINT) return null;
          const about = `${shown(tokens[t]!)} in ${lineAt(t)}, at ${shown(tokens[s]!)} in ${lineAt(s)}: ${percentSign(share)}`;
          const box = { x: LEFT + at(s), y: TOP + at(t), width: side, height: side };
          return rectangle("dot", box, about, opacity(shade(share)));
        }),
      ),
    ),
    lines.map(({ from, to, name }) => {
      const middle = TOP + at((from + to) / 2);
      if (middle - labelled < APART) return null;
      labelled = middle;
      return text(LEFT + at(to) + 4, middle + 4, shortened(name, 19), { class: "small" });
    }),
    series(
      1,
      questions.map((question) => marker(LEFT - 6, TOP + at(question + 0.5), 2, "question", 3)),
    ),
  );
}

/** Without the prompt; a reveal with what it prints. */
function linesOf({ tokens, starts }: AttentionFigure) {
  const begins = starts[0] === 0 ? starts : [0, ...starts];
  return begins.map((from, i) => {
    const to = begins[i + 1] ?? tokens.length;
    const name = tokens.slice(from, to).join("").replace(/^>>> /, "").replace(/\s+/g, " ").trim();
    return { from, to, name };
  });
}

/** A line's end and a space can be seen. */
const shown = (token: string) => token.trim() || (token.includes("\n") ? "\\n" : "\u2423");

function describeAttention({ title, tokens, map }: AttentionFigure): string {
  const most = map.flatMap((row, t) => row.map((share, s) => ({ share, t, s })));
  const strongest = most
    .filter(({ t, s }) => s < t)
    .reduce((best, each) => (each.share > best.share ? each : best), { share: 0, t: 0, s: 0 });
  return `${title}: attention of ${tokens.length} tokens, the most to another token ${percentSign(strongest.share)}, from token ${strongest.t} to token ${strongest.s}.`;
}
