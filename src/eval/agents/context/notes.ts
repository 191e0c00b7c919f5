/**
 * @file View: the last turn, a stub for each earlier message, and the notes in the replies (`# note: ...`).
 *
 *     T lines of c tokens, m of them a turn, prompt P, notes N, stub s:
 *     peak = P + m c + N + 2 s T / m        smallest at m* = sqrt(2 T s / c)
 *
 * It reduces the longest prompt, not the total: shorter turns read everything more often.
 *
 * Source: xyliu-cs/StateLM (`deleteContext` leaves a stub where a message was).
 */

import { z } from "zod";
import { asMessages, type History, keptReply, type Message } from "../history.ts";
import type { View } from "./view.ts";

const Params = z.strictObject({
  stub: z.string().default("Content has been deleted to save space."),
  /** `last`: a note replaces the earlier ones. */
  keep: z.enum(["all", "last"]).default("all"),
});

export const notes: View<z.infer<typeof Params>> = {
  name: "notes",
  summary: "the last turn, stubs of those before, and the notes that replies made (# note: ...)",
  params: Params,
  show(history, { stub, keep }) {
    const [last] = history.slice(-1);
    if (last === undefined) return [];
    const before = history.slice(0, -1).flatMap((): Message[] => [
      { role: "assistant", text: stub },
      { role: "user", text: stub },
    ]);
    const kept = keep === "all" ? parseNotes(history) : parseNotes(history).slice(-1);
    return [
      ...before,
      ...asMessages(last, last.end.output),
      ...(kept.length === 0 ? [] : [{ role: "user" as const, text: kept.join("\n") }]),
    ];
  },
};

/** The notes in the replies, oldest first. */
export function parseNotes(history: History): string[] {
  return history.flatMap((turn) => keptReply(turn).match(/^# note: .*$/gm) ?? []);
}

/** A text of `lines` lines of `tokens` tokens, read `chunk` lines at a time; the rest in tokens. */
export interface Reading {
  readonly lines: number;
  readonly tokens: number;
  readonly chunk: number;
  readonly prompt: number;
  readonly notes: number;
  readonly stub: number;
}

/** The longest prompt: the last chunk whole, two stubs for every other. */
export const notesPeak = ({ lines, tokens, chunk, prompt, notes: noted, stub }: Reading) =>
  prompt + chunk * tokens + noted + (2 * stub * lines) / chunk;

/** The chunk, in lines, that makes the longest prompt shortest: m* = sqrt(2 T s / c). */
export const bestChunk = ({ lines, tokens, stub }: Omit<Reading, "chunk">) =>
  Math.sqrt((2 * lines * stub) / tokens);

/** All prompts together, where each chunk takes so many: one to read it, one to note and delete it. */
export function notesProcessed(reading: Reading, prompts = 2): number {
  const { lines, tokens, chunk, prompt, notes: noted, stub } = reading;
  const chunks = lines / chunk;
  return prompts * (chunks * (prompt + chunk * tokens + noted) + stub * chunks * (chunks - 1));
}
