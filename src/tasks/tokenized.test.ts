import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exampleStream, rngFrom } from "../core/rng.ts";
import { WordBuffer } from "./batch/rows.ts";
import { batchWriter, emptyBatch, maximumLength } from "./batch.ts";
import { exampleFrom } from "./example.ts";
import { fileTokenizer } from "./file-tokenizer.ts";
import { type TaskName, taskNamed, taskParams } from "./index.ts";
import { tokenizedTask } from "./tokenized.ts";

const open = async (name: string) =>
  fileTokenizer(
    JSON.parse(
      readFileSync(new URL(`../../golden/tokenizers/${name}/tokenizer.json`, import.meta.url), "utf8"),
    ),
    name,
  );

const prepared = async (name: TaskName, tokens: string, params: object = {}) => {
  const tokenizer = await open(tokens);
  const task = taskNamed(name);
  return { tokenizer, task: tokenizedTask(task, tokenizer).prepare(taskParams(task, params)) };
};

const readable = ["repl", "asserts", "recall", "pfsa", "arithmetic-program", "branches"] as const;
test.each(readable.flatMap((name) => ["gpt2", "llama3", "llama2"].map((tokens) => [name, tokens] as const)))(
  "%s in tokens of %s: each question is asked where the text before the answer ends",
  async (name, tokens) => {
    const { task, tokenizer } = await prepared(name, tokens);
    const batch = emptyBatch(1, maximumLength(task, tokenizer));
    const write = batchWriter(task, tokenizer);
    for (let i = 0; i < 5; i++) {
      const stream = exampleStream(1, "test");
      write(batch, stream, i);
      const { text, reveals } = exampleFrom(task, stream(i));
      expect(exampleFrom(taskNamed(name).prepare(taskParams(taskNamed(name), {})), stream(i)).text).toBe(
        text,
      );
      expect(batch.revealStarts[1]).toBe(reveals.length);
      for (const [k, { start, value }] of reveals.entries()) {
        const [from, to] = [batch.revealPositions[k], batch.revealEnds[k]];
        expect(tokenizer.decode(batch.tokens.subarray(0, from + 1)).trimEnd()).toBe(
          text.slice(0, start).trimEnd(),
        );
        expect(tokenizer.decode(batch.targets.subarray(from, to)).trim()).toBe(value);
        if (task.values.length > 1000) continue; // slow
        const expected = task.tokenized?.values[task.values.indexOf(value)];
        expect([...batch.targets.subarray(from, to)]).toEqual(expected);
      }
    }
  },
);

test("a state follows the token that completes its text", async () => {
  const { task, tokenizer } = await prepared("repl", "unigram");
  const example = exampleFrom(task, rngFrom(3));
  const buffer = new WordBuffer(task);
  task.write(rngFrom(3), buffer);
  const texts = buffer.stateEnds.map((end) => tokenizer.decode(buffer.words.subarray(0, end)));
  expect(texts).toEqual(example.states.map(({ end }) => example.text.slice(0, end)));
  const values = (s: number) => [...buffer.states.slice(3 * s, 3 * s + 3)].map((value) => task.values[value]);
  expect(buffer.stateEnds.map((_, s) => values(s))).toEqual(
    example.states.map(({ values }) => Object.values(values)),
  );
});

test("what a language model cannot be asked is refused, and the text is named", async () => {
  await expect(prepared("parity", "gpt2")).rejects.toThrow(
    "tokenizer: expected word or character for a task that asks for states, got a file",
  );
  await expect(prepared("api", "gpt2")).rejects.toThrow(
    /expected tokens of the answer .* without other text, got "/,
  );
  await expect(prepared("list-permutation", "gpt2")).rejects.toThrow(
    /expected the answer \d in the same tokens everywhere, got ".*assert a == \[/,
  );
});
