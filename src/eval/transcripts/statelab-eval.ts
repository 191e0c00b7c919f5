/** @file The lab's own `samples.jsonl` of `ask`: each sample's prompt and replies; what was extracted is a claim about the end. */

import { parseWith } from "../../core/settings.ts";
import { SampleRecord } from "../../schemas/eval.ts";
import { transcriptOf, treeOf } from "./message.ts";
import { hasFields, jsonOf, type ReadTranscript, type TranscriptReader } from "./reader.ts";

export const ask: TranscriptReader = {
  summary: "samples.jsonl of statelab ask",
  read(text, at) {
    const json = jsonOf(text);
    const rows = json?.lines ?? (json?.one === undefined ? [] : [json.one]);
    if (rows.length === 0 || !hasFields(rows[0], "sample", "prompt", "replies", "verdict")) return undefined;
    return rows.map((row, i) => read(parseWith(SampleRecord, row, `${at}, line ${i + 1}`)));
  },
};

function read(sample: SampleRecord): ReadTranscript {
  const { prompt, replies, reasoning = [], extracted, predict } = sample;
  const { steps } = transcriptOf("ask", sample.sample, [
    { role: "asked", text: prompt },
    ...replies.map((reply, i) => ({
      role: "said" as const,
      text: [reasoning[i] ?? "", reply].filter((each) => each !== "").join("\n"),
    })),
  ]);
  const drafts = steps.map(({ index: _, under: __, effect: ___, ...step }) => step);
  const last = drafts.at(-1)!; // a sample has a reply
  const claims =
    extracted === null || predict === "input"
      ? last.claims
      : [
          ...last.claims.filter(({ name }) => name !== "return"),
          { name: "return", value: extracted, place: { end: true as const } },
        ];
  return { transcript: treeOf("ask", sample.sample, [...drafts.slice(0, -1), { ...last, claims }]), sample };
}
