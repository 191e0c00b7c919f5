/** @file Every kind of transcript, by name. To add one: write its file, its test, its name in schemas/transcript.ts, and one line here. */

import { fail } from "../../core/error.ts";
import type { TranscriptFormat } from "../../schemas/transcript.ts";
import { inspect } from "./inspect.ts";
import { markdown } from "./markdown.ts";
import type { ReadTranscript, TranscriptReader } from "./message.ts";
import { openai } from "./openai.ts";
import { ask, ledger } from "./statelab.ts";

export type { ReadTranscript } from "./message.ts";

/** In the order in which they are tried: specific formats first. */
export const transcriptReaders: Readonly<Record<TranscriptFormat, TranscriptReader>> = {
  agent: ledger,
  ask,
  inspect,
  openai,
  markdown,
};

/** Every transcript of a file. @throws LabError (corrupt) if the format is unknown or the file is damaged. */
export function readTranscripts(text: string, at: string): readonly ReadTranscript[] {
  for (const reader of Object.values(transcriptReaders)) {
    const found = reader.read(text, at);
    if (found !== undefined) return found;
  }
  const known = Object.values(transcriptReaders).map(({ summary }) => summary);
  return fail(at, `a transcript: ${known.join("; ")}`, text.slice(0, 60), undefined, "corrupt");
}
