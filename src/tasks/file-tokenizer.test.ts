import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fileTokenizer } from "./file-tokenizer.ts";

const golden = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../golden/tokenizers/${name}`, import.meta.url), "utf8"));
const texts = Object.values(golden("texts.json")).flat() as string[];

test.each(["gpt2", "llama3", "llama2", "unigram"])(
  "%s gives the ids of Python's library, and its text",
  async (name) => {
    const tokenizer = await fileTokenizer(golden(`${name}/tokenizer.json`), name);
    expect(new Set(tokenizer.tokens).size).toBe(tokenizer.tokens.length);
    for (const [i, ids] of (golden(`${name}/ids.json`) as number[][]).entries()) {
      const text = texts[i];
      if (name === "llama2" && text.includes("<s>")) {
        // This model puts a space after its own token, which the text does not have.
        expect(() => tokenizer.encode(text)).toThrow("a text that its tokens spell");
        continue;
      }
      expect(tokenizer.encode(text)).toEqual(ids);
      // The first of two spaces is taken for the one that the model puts before a text, as in Python.
      if (!text.startsWith("  ")) expect(tokenizer.decode(ids)).toBe(text);
    }
  },
);

test("a token ends in the text where the tokens up to it end", async () => {
  const tokenizer = await fileTokenizer(golden("llama2/tokenizer.json"), "llama2");
  const { bytes, ids, ends } = tokenizer.split(">>> a = é\n");
  expect(ids.map((id) => tokenizer.tokens[id]).slice(0, 2)).toEqual(["<s>", " >>>"]);
  expect(ends.slice(0, 2)).toEqual([0, 3]); // the space is no part of the text
  expect([ends.at(-1), bytes.length]).toEqual([11, 11]); // é has two bytes
});

test("a token whose text is no text, or that of another token, keeps its name", async () => {
  const { tokens } = await fileTokenizer(golden("llama2/tokenizer.json"), "llama2");
  expect([tokens[3 + 10], tokens[3 + 0x61], tokens[3 + 0xc3]]).toEqual(["\n", "<0x61>", "<0xC3>"]);
  expect(tokens).toContain("a");
});

const unigram = golden("unigram/tokenizer.json");

test.each([
  [{ ...unigram, model: { type: "WordPiece", vocab: {} } }, /^x: .*BPE.*Unigram.*, got "WordPiece"/],
  [{ ...unigram, model: { type: "BPE" } }, /^x: expected model\.vocab/],
  [{ ...unigram, model: { type: "BPE", vocab: {} } }, /^x: expected a tokenizer\.json .*, got "/],
  [{ ...unigram, pre_tokenizer: { type: "New" } }, /^x: expected a tokenizer\.json .*New/],
  [
    { ...unigram, added_tokens: [{ id: 2 ** 30, content: "a" }] },
    /added_tokens\.0\.id to be at most 1048576/,
  ],
  [[], /^x: expected/],
])("another file is refused in one sentence (%#)", async (file, message) => {
  await expect(fileTokenizer(file, "x")).rejects.toThrow(message);
});

test("a text with a character that no token has is refused, and the place is named", async () => {
  const { vocab, ...model } = unigram.model;
  const without = {
    ...unigram,
    model: { ...model, vocab: vocab.filter(([name]: [string]) => !name.includes("7")) },
  };
  const tokenizer = await fileTokenizer(without, "x");
  expect(() => tokenizer.encode("a = 7\n")).toThrow(
    'x: expected a text that its tokens spell, got "a = 7\\n"',
  );
  expect(() => tokenizer.decode([9999])).toThrow(/x: expected ids from 0 to \d+, got 9999/);
});
