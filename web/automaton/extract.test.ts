import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rngFrom } from "../../src/core/rng.ts";
import { parseWith } from "../../src/core/settings.ts";
import { exampleFrom } from "../../src/tasks/example.ts";
import { taskNamed } from "../../src/tasks/index.ts";
import { exhibitNamed } from "../shell-game/demo-models.ts";
import { weightsIn } from "../shell-game/read.ts";
import { extractFrom, MOST_STATES } from "./extract.ts";
import { edgePath, layoutNodes } from "./graph-layout.ts";
import { loadModel } from "./model.ts";
import { languages, type Mind, START, taskLanguage } from "./tasks.ts";

const { session } = languages;
const { truth } = session;

/** A model that runs its session; it answers `beyond` after more swaps than it can count. */
function reader(canCount: number, beyond: number): Mind {
  return (text) => {
    const held: Record<string, number> = { a: START[0], b: START[1], c: START[2] };
    let swaps = 0;
    for (const [, x, y] of text.matchAll(/>>> (\w), (\w) = /g)) {
      [held[x], held[y]] = [held[y], held[x]];
      swaps++;
    }
    const asked = text.at(-2)!;
    return (swaps > canCount ? beyond : held[asked]) - 1;
  };
}
const always = async () => true;

test("who runs the swaps is the true machine, and each state is reached by the word that is told", async () => {
  const became = await extractFrom(
    session,
    reader(Number.POSITIVE_INFINITY, 1),
    { longest: 12, seed: 3 },
    always,
  );
  expect(became!.states).toEqual(truth);
  expect([became!.wrong, became!.departs]).toEqual([undefined, undefined]);
});

test("who loses count departs from the true machine, and the word is one that it cannot count", async () => {
  const became = await extractFrom(session, reader(5, 2), { longest: 12, seed: 3 }, always);
  expect(became!.states.length).toBeLessThanOrEqual(MOST_STATES);
  const { word, says, truth: known } = (became!.departs ?? became!.wrong)!;
  expect(word.length).toBeGreaterThan(5);
  expect(says).toEqual([2, 2, 2]);
  expect(known).not.toEqual(says);
});

test("who always says the same is a machine of one state, wrong before the first swap", async () => {
  const became = await extractFrom(session, reader(-1, 2), { longest: 6, seed: 1 }, always);
  expect(became!.states).toEqual([{ says: [2, 2, 2], next: [0, 0, 0], access: [] }]);
  expect(became!.wrong).toEqual({ word: [], says: [2, 2, 2], truth: [1, 2, 3] });
});

test("it is left off where it may not go on", async () => {
  const became = await extractFrom(
    session,
    reader(99, 1),
    { longest: 6, seed: 1 },
    async (asked) => asked < 5,
  );
  expect(became).toBeUndefined();
});

test("no two states stand on one spot, also where several say the same", () => {
  const states = [...truth, ...truth, { says: [1, 1, 1] }, { says: [1, 1, 1] }, { says: [2, 2, 1] }];
  const places = layoutNodes(states, truth);
  for (const [i, a] of places.entries())
    for (const b of places.slice(i + 1)) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(40);
  expect(edgePath({ x: 0, y: 0 }, { x: 100, y: 0 }, 10)).toBe("M10.0 0.0L90.0 0.0");
});

test("the LSTM of the page is the true machine on words that nobody has chosen", async () => {
  const exhibit = exhibitNamed("lstm");
  const file = readFileSync(new URL("../models/lstm.safetensors", import.meta.url));
  const mind = await loadModel({ ...exhibit, weights: weightsIn(file, "lstm") });
  const other = loadModel({ ...exhibit, model: { ...exhibit.model, name: "none" }, weights: {} });
  await expect(other).rejects.toThrow("none has no implementation for this page");
  const became = await extractFrom(session, mind, { longest: 4, seed: 77 }, always);
  expect(became!.states.length).toBe(6);
  expect([became!.wrong, became!.departs]).toEqual([undefined, undefined]);
});

/** A model that answers like the task's examples after each of their prefixes. */
function scholar(name: string, params: Readonly<Record<string, unknown>>): Mind {
  const task = taskNamed(name);
  const prepared = task.prepare(parseWith(task.params, { ...params, length: 8 }, "task"));
  const told = new Map<string, string>();
  for (let seed = 0; seed < 400; seed++) {
    const { text, reveals } = exampleFrom(prepared, rngFrom(seed));
    for (const { end, value } of reveals) told.set(text.slice(0, end), value);
  }
  return (text, values) => values.indexOf(told.get(text) ?? "none");
}

test.each([
  ["parity", { targets: "each" }],
  ["group-words", { group: "S_3", generators: "swaps" }],
] as const)("%s: what the task itself says after short words is the true machine", (name, params) => {
  const language = languages[taskLanguage({ name, ...params })!];
  const mind = scholar(name, params);
  let asked = 0;
  for (const length of [1, 2, 3])
    for (let code = 0; code < language.letters.length ** length; code++) {
      const word = Array.from(
        { length },
        (_, i) => Math.floor(code / language.letters.length ** i) % language.letters.length,
      );
      const state = word.reduce((at, letter) => language.truth[at].next[letter], 0);
      expect([word, language.ask(mind, word)]).toEqual([word, language.truth[state].says]);
      asked++;
    }
  expect(asked).toBeGreaterThan(10);
});

test("a task whose machine is not drawn has no language", () => {
  expect(taskLanguage({ name: "group-words", group: "S_5", generators: "swaps" })).toBeUndefined();
  expect(taskLanguage({ name: "repl", variables: 5, commandKind: "swap" })).toBeUndefined();
});
