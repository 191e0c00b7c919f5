/** @file A worker for the models, one after the other. A newer session replaces an older one. */

import exhibits from "../models/exhibits.json" with { type: "json" };
import type { Exhibit } from "./demo-models.ts";
import { makeReader, type Reader } from "./read.ts";

export interface ToRead {
  readonly session: number;
  readonly questions: readonly Question[];
}

export interface Question {
  readonly text: string;
  /** For each value that is asked the text up to it. */
  readonly places: readonly string[];
}

export type WasRead = { readonly session: number; readonly exhibit: string } & (
  | { readonly probabilities: readonly (readonly number[])[]; readonly milliseconds: number }
  | { readonly error: string }
);

const readers = new Map<string, Promise<Reader>>();

async function load(exhibit: Exhibit): Promise<Reader> {
  const response = await fetch(new URL(`models/${exhibit.id}.safetensors`, import.meta.url));
  if (!response.ok) throw new Error(`its weights could not be loaded (${response.status})`);
  return makeReader(exhibit, new Uint8Array(await response.arrayBuffer()));
}

let latest = -1;

self.addEventListener("message", async ({ data }: MessageEvent<ToRead>) => {
  latest = data.session;
  for (const exhibit of exhibits as unknown as Exhibit[]) {
    const { session } = data;
    let said: WasRead;
    try {
      if (!readers.has(exhibit.id)) readers.set(exhibit.id, load(exhibit));
      const read = await readers.get(exhibit.id)!;
      const started = performance.now();
      const probabilities = data.questions.flatMap(({ text, places }) => read(text, places));
      said = { session, exhibit: exhibit.id, probabilities, milliseconds: performance.now() - started };
    } catch (error) {
      readers.delete(exhibit.id); // the next session tries again
      said = { session, exhibit: exhibit.id, error: error instanceof Error ? error.message : String(error) };
    }
    postMessage(said);
    await new Promise((next) => setTimeout(next)); // a newer session is heard here
    if (latest !== session) return;
  }
});
