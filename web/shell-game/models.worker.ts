/** @file A worker for the models: each question is put to one after the other. A newer request replaces an older one. */

import { errorText } from "../../src/core/error.ts";
import { exhibits, weightsFile } from "./demo-models.ts";
import { makeReader, type Reader } from "./read.ts";

export interface ToRead {
  /** Its number. */
  readonly request: number;
  readonly questions: readonly Question[];
}

export interface Question {
  readonly name: string;
  /** `places`: for each value that is asked the text up to it. */
  readonly parts: readonly { readonly text: string; readonly places: readonly string[] }[];
}

export type WasRead = { readonly request: number; readonly question: string; readonly exhibit: string } & (
  | { readonly probabilities: readonly (readonly number[])[] }
  | { readonly error: string }
);

const readers = new Map<string, Promise<Reader>>();

let latest = -1;

self.addEventListener("message", async ({ data: { request, questions } }: MessageEvent<ToRead>) => {
  latest = request;
  for (const { name: question, parts } of questions)
    for (const { id, ...exhibit } of exhibits) {
      const about = { request, question, exhibit: id };
      let said: WasRead;
      try {
        if (!readers.has(id))
          readers.set(
            id,
            weightsFile(id).then((file) => makeReader(exhibit, file)),
          );
        const read = await readers.get(id)!;
        said = { ...about, probabilities: parts.flatMap(({ text, places }) => read(text, places)) };
      } catch (error) {
        readers.delete(id); // the next question tries again
        said = { ...about, error: errorText(error) };
      }
      postMessage(said);
      await new Promise((next) => setTimeout(next)); // a newer request is heard here
      if (latest !== request) return;
    }
});
