/** @file What reads one kind of transcript file. A reader says that a text is none of its own, or reads it whole. */

import type { EpisodeBegin, EpisodeTurn } from "../../schemas/agents.ts";
import type { SampleRecord } from "../../schemas/eval.ts";
import type { Transcript } from "../../schemas/transcript.ts";

export interface ReadTranscript {
  readonly transcript: Transcript;
  /** Of the lab's own files: what its truth follows from. */
  readonly sample?: SampleRecord;
  readonly episode?: { readonly begin: EpisodeBegin; readonly turns: readonly EpisodeTurn[] };
}

export interface TranscriptReader {
  /** A few words for a list. */
  readonly summary: string;
  /** Undefined where the text is another kind. @throws LabError (corrupt) where it is this one, and damaged. */
  read(text: string, at: string): readonly ReadTranscript[] | undefined;
}

/** The JSON of a text, or of each of its lines; undefined where it is neither. */
export function jsonOf(
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
