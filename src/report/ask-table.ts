/** @file The results of an asking as plain text: pass@k by arm, and what can be known of the same questions. */

import { percent } from "../core/format.ts";
import type { AskResults } from "../schemas/eval.ts";
import { percent as percentSign, spaced } from "./shares.ts";
import { textTable } from "./text-table.ts";

const dash = "\u2013";

/** What the figures are of stands above them. */
export function askTable({ arms: rows, references = {}, denominator }: AskResults): string {
  const share = (value: number | null | undefined) => (value == null ? dash : percent(value));
  const ks = rows[0]?.passAt.map(({ k }) => k) ?? [];
  // One column more for each kind that there is: a table without any stays as narrow as it was.
  const missing = rows.some(({ outOfTokens }) => outOfTokens > 0);
  const both = missing && rows.some(({ excluding }) => excluding !== null);
  const lost = rows.some(({ unanswered }) => unanswered > 0);
  const table = textTable({
    columns: [
      ...["arm", "predict", "programs", "answers", ...ks.map((k) => `pass@${k} %`), "95 %"],
      ...(both ? ["without missing: programs", ...ks.map((k) => `pass@${k} %`)] : []),
      "unreadable",
      ...(missing ? ["out of tokens"] : []),
      ...(lost ? ["lost to the endpoint"] : []),
    ],
    rows: rows.map(
      ({ arm, predict, programs, answers, passAt, excluding, unreadable, outOfTokens, unanswered }) => [
        ...[arm, predict, programs, answers],
        ...passAt.map(({ value }) => share(value)),
        passAt[0]?.interval?.map(share).join(" to ") ?? dash,
        ...(both
          ? [excluding?.programs ?? dash, ...ks.map((_, i) => share(excluding?.passAt[i]?.value))]
          : []),
        unreadable,
        ...(missing ? [outOfTokens] : []),
        ...(lost ? [unanswered] : []),
      ],
    ),
  });
  const known = Object.entries(references).map(([name, right]) => `${spaced(name)} ${percentSign(right)}`);
  const whole = `${denominator}\n${table}`;
  return known.length === 0 ? whole : `${whole}\ncomputed for the same questions: ${known.join(", ")}`;
}
