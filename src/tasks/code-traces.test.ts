import fc from "fast-check";
import { expect, test } from "vitest";
import { codeTracesTask, wordsOfCode } from "./code-traces.ts";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";
import { wordTokenizer } from "./tokenizer.ts";

const traces = [
  { code: "n = 12\ntotal = n + 1\nassert (total) == 13\n", literal: "13" },
  { code: "xs = ['ab', 'a']\nassert (xs[0]) == 'ab'\n", literal: "'ab'" },
  { code: "forloop0 = iter((range(2)))\ni = next(forloop0)\nassert (i == 0) == True\n", literal: "True" },
  { code: "raise ValueError\n", literal: null },
];

test("examples are the traces themselves, and what is asked is all of what the last line asserts", () => {
  const prepared = prepareTask(codeTracesTask(traces), { folder: "traces" });
  const tokenizer = wordTokenizer(prepared.words);
  const seen = new Map<string, string>();
  for (let i = 0; i < 60; i++) {
    const { text, reveals } = exampleFrom(prepared, exampleStream(1, "train")(i));
    expect(reveals).toHaveLength(1);
    seen.set(text, text.slice(reveals[0].start, reveals[0].end));
    expect(tokenizer.encode(text)).toEqual(wordsOfCode(text).map((word) => prepared.words.indexOf(word)));
    expect(tokenizer.encode(text).length).toBeLessThanOrEqual(prepared.maximumWords);
  }
  const wanted = traces.flatMap(({ code, literal }) => (literal === null ? [] : [[code, literal] as const]));
  expect(seen).toEqual(new Map(wanted));
});

test("any text is the concatenation of its words, and is read back as them by the longest match", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { minLength: 1 }), (texts) => {
      const lists = texts.map(wordsOfCode);
      expect(lists.map((words) => words.join(""))).toEqual(texts);
      const tokenizer = wordTokenizer([...new Set(lists.flat())]);
      for (const [i, words] of lists.entries())
        expect(tokenizer.decode(tokenizer.encode(texts[i]))).toBe(words.join(""));
    }),
    { seed: 1 },
  );
});

test("a folder in which every trace is too long is refused in one sentence", () => {
  expect(() => prepareTask(codeTracesTask(traces), { folder: "data/traced", mostWords: 8 })).toThrow(
    'data/traced: expected traces of fewer than 8 words that end in an assert, got "none". 4 traces were read; create some with statelab data trace, or raise task.mostWords',
  );
});

test("a state of more words than mostStateWords gives the vocabulary nothing", () => {
  const long = { code: "s = t()\nassert (1) == 1\n", literal: "1" };
  const lines = [
    { code: "s = t()", state: { s: "{? + ?}" } },
    { code: "assert (1) == 1", state: { s: "{? + ?}" } },
  ];
  const words = (most: number) =>
    prepareTask(codeTracesTask([{ ...long, lines }]), { folder: "traces", mostStateWords: most }).words;
  expect(words(11)).toEqual(words(64));
  expect(words(64).filter((word) => !words(10).includes(word))).toEqual(["'", "+", "?", "{", "}"]);
});
