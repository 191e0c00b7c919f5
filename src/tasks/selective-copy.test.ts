import { expect, test } from "vitest";
import { drawExamples } from "./examples.test-helper.ts";
import { prepareTask } from "./index.ts";
import { selectiveCopy } from "./selective-copy.ts";

const drawn = (params: object, count: number) => drawExamples(selectiveCopy, params, count);

test("the best answer of who knows the words but no order is right as often as the reference says, over all orders", () => {
  const orders = (all: readonly string[]): string[][] =>
    all.length === 0
      ? [[]]
      : all.flatMap((one, i) => orders(all.toSpliced(i, 1)).map((rest) => [one, ...rest]));
  const { references } = prepareTask(selectiveCopy, {});
  for (const example of drawn({ items: 5, length: 5, kinds: 3 }, 30)) {
    const copied = example.reveals.map(({ value }) => value);
    const all = orders(copied);
    const best = copied.map((_, at) => {
      const right = copied.map((guess) => all.filter((order) => order[at] === guess).length);
      return Math.max(...right) / all.length;
    });
    const said = references!.anySeen(example);
    for (const [at, share] of said.entries()) expect(share).toBeCloseTo(best[at], 12);
    expect(said).toHaveLength(5);
  }
});
