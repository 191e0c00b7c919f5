/** @file A worker for the models, one after the other. A newer session replaces an older one. */

import { errorText } from "../../src/core/error.ts";
import { exhibits, weightsFile } from "./demo-models.ts";
import { makeReader, type Reader } from "./read.ts";

export interface ToRead {
  /** Its number. */
  readonly request: number;
  readonly questions: readonly Question[];
}

export interface Question {
  readonly text: string;
  /** For each value that is asked the text up to it. */
  readonly places: readonly string[];
}

export type WasRead = { readonly request: number; readonly exhibit: string } & (
  | { readonly probabilities: readonly (readonly number[])[]; readonly milliseconds: number }
  | { readonly error: string }
);

const readers = new Map<string, Promise<Reader>>();

let latest = -1;

self.addEventListener("message", async ({ data: { request, questions } }: MessageEvent<ToRead>) => {
  latest = request;
  for (const { id, ...exhibit } of exhibits) {
    let said: WasRead;
    try {
      if (!readers.has(id))
        readers.set(
          id,
          weightsFile(id).then((file) => makeReader(exhibit, file)),
        );
      const read = await readers.get(id)!;
      const started = performance.now();
      const probabilities = questions.flatMap(({ text, places }) => read(text, places));
      said = { request, exhibit: id, probabilities, milliseconds: performance.now() - started };
    } catch (error) {
      readers.delete(id); // the next session tries again
      said = { request, exhibit: id, error: errorText(error) };
    }
    postMessage(said);
    await new Promise((next) => setTimeout(next)); // a newer session is heard here
    if (latest !== request) return;
  }
});
