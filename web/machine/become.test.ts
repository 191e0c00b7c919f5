import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import exhibits from "../models/exhibits.json" with { type: "json" };
import type { Exhibit } from "../shell-game/exhibits.ts";
import { readerOf } from "../shell-game/read.ts";
import { becomeOf, MOST_STATES, START, truth } from "./become.ts";
import { lineOf, placesOf } from "./picture.ts";

/** Who runs the session that it reads; of those with more swaps than it can count it answers `beyond`. */
function reader(canCount: number, beyond: number) {
  return (text: string) => {
    const held: Record<string, number> = { a: START[0], b: START[1], c: START[2] };
    let swaps = 0;
    for (const [, x, y] of text.matchAll(/>>> (\w), (\w) = /g)) {
      [held[x], held[y]] = [held[y], held[x]];
      swaps++;
    }
    const asked = text.at(-2)!;
    const value = swaps > canCount ? beyond : held[asked];
    return [[1, 2, 3].map((each) => (each === value ? 0.9 : 0.05))];
  };
}
const always = async () => true;

test("who runs the swaps is the true machine, and each state is reached by the word that is told", async () => {
  const became = await becomeOf(reader(Number.POSITIVE_INFINITY, 1), { longest: 12, seed: 3 }, always);
  expect(became!.states).toEqual(truth);
  expect([became!.wrong, became!.departs]).toEqual([undefined, undefined]);
});

test("who loses count departs from the true machine, and the word is one that it cannot count", async () => {
  const became = await becomeOf(reader(5, 2), { longest: 12, seed: 3 }, always);
  expect(became!.states.length).toBeLessThanOrEqual(MOST_STATES);
  const { word, says, truth: known } = (became!.departs ?? became!.wrong)!;
  expect(word.length).toBeGreaterThan(5);
  expect(says).toEqual([2, 2, 2]);
  expect(known).not.toEqual(says);
});

test("who always says the same is a machine of one state, wrong before the first swap", async () => {
  const became = await becomeOf(reader(-1, 2), { longest: 6, seed: 1 }, always);
  expect(became!.states).toEqual([{ says: [2, 2, 2], next: [0, 0, 0], access: [] }]);
  expect(became!.wrong).toEqual({ word: [], says: [2, 2, 2], truth: [1, 2, 3] });
});

test("it is left off where it may not go on", async () => {
  const became = await becomeOf(reader(99, 1), { longest: 6, seed: 1 }, async (asked) => asked < 5);
  expect(became).toBeUndefined();
});

test("no two states stand on one spot, also where several say the same", () => {
  const states = [...truth, ...truth, { says: [1, 1, 1] }, { says: [1, 1, 1] }, { says: [2, 2, 1] }];
  const places = placesOf(states);
  for (const [i, a] of places.entries())
    for (const b of places.slice(i + 1)) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(40);
  expect(lineOf({ x: 0, y: 0 }, { x: 100, y: 0 }, 10)).toBe("M10.0 0.0L90.0 0.0");
});

test("the LSTM of the page is the true machine on words that nobody has chosen", async () => {
  const exhibit = (exhibits as unknown as Exhibit[]).find(({ id }) => id === "lstm")!;
  const file = readFileSync(new URL("../models/lstm.safetensors", import.meta.url));
  const became = await becomeOf(readerOf(exhibit, file), { longest: 16, seed: 77 }, always);
  expect(became!.states.length).toBe(6);
  expect([became!.wrong, became!.departs]).toEqual([undefined, undefined]);
});
