import { describe, expect, test } from "vitest";
import { drawExamples } from "./examples.test-helper.ts";
import { prepareTask } from "./index.ts";
import { timeTravel } from "./time-travel.ts";

const drawn = (params: object, count: number) => drawExamples(timeTravel, params, count);

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
});
