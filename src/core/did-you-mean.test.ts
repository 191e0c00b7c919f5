import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance, nearest, suggest } from "./did-you-mean.ts";

/** The definition, as a recursion without a table: slow, and written another way. */
function editsByDefinition(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const [x, y] = [a.slice(1), b.slice(1)];
  const options = [
    editsByDefinition(x, b) + 1,
    editsByDefinition(a, y) + 1,
    editsByDefinition(x, y) + (a[0] === b[0] ? 0 : 1),
  ];
  if (a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0]) {
    options.push(editsByDefinition(a.slice(2), b.slice(2)) + 1);
  }
  return Math.min(...options);
}

test("the distance is the least number of edits of the recursive definition", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
  fc.assert(
    fc.property(word, word, (a, b) => editDistance(a, b) === editsByDefinition(a, b)),
    { seed: 1, numRuns: 300 },
  );
});

test("a typo finds its word and a stranger finds none", () => {
  const words = ["spacing", "seed", "commands"];
  expect(nearest("spaceing", words)).toBe("spacing");
  expect(nearest("sede", words)).toBe("seed");
  expect(nearest("zebra", words)).toBeUndefined();
  expect(suggest("zebra", words)).toBe("Choose one of spacing, seed, commands");
});

test("a longer form of a word finds it, and a short word begins nothing", () => {
  expect(nearest("training", ["seed", "train"])).toBe("train");
  expect(nearest("optim", ["optimizer"])).toBe("optimizer");
  expect(nearest("delta", ["deltanet-positive", "deltanet", "deltaproduct"])).toBe("deltanet");
  expect(nearest("spa", ["spacing"])).toBeUndefined();
});
