/**
 * @file Code traces as a task: straight-line programs that the tracer has made of functions and calls; the last line asserts the
 * result.
 *
 *     n = 2                      state: n 2
 *     total = n + 1              state: n 2 \n total 3
 *     assert (total) == 3        asked: everything after the last ==
 *
 * The vocabulary comes from the traces and their states: runs of letters, runs of spaces, and every other character separately, digits
 * too. So the traces are an argument, since reading files is the caller's job; an example is one of them, uniformly. A state is what
 * the tracer recorded, in Python syntax.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { stateLiterals } from "../python/values/repr.ts";
import type { TraceLine, TraceRecord } from "../schemas/trace.ts";
import { defineTask, type Prepared, type Task, type WrittenState } from "./task.ts";

const CodeTracesParams = z.strictObject({
  folder: z.string().describe("Folder of the traces"),
  mostWords: z.int().min(8).default(512).describe("Skips longer traces"),
  mostStateWords: z.int().positive().default(64).describe("Skips longer states"),
  mostStates: z.int().positive().default(16).describe("Largest number of states asked per program"),
});
type CodeTracesParams = z.infer<typeof CodeTracesParams>;

export interface CodeTrace extends Pick<TraceRecord, "code" | "literal"> {
  /** Of the whole code; undefined if its states are not recorded. */
  readonly lines?: readonly Pick<TraceLine, "code" | "state">[] | undefined;
}

export function codeTracesTask(traces: readonly CodeTrace[]): Task<CodeTracesParams> {
  // Cached: one training requests it several times, and tokenizing all states takes seconds.
  const known = new Map<string, Prepared>();
  return defineTask<CodeTracesParams>({
    name: "code-traces",
    summary: "straight-line programs that the tracer has made: what does the last line assert?",
    source: "Grounding Code Understanding in Step-by-Step Execution (2024)",
    params: CodeTracesParams,
    prepare(params) {
      const key = JSON.stringify(params);
      const prepared = known.get(key) ?? prepareCodeTraces(traces, params);
      known.set(key, prepared);
      return prepared;
    },
  });
}

/** `forloop0 = 12` is "forloop" "0" " " "=" " " "1" "2". */
export function wordsOfCode(code: string): string[] {
  return code.match(/[\p{L}_]+| +|[^\p{L}_ ]/gsu) ?? [];
}

function prepareCodeTraces(traces: readonly CodeTrace[], params: CodeTracesParams): Prepared {
  const { folder, mostWords, mostStateWords, mostStates } = params;
  const programs = traces.flatMap(({ code, literal, lines = [] }) => {
    const end = `== ${literal}`;
    const text = code.trimEnd();
    if (literal === null || !text.endsWith(end)) return [];
    const before = wordsOfCode(text.slice(0, -literal.length));
    const answer = wordsOfCode(literal);
    if (before.length + answer.length >= mostWords) return [];
    return [{ before, answer, literal, states: statesOf(lines, mostStateWords) }];
  });
  if (programs.length === 0) {
    const hint = `${traces.length} traces were read; create some with statelab data trace, or raise task.mostWords`;
    fail(folder, `traces of fewer than ${mostWords} words that end in an assert`, "none", hint);
  }
  // A rare word may be the only difference between two traces: keep all.
  const used = new Set(["\n"]);
  for (const { before, answer, states } of programs) {
    const texts = states.flatMap(({ all = [], changed = [] }) => [all, changed]);
    for (const text of [before, answer, ...texts]) for (const word of text) used.add(word);
  }
  const words = [...used].sort();
  const indexOf = new Map(words.map((word, i) => [word, i]));
  const values = [...new Set(programs.map(({ literal }) => literal))];
  const numbered = (list: readonly string[]) => Int32Array.from(list, (word) => indexOf.get(word)!); // made from them
  const writtenStates: WrittenState[] = [];
  const encoded = programs.map(({ before, answer, literal, states }) => ({
    before: numbered(before),
    answer: numbered(answer),
    value: values.indexOf(literal),
    // The state after a line, at the word that ends it.
    stateAfter: new Map(
      states.map(({ end, values, all, changed }) => {
        const text = { all: all && numbered(all), changed: changed && numbered(changed) };
        return [end - 1, writtenStates.push({ values, ...text }) - 1];
      }),
    ),
  }));
  const newline = indexOf.get("\n")!; // added above
  return {
    words,
    variables: ["result"],
    values,
    maximumWords: Math.max(...encoded.map(({ before, answer }) => before.length + answer.length + 1)),
    maximumStates: Math.max(...encoded.map(({ stateAfter }) => stateAfter.size)),
    writtenStates,
    mostQuestions: mostStates,
    write(rng, sink) {
      const { before, answer, value, stateAfter } = encoded[rng.below(encoded.length)];
      for (const [i, word] of before.entries()) {
        sink.word(word);
        const state = stateAfter.get(i);
        if (state !== undefined) sink.state([state]);
      }
      sink.reveal(0, value, answer.length);
      for (const word of answer) sink.word(word);
      sink.word(newline);
    },
  };
}

/** The states of a trace in words, each after `end` words of its code. */
function statesOf(lines: NonNullable<CodeTrace["lines"]>, most: number) {
  let end = 0;
  let before: Readonly<Record<string, string>> = {};
  // The state after the last line, the assert, is not asked.
  return lines.slice(0, -1).flatMap(({ code, state }) => {
    end += wordsOfCode(`${code}\n`).length;
    if (state === null) return [];
    const values = stateLiterals(state);
    const old = before;
    before = values;
    const text = (names: readonly string[]) => {
      const words = wordsOfCode(names.map((name) => `${name} ${values[name]}`).join("\n"));
      return words.length > most ? undefined : words;
    };
    const names = Object.keys(values);
    return [
      { end, values, all: text(names), changed: text(names.filter((name) => values[name] !== old[name])) },
    ];
  });
}
