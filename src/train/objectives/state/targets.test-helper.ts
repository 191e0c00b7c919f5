/** @file A batch of a task with its states asked for, for the tests of what is asked. */

import {
  batchWriter,
  emptyBatch,
  exampleStream,
  maximumLength,
  type Prepared,
  type Tokenizer,
} from "../../../tasks/index.ts";
import { emptyQuestions, type StateForm, stateFiller, stateSizes } from "./targets.ts";

/** Filled from example `first` on, after it was filled with others, which must be cleared. */
export function questionsIn(
  prepared: Prepared,
  tokenizer: Tokenizer,
  form: StateForm,
  { rows, seed, first = 0 }: { readonly rows: number; readonly seed: number; readonly first?: number },
) {
  const length = maximumLength(prepared, tokenizer);
  const batch = emptyBatch(rows, length);
  const questions = emptyQuestions(rows, stateSizes(prepared, tokenizer, form, length));
  const fill = stateFiller(prepared, tokenizer, form);
  const write = batchWriter(prepared, tokenizer);
  for (const from of [first + 70, first])
    write(batch, exampleStream(seed, "train"), from, [(...example) => fill(questions, ...example)]);
  return { batch, questions };
}
