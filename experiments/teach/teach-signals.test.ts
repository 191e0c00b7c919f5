import { expect, test } from "vitest";
import { mean } from "../../src/core/statistics.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed } from "../../src/tasks/index.ts";
import { exactStateNats } from "./teach-signals.ts";

test("what the filter pays for states is what going through all outcomes of the text says", () => {
  const probability = 0.3;
  const prepared = prepareTask(taskNamed("pfsa"), { commands: 4, spacing: 2, probability });
  for (let i = 0; i < 20; i++) {
    const example = exampleFrom(prepared, exampleStream(3, "test")(i));
    const lines = example.text.split("\n");
    const start = new Map<string, string>();
    let worlds = [{ chance: 1, values: start }];
    const paid: number[] = [];
    let told = 0;
    const pay = () => {
      const total = worlds.reduce((sum, { chance }) => sum + chance, 0);
      const truth = example.states[told++].values;
      for (const variable of prepared.variables) {
        const right = worlds.filter(({ values }) => values.get(variable) === truth[variable]);
        paid.push(-Math.log(right.reduce((sum, { chance }) => sum + chance, 0) / total));
      }
    };
    for (const [at, line] of lines.entries()) {
      const [, name, value] = /^([a-z]) = (\d+)$/.exec(line) ?? [];
      if (name !== undefined) {
        start.set(name, value);
        worlds = [{ chance: 1, values: new Map(start) }];
        if (start.size === prepared.variables.length) pay();
      }
      const [, one, other] = /^if .*: ([a-z]), ([a-z]) = /.exec(line) ?? [];
      if (one !== undefined) {
        worlds = worlds.flatMap(({ chance, values }) => {
          const swapped = new Map(values).set(one, values.get(other)!).set(other, values.get(one)!); // all have values
          return [
            { chance: chance * (1 - probability), values },
            { chance: chance * probability, values: swapped },
          ];
        });
        pay();
      }
      const [, asked] = /^print\('([a-z])'/.exec(line) ?? [];
      if (asked !== undefined)
        worlds = worlds.filter(({ values }) => lines[at + 1] === `${asked} ${values.get(asked)}`);
    }
    expect(paid).toHaveLength(example.states.length * prepared.variables.length);
    expect(exactStateNats(prepared, example)).toBeCloseTo(mean(paid), 10);
  }
});
