/**
 * @file Readers of Statelab's own records: `samples.jsonl` of `eval`, where the extracted answer is a claim about the end of the program,
 * and the ledger of agents, where each turn gives a step for the reply and one for each call with its answer.
 */

import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { EpisodeBegin, EpisodeEnd, EpisodeTurn } from "../../schemas/agents.ts";
import { SampleRecord } from "../../schemas/eval.ts";
import type { Transcript } from "../../schemas/transcript.ts";
import {
  effectOfCall,
  hasFields,
  makeTranscript,
  messageTree,
  parseJsonText,
  type ReadTranscript,
  type TranscriptReader,
} from "./message.ts";

export const ask: TranscriptReader = {
  summary: "samples.jsonl of statelab llm eval",
  read(text, at) {
    const json = parseJsonText(text);
    const rows = json?.lines ?? (json?.one === undefined ? [] : [json.one]);
    if (rows.length === 0 || !hasFields(rows[0], "sample", "prompt", "replies", "verdict")) return undefined;
    return rows.map((row, i) => read(parseWith(SampleRecord, row, `${at}, line ${i + 1}`)));
  },
};

function read(sample: SampleRecord): ReadTranscript {
  const { prompt, replies, reasoning = [], extracted, predict } = sample;
  const { steps } = makeTranscript("ask", sample.sample, [
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
  return {
    transcript: messageTree("ask", sample.sample, [...drafts.slice(0, -1), { ...last, claims }]),
    sample,
  };
}

export const ledger: TranscriptReader = {
  summary: "ledger.jsonl of statelab agent",
  read(text, at) {
    const json = parseJsonText(text);
    const rows = json?.lines ?? (json?.one === undefined ? [] : [json.one]);
    if (!hasFields(rows[0], "previous", "kind", "world", "episode")) return undefined;
    const read: ReadTranscript[] = [];
    let open: { begin: EpisodeBegin; turns: EpisodeTurn[] } | undefined;
    const close = () => {
      if (open !== undefined) read.push({ transcript: stepsOf(open), episode: open });
      open = undefined;
    };
    for (const [i, row] of rows.entries()) {
      const where = `${at}, line ${i + 1}`;
      const { previous: _, ...record } = hasFields(row, "kind") ? row : { previous: "" };
      if (record.kind === "begin") {
        close();
        open = { begin: parseWith(EpisodeBegin, record, where), turns: [] };
      } else if (record.kind === "turn" && open !== undefined)
        open.turns.push(parseWith(EpisodeTurn, record, where));
      else if (record.kind === "end" && open !== undefined) {
        parseWith(EpisodeEnd, record, where);
        close();
      } else fail(where, "a line of an episode in its place", record.kind ?? "none", undefined, "corrupt");
    }
    close(); // one that was under way when its writer was stopped
    return read;
  },
};

/** The effect of a call on its world is unknown here; the replayed world supplies it later. */
function stepsOf({ begin, turns }: NonNullable<ReadTranscript["episode"]>): Transcript {
  const drafts = turns.flatMap(({ turn, replies, calls, end }) => [
    { message: turn, role: "said" as const, text: replies.at(-1)!, effect: "neither" as const, claims: [] }, // the schema asks for one
    ...calls.map(({ name, arguments: given, answer }) => ({
      ...{ message: turn, role: "called" as const, tool: name },
      text: `${JSON.stringify(given).slice(1, -1)} -> ${JSON.stringify("value" in answer ? answer.value : `${answer.error}: ${answer.message}`)}`,
      effect: "error" in answer ? ("explores" as const) : effectOfCall(name, ""),
      claims: [],
    })),
    {
      ...{ message: turn, role: "answered" as const, effect: "neither" as const, claims: [] },
      text: end.end === "finished" ? end.output : `${end.exception || end.end}: ${end.message}`,
    },
  ]);
  return messageTree("agent", begin.episode, drafts);
}
