import { expect, test } from "vitest";
import { mean } from "../../src/core/statistics.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed } from "../../src/tasks/index.ts";
import type { UnreadResult } from "../runner/index.ts";
import { swappedMeaning } from "./state-tuning.ts";
import { phoneBook, teachMixture } from "./teach-mixture.ts";
import { exactStateNats } from "./teach-signals.ts";
import { tiersTask } from "./three-tiers.ts";

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

test("a changed meaning has two words in each other's place, and states and answers as they were", () => {
  const params = { length: 12 };
  const [plain, changed] = [taskNamed("group-words"), swappedMeaning].map((task) =>
    exampleFrom(prepareTask(task, params), exampleStream(1, "test")(0)),
  );
  const renamed = plain.text.replaceAll("[132]", "?").replaceAll("[213]", "[132]").replaceAll("?", "[213]");
  expect(changed.text).toBe(renamed);
  expect(changed.text).not.toBe(plain.text);
  expect(changed.reveals.map(({ value }) => value)).toEqual(plain.reveals.map(({ value }) => value));
});

test("a phone book's number is that of its line, and every line is asked for", () => {
  const prepared = prepareTask(phoneBook, { entries: 5, names: 9 });
  const asked = new Set<number>();
  for (let i = 0; i < 60; i++) {
    const { text, reveals } = exampleFrom(prepared, exampleStream(2, "test")(i));
    const [, name, number] = /\? (\S+) (\d+)\n$/.exec(text) ?? [];
    const lines = text.split("\n").slice(0, 5);
    expect(new Set(lines.map((line) => line.split(" ")[0])).size).toBe(5);
    asked.add(lines.indexOf(`${name} ${number}`));
    expect(reveals.map(({ value }) => value)).toEqual([number]);
  }
  expect([...asked].sort()).toEqual([0, 1, 2, 3, 4]);
});

const answered = (shares: Readonly<Record<string, readonly number[]>>): UnreadResult => ({
  ...{ version: 2, experiment: "teach-mixture", scale: "laptop", device: "cpu", seconds: 1 },
  ...{ question: "", command: "", date: "", report: "", models: {} },
  ...{ seeds: [0, 1], results: [], training: [], labels: {} },
  measurements: Object.entries(shares).flatMap(([arm, each]) =>
    each.map((accuracy, seed) => ({
      ...{ setting: "look-up", model: "transformer+convolution", seed, name: "rightNumbers" },
      ...{ at: { arm }, values: { accuracy, steps: 9 } },
    })),
  ),
});

test("a gain is of the seeds in which both have learned look-up; where a seed has not, nothing is concluded", () => {
  const gains = (result: UnreadResult) =>
    teachMixture.published.find(({ statement }) => /mixture.*Transformer/.test(statement))?.measure?.(result);
  const some = answered({ "next-token": [0.99, 0.99], uniform: [0.97, 0.13] });
  expect(gains(some)).toEqual([expect.closeTo(-0.02, 9)]);
  const metIn = (result: UnreadResult) =>
    teachMixture.checks(result).find(({ name }) => /uniform mixture less next token alone/.test(name))?.met;
  const all = answered({ "next-token": [0.99, 0.99], uniform: [0.97, 0.97] });
  expect([metIn(all), metIn(some)]).toEqual([false, "inconclusive"]);
  const none = answered({ "next-token": [0.12, 0.99], uniform: [0.97, 0.13] });
  expect(gains(none)).toEqual([]);
});

/** What Python makes of such a session, read line by line: the values that it prints. */
function printed(text: string): string[] {
  const held = new Map<string, string>();
  const said: string[] = [];
  const outputs = new Set<number>();
  for (const [at, line] of text.trimEnd().split("\n").entries()) {
    if (outputs.has(at)) continue;
    const [, name] = /^print\((\w)\)$/.exec(line) ?? [];
    if (name !== undefined) {
      said.push(held.get(name)!);
      outputs.add(at + 1);
      continue;
    }
    const [left, right] = line.split(" = ").map((side) => side.split(", "));
    const taken = right.map((each) => (/\d/.test(each) ? each : held.get(each)!)); // all before any is given
    for (const [i, each] of left.entries()) held.set(each, taken[i]);
  }
  return said;
}

test.each([{}, { names: "new" }, { wording: "other" }, { group: "Z_4", reveal: "all" }] as const)(
  "sessions of %j print what their lines make of their values, and are new in what they say",
  (change) => {
    const of = (params: object) => {
      const prepared = prepareTask(tiersTask, params);
      return Array.from({ length: 300 }, (_, i) => exampleFrom(prepared, exampleStream(4, "test")(i)));
    };
    const kinds = (examples: ReturnType<typeof of>) =>
      new Set(
        examples.flatMap(({ text }) => {
          const held = [...text.matchAll(/^(\w) = \d$/gm)].map(([, name]) => name).join("");
          const oneLine = / = .*, /.test(text) ? [`${held} in one line`] : [];
          return /^t = /m.test(text) ? [...oneLine, `${held} by t`] : oneLine; // by a temporary the identity has no line
        }),
      );
    const asked = of(change);
    for (const { text, reveals } of asked) expect(printed(text)).toEqual(reveals.map(({ value }) => value));
    const shared = [...kinds(asked)].filter((kind) => kinds(of({})).has(kind));
    if ("names" in change || "wording" in change) expect(shared).toEqual([]);
    else expect(shared.length).toBeGreaterThan(20);
  },
);
