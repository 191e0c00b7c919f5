import { expect, test } from "vitest";
import { contentHash } from "./batch.ts";
import { wordsFrom } from "./example.ts";
import { batchWriter, emptyBatch, exampleStream, maximumLength, prepareTask } from "./index.ts";
import { repl } from "./repl.ts";
import type { Prepared } from "./task.ts";
import { characterTokenizer, wordTokenizer } from "./tokenizer.ts";

/** Writes "x", then the value "10" revealed, then "y". */
const tiny: Prepared = {
  words: ["x", "10", "y"],
  variables: ["v"],
  values: ["10"],
  maximumWords: 3,
  write(_, sink) {
    sink.word(0);
    sink.reveal(0, 0);
    sink.word(1);
    sink.word(2);
  },
};
/** Writes "x", "y", "x" and asks for the state after the second and the third. */
const silent: Prepared = {
  words: ["x", "y", "10"],
  variables: ["v"],
  values: ["10", "y"],
  asks: "states",
  maximumWords: 4,
  write(_, sink) {
    sink.word(0);
    sink.word(1);
    sink.target(0, 0);
    sink.word(0);
    sink.target(0, 1);
  },
};
const stream = exampleStream(0, "train");

test("a state that is asked for is the target of the word before it, and all words are positions", () => {
  const batch = emptyBatch(2, 4);
  batch.targets.fill(9);
  batch.weights.fill(9);
  batchWriter(silent, wordTokenizer(silent.words))(batch, stream, 0);
  expect([...batch.tokens]).toEqual([0, 1, 0, 0, 0, 1, 0, 0]);
  expect([...batch.targets]).toEqual([0, 2, 1, 0, 0, 2, 1, 0]);
  expect([...batch.weights]).toEqual([0, 1, 1, 0, 0, 1, 1, 0]);
  expect([...batch.lengths]).toEqual([3, 3]);
  expect([...batch.revealStarts]).toEqual([0, 2, 4]);
  expect([...batch.revealPositions.slice(0, 4)]).toEqual([1, 2, 5, 6]);
  expect(batch.hashes[0]).toBe(contentHash([0, 1, 0]));
  expect(maximumLength(silent, wordTokenizer(silent.words))).toBe(4);
});

test("states that are not written have one token each", () => {
  expect(() => batchWriter(silent, characterTokenizer(silent.words))).toThrow(
    'tokenizer: expected "word" for a task that asks for states of several characters, got "character"',
  );
});

test("readers are shown each example with its place, its states, and its own stream behind the draws that made it", () => {
  const told: Prepared = {
    ...tiny,
    write(rng, sink) {
      sink.state([rng.below(1000)]);
      tiny.write(rng, sink);
      sink.state([7]);
    },
  };
  const seen: unknown[] = [];
  batchWriter(told, wordTokenizer(told.words))(emptyBatch(2, 4), stream, 5, [
    (row, { words, count, states, stateEnds }, start, end, rng) =>
      seen.push([row, [...words.slice(0, count)], [...states], [...stateEnds], start, end, rng.below(1000)]),
  ]);
  const wanted = [0, 1].map((row) => {
    const rng = stream(5 + row);
    const drawn = rng.below(1000);
    return [row, [0, 1, 2], [drawn, 7], [0, 3], 4 * row, 4 * row + 2, rng.below(1000)];
  });
  expect(seen).toEqual(wanted);
});

test("a task that does not ask as it says is refused", () => {
  const words = { ...silent, asks: "words" as const };
  const states = { ...tiny, asks: "states" as const };
  for (const [wrong, message] of [
    [words, 'asks: "states" for a reveal of a state, got "words"'],
    [states, 'asks: "words" where a word is revealed, got "states"'],
  ] as const) {
    const write = batchWriter(wrong, wordTokenizer(wrong.words));
    expect(() => write(emptyBatch(1, 9), stream, 0)).toThrow(message);
  }
});

test("splits and seeds share no program of 48 commands, and a batch's hash is the hash of the words", () => {
  const prepared = prepareTask(repl, { commands: 48 });
  const write = batchWriter(prepared, wordTokenizer(prepared.words));
  const batch = emptyBatch(2000, prepared.maximumWords - 1);
  const seen = new Set<number>();
  for (const [seed, split] of [
    [0, "train"],
    [0, "test"],
    [1, "train"],
  ] as const) {
    write(batch, exampleStream(seed, split), 0);
    for (const hash of batch.hashes) seen.add(hash);
  }
  expect(seen.size).toBe(6000);
  expect(batch.hashes[5]).toBe(contentHash(wordsFrom(prepared, exampleStream(1, "train")(5))));
});

test("there are as many hashes as programs where short programs do repeat", () => {
  const prepared = prepareTask(repl, { commands: 3, spacing: 3 }); // 6 orders, 3^3 commands, 3 reveals: 486 programs
  const batch = emptyBatch(5000, prepared.maximumWords - 1);
  batchWriter(prepared, wordTokenizer(prepared.words))(batch, stream, 0);
  const texts = Array.from({ length: 5000 }, (_, i) => wordsFrom(prepared, stream(i)).join());
  expect(new Set(texts).size).toBe(486);
  expect(new Set(batch.hashes).size).toBe(486);
});

test("two sequences that differ anywhere have different hashes, and hashes fill 53 bits evenly", () => {
  const hashes = new Set<number>();
  const words = new Array<number>(20).fill(0);
  hashes.add(contentHash(words));
  for (let i = 0; i < 20; i++) {
    for (let word = 1; word < 50; word++) hashes.add(contentHash(words.with(i, word)));
    hashes.add(contentHash(words.slice(0, i)));
  }
  for (let i = 0; i < 20; i++)
    for (let j = 0; j < i; j++) hashes.add(contentHash(words.with(i, 1).with(j, 60)));
  expect(hashes.size).toBe(1 + 20 * 49 + 20 + 190);
  for (let bit = 0; bit < 53; bit++) {
    const ones = [...hashes].filter((hash) => Math.floor(hash / 2 ** bit) % 2 === 1).length;
    expect(Math.abs(ones / hashes.size - 0.5), `bit ${bit}`).toBeLessThan(0.1);
  }
});

test("a batch too short for its examples, or a task that breaks its bound, is refused", () => {
  const tokenizer = wordTokenizer(tiny.words);
  expect(() => batchWriter(tiny, tokenizer)(emptyBatch(1, 1), stream, 0)).toThrow(
    "expected a batch length that holds every example, got 1. maximumLength is 2 by word",
  );
  const wrong = { ...tiny, maximumWords: 2 };
  expect(() => batchWriter(wrong, tokenizer)(emptyBatch(1, 9), stream, 0)).toThrow("maximumWords (2)");
  expect(maximumLength(tiny, characterTokenizer(tiny.words))).toBe(5); // 3 words of at most 2 characters
});
