/** @file Interface of transcript readers: each reads one format, or reports that the text has another one. */

import type { EpisodeBegin, EpisodeTurn } from "../../schemas/agents.ts";
import type { SampleRecord } from "../../schemas/eval.ts";
import type { Transcript } from "../../schemas/transcript.ts";

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
