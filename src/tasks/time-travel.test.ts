import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";
import { timeTravel } from "./time-travel.ts";

const drawn = (params: object, count: number, seed = 3) => {
  const prepared = prepareTask(timeTravel, params);
  return Array.from({ length: count }, (_, i) => exampleFrom(prepared, exampleStream(seed, "train")(i)));
};

interface Asked {
  readonly kind: string;
  readonly back: number;
  readonly variable: string;
  readonly value: string;
}

/** Every question of a text, and how many commands back it asks. */
function askedIn(text: string): Asked[] {
  const commands = text.split(": ").length - 1;
  return [...text.matchAll(/^(at|ago) (\d+) (\w) (\d)$/gm)].map(([, kind, number, variable, value]) => {
    const back = kind === "ago" ? Number(number) : commands - Number(number);
    return { kind, back, variable, value };
  });
}

test("whatever the sizes: values, numbered commands, then questions about times that there were", () => {
  const sizes = fc.record({
    variables: fc.integer({ min: 2, max: 8 }),
    commandKind: fc.constantFrom("swap", "permutation"),
    commands: fc.integer({ min: 1, max: 20 }),
    questions: fc.integer({ min: 1, max: 6 }),
    named: fc.constantFrom("at", "ago", "either"),
    seed: fc.nat(1000),
  });
  fc.assert(
    fc.property(sizes, ({ seed, ...params }) => {
      const { variables, commands, questions, named } = params;
      const [{ text, reveals }] = drawn(params, 1, seed);
      const lines = text.trimEnd().split("\n");
      expect(lines).toHaveLength(variables + commands + questions);
      const numbered = lines.slice(variables, variables + commands);
      expect(numbered.map((line) => Number(line.split(": ")[0]))).toEqual(numbered.map((_, i) => i + 1));
      const asked = askedIn(text);
      expect(asked.map(({ value }) => value)).toEqual(reveals.map(({ value }) => value));
      expect(asked).toHaveLength(questions);
      for (const { kind, back } of asked) {
        expect(back).toBeGreaterThanOrEqual(0);
        expect(back).toBeLessThanOrEqual(commands);
        if (named !== "either") expect(kind).toBe(named);
      }
    }),
    { numRuns: 60 },
  );
});

test("times, variables and the ways to name them are drawn evenly, from those within the distance", () => {
  for (const [distance, backs] of [
    ["any", [0, 1, 2, 3, 4, 5]],
    [
      [1, 3],
      [1, 2, 3],
    ],
    [5, [5]],
  ] as const) {
    const counts = new Map<string, number>();
    const count = 3000;
    for (const { text } of drawn({ commands: 5, questions: 1, distance, variables: 2 }, count)) {
      const [{ kind, back, variable }] = askedIn(text);
      const which = `${kind},${back},${variable}`;
      counts.set(which, (counts.get(which) ?? 0) + 1);
    }
    const each = count / (4 * backs.length);
    expect(counts.size).toBe(4 * backs.length);
    for (const found of counts.values()) expect(Math.abs(found - each)).toBeLessThan(5 * Math.sqrt(each));
  }
});

test("each example has as many questions as it draws, evenly; where that is one number, the texts are those of the number", () => {
  const counts = new Map<number, number>();
  for (const { reveals } of drawn({ commands: 2, questions: [1, 3] }, 3000))
    counts.set(reveals.length, (counts.get(reveals.length) ?? 0) + 1);
  expect([...counts.keys()].toSorted()).toEqual([1, 2, 3]);
  for (const found of counts.values()) expect(Math.abs(found - 1000)).toBeLessThan(5 * Math.sqrt(1000));
  const texts = (questions: unknown) => drawn({ questions }, 5).map(({ text }) => text);
  expect(texts([3, 3])).toEqual(texts(3));
  const [four, three] = [texts(4), texts(3)];
  for (const [i, text] of three.entries()) expect(four[i].startsWith(text)).toBe(true);
});

/** The commands of a kind, each as where the value of every place comes from. */
function commandsOf(kind: string, n: number): number[][] {
  const orders = (all: readonly number[]): number[][] =>
    all.length === 0
      ? [[]]
      : all.flatMap((one, i) => orders(all.toSpliced(i, 1)).map((rest) => [one, ...rest]));
  const all = orders(Array.from({ length: n }, (_, i) => i));
  if (kind === "permutation") return all;
  return all.filter((order) => order.filter((from, i) => from !== i).length === 2);
}

/** The share of the likeliest present place of what one place held, over all rows of `steps` commands. */
function bestShare(kind: string, n: number, steps: number): number {
  let places = [1, ...new Array<number>(n - 1).fill(0)];
  const commands = commandsOf(kind, n);
  for (let step = 0; step < steps; step++) {
    const after = new Array<number>(n).fill(0);
    for (const command of commands)
      for (const [to, from] of command.entries()) after[to] += places[from] / commands.length;
    places = after;
  }
  return Math.max(...places);
}

describe.each([
  ["swap", 2],
  ["swap", 3],
  ["swap", 4],
  ["permutation", 3],
])("%s of %i", (commandKind, variables) => {
  const params = { commandKind, variables, commands: 4, questions: 3 };

  test("who knows the present, or also the last commands, is right as often as a list of all commands says", () => {
    const { references } = prepareTask(timeTravel, params);
    for (const example of drawn({ ...params, commands: 7 }, 40)) {
      const backs = askedIn(example.text).map(({ back }) => back);
      const [now, windowed] = [references!.now(example), references!.windowedBayes(example)];
      for (const [i, back] of backs.entries()) {
        expect(now[i]).toBeCloseTo(bestShare(commandKind, variables, back), 12);
        expect(windowed[i]).toBeCloseTo(bestShare(commandKind, variables, Math.max(0, back - 4)), 12);
      }
    }
  });

  test("the present value is the answer as often as chance says, for every distance", () => {
    const seen = Array.from({ length: 5 }, () => [0, 0]);
    for (const { text, states } of drawn(params, 1500)) {
      const { values } = states.at(-1)!;
      for (const { back, variable, value } of askedIn(text)) {
        seen[back][0] += Number(values[variable] === value);
        seen[back][1]++;
      }
    }
    for (const [back, [same, all]] of seen.entries()) {
      let share = [1, ...new Array<number>(variables - 1).fill(0)];
      const commands = commandsOf(commandKind, variables);
      for (let step = 0; step < back; step++)
        share = share.map((_, to) =>
          commands.reduce((sum, command) => sum + share[command[to]] / commands.length, 0),
        );
      const off = Math.abs(same - all * share[0]);
      expect(off, `${back} back`).toBeLessThan(5 * Math.sqrt(all * share[0] * (1 - share[0])) + 1e-9);
    }
  });
});

test.each([
  [
    { commands: 128 },
    "time-travel: expected commands below 128, the number of numbers, got 128. Raise numbers too",
  ],
  [{ commands: [3, 9], distance: 4 }, "expected a distance of at most 3, as many as commands, got 4"],
  [{ distance: [3, 2] }, "time-travel: expected a range of distances [least, most], got [3,2]"],
  [{ distance: -1 }, "time-travel: expected distance"],
  [{ questions: [3, 2] }, "time-travel: expected a range of lengths [least, most], got [3,2]"],
  [{ questions: 0 }, "time-travel: expected questions"],
])("%j is refused in one sentence", (params, message) => {
  expect(() => prepareTask(timeTravel, params)).toThrow(message);
});
