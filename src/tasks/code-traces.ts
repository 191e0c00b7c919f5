/**
 * @file Code traces as a task: straight-line programs that a tracer has made of functions and calls; the last line asserts
 * the result.
 *
 *     n = 2
 *     total = n + 1
 *     assert (total) == 3        asked: what stands behind the last ==, all of it
 *
 * The vocabulary is made of the traces: runs of letters, of spaces, and every other character by itself, digits too. So the
 * traces are an argument, read by whoever may read files; an example is one of them, all equally likely.
 */

import { z } from "zod";
import { fail } from "../records/error.ts";
import type { TraceRecord } from "../records/trace.ts";
import { defineTask, type Prepared, type Task } from "./task.ts";

export const CodeTracesParams = z.strictObject({
  /** Where the traces were read. */
  folder: z.string(),
  /** Longer traces are passed over. */
  mostWords: z.int().min(8).default(512),
});
export type CodeTracesParams = z.infer<typeof CodeTracesParams>;

export type CodeTrace = Pick<TraceRecord, "code" | "literal">;

export function codeTracesTask(traces: readonly CodeTrace[]): Task<CodeTracesParams> {
  return defineTask<CodeTracesParams>({
    name: "code-traces",
    summary: "straight-line programs that a tracer has made; what does the last line assert?",
    source: "Grounding Code Understanding in Step-by-Step Execution (2024)",
    params: CodeTracesParams,
    prepare: (params) => prepareCodeTraces(traces, params),
  });
}

/** `forloop0 = 12` is "forloop" "0" " " "=" " " "1" "2". */
export function wordsOfCode(code: string): string[] {
  return code.match(/[\p{L}_]+| +|[^\p{L}_ ]/gsu) ?? [];
}

function prepareCodeTraces(traces: readonly CodeTrace[], { folder, mostWords }: CodeTracesParams): Prepared {
  const programs = traces.flatMap(({ code, literal }) => {
    const end = `== ${literal}`;
    const text = code.trimEnd();
    if (literal === null || !text.endsWith(end)) return [];
    const before = wordsOfCode(text.slice(0, -literal.length));
    const answer = wordsOfCode(literal);
    return before.length + answer.length < mostWords ? [{ before, answer, literal }] : [];
  });
  if (programs.length === 0) {
    const hint = `${traces.length} traces were read; make some by statelab data trace, or raise task.mostWords`;
    fail(folder, `traces of fewer than ${mostWords} words that end in an assert`, "none", hint);
  }
  // A word of one trace may be all that tells it from another: nothing is left out as rare.
  const words = [
    ...new Set(["\n", ...programs.flatMap(({ before, answer }) => [...before, ...answer])]),
  ].sort();
  const indexOf = new Map(words.map((word, i) => [word, i]));
  const values = [...new Set(programs.map(({ literal }) => literal))];
  const numbered = (list: readonly string[]) => Int32Array.from(list, (word) => indexOf.get(word)!); // made of them
  const encoded = programs.map(({ before, answer, literal }) => ({
    before: numbered(before),
    answer: numbered(answer),
    value: values.indexOf(literal),
  }));
  const newline = indexOf.get("\n")!; // put there above
  return {
    words,
    variables: ["result"],
    values,
    maximumWords: Math.max(...encoded.map(({ before, answer }) => before.length + answer.length + 1)),
    maximumStates: 0,
    write(rng, sink) {
      const { before, answer, value } = encoded[rng.below(encoded.length)];
      for (const word of before) sink.word(word);
      sink.reveal(0, value, answer.length);
      for (const word of answer) sink.word(word);
      sink.word(newline);
    },
  };
}
