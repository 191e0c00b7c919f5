/**
 * @file Converts the messages of a transcript into steps. A reply is split where the place it describes changes; each step has an effect.
 *
 *     changes      a call that may change the state, or a step that claims another state than the one before: edit(...), bash("sed -i ...")
 *     explores     a call that only reads: read_file(...), bash("grep -n x f | head"); a step that repeats the state
 *     neither      prompts, answers, and text without a claim
 *
 * The effect of a call follows from its name and, for shells, from its commands. In doubt it changes the state.
 */

import type { EpisodeBegin, EpisodeTurn } from "../../schemas/agents.ts";
import type { SampleRecord } from "../../schemas/eval.ts";
import type { Claim, Transcript, TranscriptFormat, TranscriptStep } from "../../schemas/transcript.ts";
import { claimParts } from "./extract-claims.ts";
import { objectClaims } from "./parse-values.ts";

export interface MessageCall {
  readonly name: string;
  /** JSON or plain text. */
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

export function makeTranscript(
  format: TranscriptFormat,
  name: string,
  messages: readonly Message[],
): Transcript {
  return messageTree(
    format,
    name,
    messages.flatMap((message, i) => draftsOf(message, i)),
  );
}

/** Builds the tree: a step that changes the state is a new node, and the steps after it are its children. */
export function messageTree(format: TranscriptFormat, name: string, drafts: readonly Draft[]): Transcript {
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
  const said = text.trim() === "" ? [] : claimParts(text);
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

/** Claims in the arguments of a call: `{"line": 5, "state": {"total": 3}}`. Other arguments are not claims. */
function claimsOfCall(given: string): Claim[] {
  const text = given.trim();
  return /"(?:state|locals|variables|values)"\s*:\s*\{/.test(text) ? (objectClaims(text) ?? []) : [];
}

const LOOKS = new Set(
  "read view list ls search find grep get show cat open inspect look describe fetch query lookup check status diff head tail count tree stat print think report state".split(
    " ",
  ),
);
const CHANGES = new Set(
  "write edit create delete remove set update insert replace run execute apply move rename append commit install put post submit take enter".split(
    " ",
  ),
);
const SHELLS = new Set(["bash", "shell", "sh", "terminal", "command", "cmd", "console"]);
const LOOKING = new Set(
  "ls cat head tail grep rg egrep fgrep find wc file stat du df pwd which type echo printf diff cmp sort uniq cut tr awk jq less more tree env whoami date cd nl od xxd strings sha256sum md5sum true test".split(
    " ",
  ),
);
const GIT = new Set(["log", "status", "diff", "show", "blame", "grep", "ls-files", "branch"]);

export function effectOfCall(name: string, given: string): "changes" | "explores" {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);
  if (words.some((word) => SHELLS.has(word))) return commandLooks(commandIn(given)) ? "explores" : "changes";
  if (words.some((word) => CHANGES.has(word))) return "changes";
  return words.some((word) => LOOKS.has(word)) ? "explores" : "changes";
}

/** The command of a shell's call: an argument of that name, or the text itself. */
function commandIn(given: string): string {
  try {
    const value: unknown = JSON.parse(given);
    if (typeof value === "string") return value;
    for (const key of ["command", "cmd", "script", "input", "code"]) {
      const found = (value as Record<string, unknown> | null)?.[key];
      if (typeof found === "string") return found;
      if (Array.isArray(found)) return found.join(" ");
    }
    return "";
  } catch {
    return given;
  }
}

function commandLooks(command: string): boolean {
  const bare = command.replaceAll(/"(?:\\.|[^"\\])*"|'[^']*'/g, "''");
  if (/[`]|\$\(/.test(bare) || />(?!\s*(?:\/dev\/null|&))/.test(bare.replaceAll("2>&1", ""))) return false;
  const pieces = bare.split(/&&|\|\||[;|\n]/).map((piece) => piece.trim());
  const ran = pieces.filter((piece) => piece !== "");
  return (
    ran.length > 0 &&
    ran.every((piece) => {
      const [first, second = ""] = piece.split(/\s+/);
      if (first === "git") return GIT.has(second);
      if (first === "sed") return !/\s-\w*i/.test(piece);
      if (first === "find") return !/\s-(?:delete|exec)/.test(piece);
      return LOOKING.has(first);
    })
  );
}

export interface ReadTranscript {
  readonly transcript: Transcript;
  /** For Statelab's own files: the record from which the truth follows. */
  readonly sample?: SampleRecord;
  readonly episode?: { readonly begin: EpisodeBegin; readonly turns: readonly EpisodeTurn[] };
}

export interface TranscriptReader {
  /** A few words for a list. */
  readonly summary: string;
  /** Undefined if the text has another format. @throws LabError (corrupt) if it has this one and is damaged. */
  read(text: string, at: string): readonly ReadTranscript[] | undefined;
}

/** The JSON of a text, or of each of its lines; undefined if it is neither. */
export function parseJsonText(
  text: string,
): { readonly one?: unknown; readonly lines?: readonly unknown[] } | undefined {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return undefined;
  try {
    return { one: JSON.parse(trimmed) };
  } catch {
    const lines = trimmed.split("\n").filter((line) => line.trim() !== "");
    try {
      return { lines: lines.map((line) => JSON.parse(line)) };
    } catch {
      return undefined;
    }
  }
}

/** Whether a value is an object with these fields. */
export function hasFields(value: unknown, ...fields: readonly string[]): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && fields.every((field) => Object.hasOwn(value, field));
}
