/** @file The results of an asking as plain text: pass@k by arm, and what can be known of the same questions. */

import { percent } from "../math/format.ts";
import type { AskResults } from "../records/eval.ts";
import { percent as percentSign, spaced } from "./shares.ts";
import { textTable } from "./text-table.ts";

const dash = "\u2013";

export function askTable({ arms: rows, references = {} }: AskResults): string {
  const share = (value: number | null | undefined) => (value == null ? dash : percent(value));
  const ks = rows[0]?.passAt.map(({ k }) => k) ?? [];
  const table = textTable({
    columns: ["arm", "predict", "programs", "answers", ...ks.map((k) => `pass@${k} %`), "95 %", "unreadable"],
    rows: rows.map(({ arm, predict, programs, passAt, unreadable, correct, wrong }) => [
      ...[arm, predict, programs, correct + wrong + unreadable],
      ...passAt.map(({ value }) => share(value)),
      passAt[0]?.interval?.map(share).join(" to ") ?? dash,
      unreadable,
    ]),
  });
  const known = Object.entries(references).map(([name, right]) => `${spaced(name)} ${percentSign(right)}`);
  return known.length === 0 ? table : `${table}\ncomputed for the same questions: ${known.join(", ")}`;
}
