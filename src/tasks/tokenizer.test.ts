import { Tokenizer as HuggingFace } from "@huggingface/tokenizers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LabError } from "../core/error.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed } from "./index.ts";
import { repl } from "./repl.ts";
import {
  characterTokenizer,
  huggingFaceConfig,
  lineEnd,
  toHuggingFace,
  unknownWords,
  wordTokenizer,
} from "./tokenizer.ts";

const prepared = [
  prepareTask(repl, { spacing: [1, 3] }),
  prepareTask(repl, { variables: 8, commandKind: "permutation", repeatedValues: true, reveal: "full" }),
  prepareTask(repl, { promptStyle: "script" }),
  prepareTask(taskNamed("group-words"), { group: "Z_12 x S_3", length: [1, 9] }),
  prepareTask(taskNamed("modular-arithmetic"), {}),
  prepareTask(taskNamed("state-recall"), {}),
];

test.each([
  ["word", wordTokenizer],
  ["character", characterTokenizer],
])("Hugging Face's own tokenizer reads our %s file and agrees on ids and text", (_, make) => {
  for (const task of prepared) {
    const ours = make(task.words);
    const file = JSON.parse(JSON.stringify(toHuggingFace(ours)));
    const theirs = new HuggingFace(file, huggingFaceConfig(ours));
    for (let i = 0; i < 100; i++) {
      const { text } = exampleFrom(task, exampleStream(1, "train")(i));
      const ids = ours.encode(text);
      expect(theirs.encode(text).ids).toEqual(ids);
      expect(theirs.decode(ids)).toBe(text);
    }
  }
});

test("the line end is a special token only where no other token contains it", () => {
  expect(lineEnd(wordTokenizer(["a", "\n", "b"]))).toBe(1);
  expect(lineEnd(wordTokenizer(["a", "\n", ":\n"]))).toBeUndefined();
  expect(lineEnd(wordTokenizer(["a", ":\n"]))).toBeUndefined();
  expect(huggingFaceConfig(wordTokenizer(["a"]))).not.toHaveProperty("pad_token");
});

test("any words without a common reading survive the round trip, special characters of regular expressions included", () => {
  const symbols = fc.uniqueArray(fc.constantFrom(..."ab.*+?^$|()[]{}\\/-# \n\t'\"é😀"), { minLength: 1 });
  fc.assert(
    fc.property(symbols, fc.array(fc.nat(), { maxLength: 40 }), (words, picks) => {
      const picked = picks.map((pick) => pick % words.length);
      for (const make of [wordTokenizer, characterTokenizer]) {
        const ours = make(words);
        const text = picked.map((i) => words[i]).join("");
        const ids = ours.encode(text);
        expect(ours.decode(ids)).toBe(text);
        if (make === wordTokenizer) expect(ids).toEqual(picked);
        if (text === "") continue;
        const theirs = new HuggingFace(
          JSON.parse(JSON.stringify(toHuggingFace(ours))),
          huggingFaceConfig(ours),
        );
        expect(theirs.encode(text).ids).toEqual(ids);
        expect(theirs.decode(ids)).toBe(text);
      }
    }),
  );
});

test("the longest word wins where several fit", () => {
  const words = wordTokenizer([">", ">>", ">>> ", " "]);
  expect(words.encode(">>> >>>")).toEqual([2, 1, 0]);
});

test("the character alphabet is sorted and free of repeats", () => {
  expect(characterTokenizer(["cab", "b a"]).tokens).toEqual([" ", "a", "b", "c"]);
});

test("text and ids outside the vocabulary are refused, and the place is named", () => {
  const words = wordTokenizer(["ab", "c"]);
  expect(() => words.encode("abcax")).toThrow('at character 3, got "ax"');
  expect(() => words.decode([0, 2])).toThrow("expected ids 0 to 1, got 2");
  for (const wrong of [[], ["a", "a"], ["a", ""]]) expect(() => wordTokenizer(wrong)).toThrow(LabError);
});

test("the words that no token begins are named whole and once", () => {
  const tokenizer = wordTokenizer(["a", "b", " = ", "1", "\n"]);
  expect(unknownWords(tokenizer, "a = 1\nb = 1")).toEqual([]);
  expect(unknownWords(tokenizer, "user: a = 12\nassistant is é user!")).toEqual([
    ...["user", ":", " ", "12", "assistant", "is", "é", "!"],
  ]);
  expect(unknownWords(tokenizer, "x y z", 2)).toEqual(["x", " "]);
});
