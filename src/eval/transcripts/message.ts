/**
 * @file From the messages of a transcript to its steps: what an agent said goes apart where the place that it speaks of changes, and each step is told
 * by its effect.
 *
 *     changes      a call that may change what is there, or a step that claims another state than the one before
 *     explores     a call that only looks: read_file, grep ...; a step that says the state again
 *     neither      what was asked or answered, and words without a claim
 */

import type { Claim, Transcript, TranscriptFormat, TranscriptStep } from "../../schemas/transcript.ts";
import { partsOf } from "./extract-claims.ts";
import { objectClaims } from "./parse-values.ts";
import { effectOfCall } from "./tool-effects.ts";

export interface MessageCall {
  readonly name: string;
  /** As JSON, or as it stands. */
  readonly arguments: string;
}

export interface Message {
  /** `asked`: of a person or a system; `answered`: to a call. */
  readonly role: "asked" | "said" | "answered";
  readonly text: string;
  readonly calls?: readonly MessageCall[];
  readonly tool?: string;
}

type Draft = Omit<TranscriptStep, "index" | "under" | "effect"> & {
  readonly effect?: TranscriptStep["effect"];
};

export function transcriptOf(
  format: TranscriptFormat,
  name: string,
  messages: readonly Message[],
): Transcript {
  return treeOf(
    format,
    name,
    messages.flatMap((message, i) => draftsOf(message, i)),
  );
}

/** Steps under each other: one that changes the state is a state of its own, and what follows stands in it. */
export function treeOf(format: TranscriptFormat, name: string, drafts: readonly Draft[]): Transcript {
  let under: number | null = null;
  const claimed = new Map<string, string>();
  const steps = drafts.map((draft, index): TranscriptStep => {
    const moved = draft.claims.filter((claim) => claimed.get(claim.name) !== claim.value);
    for (const { name: variable, value } of draft.claims) claimed.set(variable, value);
    const effect =
      draft.effect ?? (draft.claims.length === 0 ? "neither" : moved.length > 0 ? "changes" : "explores");
    const step = { index, ...draft, effect, under };
    if (effect === "changes") under = index;
    return step;
  });
  return { format, name, steps };
}

function draftsOf({ role, text, calls = [], tool }: Message, message: number): Draft[] {
  if (role !== "said")
    return [{ message, role, ...(tool !== undefined && { tool }), text, effect: "neither", claims: [] }];
  const said = text.trim() === "" ? [] : partsOf(text);
  return [
    ...said.map(
      ({ text: part, claims }): Draft => ({ message, role: "said", text: part, claims: [...claims] }),
    ),
    ...calls.map(
      ({ name, arguments: given }): Draft => ({
        ...{ message, role: "called", tool: name, text: given },
        effect: effectOfCall(name, given),
        claims: claimsOfCall(given),
      }),
    ),
  ];
}

/** What a call says of the state: `{"line": 5, "state": {"total": 3}}`. Its other arguments are no claims. */
function claimsOfCall(given: string): Claim[] {
  const text = given.trim();
  return /"(?:state|locals|variables|values)"\s*:\s*\{/.test(text) ? (objectClaims(text) ?? []) : [];
}
