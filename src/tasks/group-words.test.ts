import { expect, test } from "vitest";
import { groupNamed } from "../core/groups.ts";
import { type Rng, rngFrom } from "../core/rng.ts";
import { drawExamples } from "./examples.test-helper.ts";
import { groupWords } from "./group-words.ts";
import { exampleFrom, prepareTask } from "./index.ts";

const drawn = (params: object, count: number) => drawExamples(groupWords, params, count);

test("the sample in the header is what is written and asked: 213, 132, 213 lead to 213, 231, 321", () => {
  const draws = [0, 2, 1, 2]; // a fixed length draws one of one; then the places of 213, 132, 213 in 123 132 213 ...
  const scripted: Rng = { ...rngFrom(0), below: () => draws.shift() ?? 0 };
  const { text, reveals } = exampleFrom(prepareTask(groupWords, { length: 3 }), scripted);
  expect(text).toBe("<s>[213][132][213]");
  expect(reveals.map(({ value }) => value)).toEqual(["[213]", "[231]", "[321]"]);
});

test("the windowed reference is the share of the likeliest state in a count over all words that were not seen", () => {
  const swaps = ["132", "213", "321"];
  const all = [...swaps, "123", "231", "312"];
  const move = (order: string, word: string) => [...word].map((place) => order[Number(place) - 1]).join("");
  for (const [generators, words] of [
    ["swaps", swaps],
    ["all", all],
    [
      [213, "231", 231],
      ["213", "231"],
    ], // numbers as YAML has them; one that is named twice is no likelier
  ] as const) {
    // As the lab asks: the references of what was trained, on longer words.
    const { references } = prepareTask(groupWords, { generators, length: 2 });
    for (const example of drawn({ generators, length: 6 }, 20)) {
      const seen = [...example.text.matchAll(/\[(\d+)\]/g)].map(([, word]) => word);
      const wanted = seen.map((_, at) => {
        const hidden = Math.max(0, at + 1 - 2);
        let starts = ["123"];
        for (let i = 0; i < hidden; i++)
          starts = starts.flatMap((order) => words.map((word) => move(order, word)));
        const counts = new Map<string, number>();
        for (const start of starts) {
          const end = seen.slice(hidden, at + 1).reduce(move, start);
          counts.set(end, (counts.get(end) ?? 0) + 1);
        }
        return Math.max(...counts.values()) / starts.length;
      });
      const got = references?.windowedBayes(example) ?? [];
      expect(got).toHaveLength(6);
      for (const [i, share] of got.entries()) expect(share).toBeCloseTo(wanted[i], 12);
      expect(references?.exactBayes(example)).toEqual([1, 1, 1, 1, 1, 1]);
    }
  }
});

test("without their beginning S_5's words are right in 1/120, and swaps, of known parity, in 1/60", () => {
  const long = (params: object) => {
    const { references } = prepareTask(groupWords, { group: "S_5", ...params, length: 4 });
    const [example] = drawn({ group: "S_5", ...params, length: 60 }, 1);
    return references?.windowedBayes(example).at(-1);
  };
  expect(long({})).toBeCloseTo(1 / 120, 12);
  expect(long({ generators: "swaps" })).toBeCloseTo(1 / 60, 6);
});

test("of two words that generate A_5 all its elements come, and a word that is repeated comes back after its order", () => {
  const params = { group: "A_5", generators: ["23451", "23145"], length: 40 };
  const seen = new Set(drawn(params, 200).flatMap(({ reveals }) => reveals.map(({ value }) => value)));
  expect(seen.size).toBe(60);
  const alone = drawn({ ...params, generators: ["23451"] }, 1)[0].reveals.map(({ value }) => value);
  expect(new Set(alone)).toEqual(new Set(["[12345]", "[23451]", "[34512]", "[45123]", "[51234]"]));
  expect(alone.slice(0, 5).toSorted()).toEqual([...new Set(alone)].toSorted());
  const { references } = prepareTask(groupWords, { ...params, length: 4 });
  expect(references!.windowedBayes(drawn({ ...params, length: 200 }, 1)[0]).at(-1)).toBeCloseTo(1 / 60, 6);
});

/** Orders of the group, of what its commutators generate, of what theirs do, and so on until it stays. */
function derivedSeries(name: string): number[] {
  const { order, multiply } = groupNamed(name)!;
  const all = Array.from({ length: order }, (_, g) => g);
  const inverse = (g: number) => all.find((h) => multiply(g, h) === 0)!;
  const orders = [order];
  for (let group = all; ; ) {
    const commutators = group.flatMap((g) =>
      group.map((h) => multiply(multiply(g, h), multiply(inverse(g), inverse(h)))),
    );
    const generated = new Set(commutators);
    for (const g of generated) for (const h of commutators) generated.add(multiply(g, h));
    if (generated.size === group.length) return orders;
    orders.push(generated.size);
    group = [...generated];
  }
}

test("Z_60, A_4 x Z_5 and A_5 have words and guesses of the same number, and commute, are solvable, and neither", () => {
  const trio = ["Z_60", "A_4 x Z_5", "A_5"];
  expect(trio.map(derivedSeries)).toEqual([[60, 1], [60, 4, 1], [60]]);
  for (const group of trio) {
    const { words, maximumWords, references } = prepareTask(groupWords, { group, length: 4 });
    expect([words.length, maximumWords]).toEqual([61, 5]);
    const [example] = drawn({ group, length: 8 }, 1);
    const guess = references!.windowedBayes(example);
    for (const [at, share] of guess.entries()) expect(share).toBeCloseTo(at < 4 ? 1 : 1 / 60, 12);
  }
});

test("with a vocabulary of several groups each has its own words and states, whichever is asked", () => {
  const vocabulary = ["Z_2", "Z_3", "S_3"];
  const prepared = vocabulary.map((group) => prepareTask(groupWords, { group, vocabulary, length: 6 }));
  for (const { words, values } of prepared) {
    expect([words, values]).toEqual([prepared[0].words, prepared[0].values]);
    expect(words).toHaveLength(1 + 2 + 3 + 6);
  }
  for (const [i, group] of vocabulary.entries()) {
    // The same draws as without: only the names are others.
    const alone = drawn({ group, length: 6 }, 30);
    for (const [n, { text, reveals }] of drawn({ group, vocabulary, length: 6 }, 30).entries()) {
      expect(text.replaceAll(`[${group} `, "[")).toBe(alone[n].text);
      const names = reveals.map(({ value }) => value.replace(`[${group} `, "["));
      expect(names).toEqual(alone[n].reveals.map(({ value }) => value));
    }
    expect(prepared[i].references?.exactBayes).toBeDefined();
  }
  expect(() => prepareTask(groupWords, { group: "Z_4", vocabulary })).toThrow(
    "group-words: expected group Z_4 in the vocabulary",
  );
});
