import { expect, test } from "vitest";
import { exampleFrom, exampleStream, prepareTask, taskNamed } from "./index.ts";

const texts = (params: object, count: number) => {
  const prepared = prepareTask(taskNamed("active-reveals"), params);
  return Array.from({ length: count }, (_, i) => exampleFrom(prepared, exampleStream(2, "train")(i)).text);
};

/** By listing: every way in which the swaps can have happened that agrees with all that was printed. */
test("what is printed is the variable whose value is least certain, by a listing of everything that can have happened", () => {
  const probability = 0.25;
  for (const text of texts({ variables: 3, probability, spacing: 2, prints: 3 }, 25)) {
    const lines = text.trimEnd().split("\n").slice(1);
    let worlds = [{ held: lines.slice(0, 3).map((line) => line.slice(-1)), chance: 1 }];
    const at = (name: string) => "abc".indexOf(name);
    for (const [i, line] of lines.entries()) {
      const [, one, other] = /^if .*: (\w), (\w) = /.exec(line) ?? [];
      if (one !== undefined) {
        worlds = worlds.flatMap(({ held, chance }) => {
          const swapped = held.with(at(one), held[at(other)]).with(at(other), held[at(one)]);
          return [
            { held, chance: chance * (1 - probability) },
            { held: swapped, chance: chance * probability },
          ];
        });
      }
      const [, printed] = /^print\('(\w)'/.exec(line) ?? [];
      if (printed === undefined) continue;
      const total = worlds.reduce((sum, { chance }) => sum + chance, 0);
      const entropies = ["a", "b", "c"].map((name) =>
        ["1", "2", "3"].reduce((sum, value) => {
          const of = worlds.filter(({ held }) => held[at(name)] === value);
          const share = of.reduce((each, { chance }) => each + chance, 0) / total;
          return share === 0 ? sum : sum - share * Math.log(share);
        }, 0),
      );
      const most = Math.max(...entropies);
      expect("abc"[entropies.findIndex((each) => each > most - 1e-9)]).toBe(printed);
      worlds = worlds.filter(({ held }) => held[at(printed)] === lines[i + 1].slice(-1));
    }
  }
});
