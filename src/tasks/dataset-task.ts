/**
 * @file A data set as a task: every example is one of its rows, uniformly.
 *
 *     {"text":"on off [0]\n","reveals":[{"start":8,"end":9,"variable":"lamp","value":"0","commands":2}],"states":[...]}
 *
 * Rows written by a task of this package have the words, bounds and references of that task. For other rows the words come from their
 * texts: runs of letters, runs of spaces, and every other character separately. The rows are an argument, since reading files is the
 * caller's job.
 */

import { z } from "zod";
import { suggest } from "../core/did-you-mean.ts";
import { fail } from "../core/error.ts";
import type { DatasetRow } from "../schemas/dataset.ts";
import { wordsOfCode } from "./code-traces.ts";
import { defineTask, type Prepared, type Sink, type Task } from "./task.ts";
import { type Tokenizer, wordTokenizer } from "./tokenizer.ts";

const DataSetParams = z.strictObject({
  folder: z.string().describe("Folder of the data set"),
  split: z.string().default("train").describe("Split of the data set"),
});
type DataSetParams = z.infer<typeof DataSetParams>;

/** Rows that are read on demand: there may be more than fit into memory. */
export interface Rows {
  readonly count: number;
  at(index: number): DatasetRow;
  /** The row's file and line, for errors. */
  where(index: number): string;
}

interface DataSet {
  readonly splits: Readonly<Record<string, Rows>>;
  /** The task that wrote them, with its parameters. */
  readonly made?: Prepared | undefined;
}

export function dataSetTask({ splits, made }: DataSet): Task<DataSetParams> {
  let own: Vocabulary | undefined;
  return defineTask<DataSetParams>({
    name: "data-set",
    summary: "the rows of a data set, as statelab generate --out writes them",
    source: "yours",
    params: DataSetParams,
    prepare({ folder, split }) {
      const rows = Object.hasOwn(splits, split) ? splits[split] : undefined;
      const names = Object.keys(splits);
      if (rows === undefined)
        fail(
          "task.split",
          `one of ${names.join(", ")}`,
          split,
          suggest(split, names) ?? `They are in ${folder}`,
        );
      if (rows.count === 0) fail(folder, `a row in split ${split}`, "none");
      own ??= made === undefined ? vocabularyOf(Object.values(splits)) : undefined;
      const about = made ?? own!; // one of the two
      const writer = rowWriter(about);
      return {
        ...about,
        write(rng, sink) {
          const index = rng.below(rows.count);
          writer(rows.at(index), rows.where(index), sink);
        },
      };
    },
  });
}

type Vocabulary = Omit<Prepared, "write">;

/** Statistics of the rows of all splits, from one pass. */
function vocabularyOf(splits: readonly Rows[]): Vocabulary {
  const [words, variables, values] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const most = { words: 0, characters: 0, states: 0 };
  const asked = { written: 0, unwritten: 0 };
  for (const rows of splits) {
    for (let i = 0; i < rows.count; i++) {
      const { text, reveals, states } = rows.at(i);
      const read = wordsOfCode(text);
      for (const word of read) words.add(word);
      most.words = Math.max(most.words, read.length);
      most.characters = Math.max(most.characters, text.length);
      most.states = Math.max(most.states, states.length);
      for (const { start, end, variable, value } of reveals) {
        variables.add(variable);
        values.add(value);
        asked[start === end ? "unwritten" : "written"]++;
        if (asked.written > 0 && asked.unwritten > 0)
          fail(rows.where(i), "reveals that are all written, or all not", "both");
      }
      for (const { values: held } of states) {
        for (const [name, value] of Object.entries(held)) {
          variables.add(name);
          values.add(value);
        }
      }
    }
  }
  // A queried, unwritten state is a single word.
  if (asked.unwritten > 0) for (const value of values) words.add(value);
  return {
    words: [...words].sort(),
    variables: [...variables].sort(),
    values: [...values].sort(),
    asks: asked.unwritten > 0 ? "states" : "words",
    maximumWords: most.words,
    maximumCharacters: most.characters,
    maximumStates: Math.max(1, most.states),
  };
}

/** Writes a row as an example; `at` is its location for errors. */
function rowWriter(about: Vocabulary): (row: DatasetRow, at: string, sink: Sink) => void {
  const { words, variables, values, asks } = about;
  const tokenizer: Tokenizer = wordTokenizer(words);
  const placeIn = (names: readonly string[]) => new Map(names.map((name, i) => [name, i]));
  const [variableAt, valueAt] = [placeIn(variables), placeIn(values)];
  const index = (known: ReadonlyMap<string, number>, kind: string, name: string, at: string) =>
    known.get(name) ?? fail(at, `one of the ${kind} of the data set's task`, name);
  return ({ text, reveals, states }, at, sink) => {
    const ids = tokenizer.encode(text);
    const starts: number[] = [];
    let length = 0;
    for (const id of ids) {
      starts.push(length);
      length += words[id].length;
    }
    const wordAt = new Map([...starts, length].map((start, i) => [start, i]));
    const place = (offset: number, what: string) =>
      wordAt.get(offset) ?? fail(at, `${what} at the edge of a word`, text.slice(offset - 5, offset + 5));
    const stateAfter = new Map(states.map((state) => [place(state.end, "a state") - 1, state]));
    const written = new Map<number, () => void>();
    const behind = new Map<number, () => void>();
    for (const { start, end, variable, value } of reveals) {
      const name = index(variableAt, "variables", variable, at);
      const held = index(valueAt, "values", value, at);
      const first = place(start, "a reveal");
      if (asks === "states") {
        behind.set(first - 1, () => sink.target(name, held));
      } else {
        if (text.slice(start, end) !== value) fail(at, `a reveal that is ${value}`, text.slice(start, end));
        const count = place(end, "the end of a reveal") - first;
        written.set(first, () => sink.reveal(name, held, count));
      }
    }
    for (const [i, id] of ids.entries()) {
      written.get(i)?.();
      sink.word(id);
      const state = stateAfter.get(i);
      if (state !== undefined) {
        const held = state.values;
        sink.state(
          variables.map((name) =>
            Object.hasOwn(held, name) ? index(valueAt, "values", held[name], at) : -1,
          ),
        );
      }
      behind.get(i)?.();
    }
  };
}
