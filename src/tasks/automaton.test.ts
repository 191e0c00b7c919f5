import { expect, test } from "vitest";
import { applySettings, parseWith, parseYaml } from "../core/settings.ts";
import { Automaton } from "../schemas/automaton.ts";
import { eventReader, machineFrom } from "./automaton/machine.ts";
import { automaton } from "./automaton.ts";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";

const lamp = `
states: [off, dim, bright]
start: off
actions:
  press: {off: {dim: 0.9, off: 0.1}, dim: bright, bright: off}
  wait: {bright: {bright: 0.8, dim: 0.2}}
reveals:
  lit: {off: no, dim: yes, bright: yes}
`;
const door = `
states: [1, 2, 3, 4]
start: {1: 0.5, 4: 0.5}
actions:
  push: {1: {2: 0.5, 3: 0.5}, 2: {4: 0.25, 2: 0.75}, 3: 1, 4: {1: 0.125, 2: 0.875}}
  rest: {}
reveals:
  even: {1: false, 2: true, 3: false, 4: true}
  high: {1: low, 2: low, 3: high, 4: high}
`;
const fromYaml = (text: string) => parseWith(Automaton, parseYaml(text, "test"), "test");

/** P(answer | text above) by listing every path of names; uses only the file and the text. */
function byPaths(file: ReturnType<typeof fromYaml>, lines: readonly string[]): Record<string, number>[] {
  const start = file.start ?? {};
  let paths = Object.entries(typeof start === "string" ? { [start]: 1 } : start).map(([state, weight]) => ({
    state,
    weight,
  }));
  const told: Record<string, number>[] = [];
  for (const line of lines) {
    const [name, answer] = line.split(" ");
    if (answer === undefined) {
      paths = paths.flatMap(({ state, weight }) => {
        const target = file.actions[name][state] ?? state;
        const shares = typeof target === "string" ? { [target]: 1 } : target;
        return Object.entries(shares).map(([to, share]) => ({ state: to, weight: weight * share }));
      });
      continue;
    }
    const says = (state: string) => (name === "state" ? state : file.reveals[name][state]);
    const total = paths.reduce((sum, { weight }) => sum + weight, 0);
    const shares: Record<string, number> = {};
    for (const { state, weight } of paths) shares[says(state)] = (shares[says(state)] ?? 0) + weight / total;
    told.push(shares);
    paths = paths.filter(({ state }) => says(state) === answer);
  }
  return told;
}

test.each([lamp, door])("each posterior is what a count over all paths of the file gives", (text) => {
  const file = fromYaml(text);
  const prepared = prepareTask(automaton, { automaton: file, commands: 8, spacing: [1, 2, 3], fullEvery: 3 });
  for (let i = 0; i < 20; i++) {
    const example = exampleFrom(prepared, exampleStream(1, "train")(i));
    const wanted = byPaths(file, example.text.trimEnd().split("\n"));
    for (const [at, { posterior = {}, value }] of example.reveals.entries()) {
      expect(posterior[value]).toBeGreaterThan(0);
      for (const name of prepared.values) expect(posterior[name]).toBeCloseTo(wanted[at][name] ?? 0, 12);
    }
  }
});

test("the sample named lamp is the one that schemas/automaton.ts writes down", () => {
  const drawn = (params: object) => exampleFrom(prepareTask(automaton, params), exampleStream(1, "train")(0));
  expect(drawn({ automaton: fromYaml(lamp) })).toEqual(drawn({}));
});

test("names that every object has are names like others", () => {
  const file = {
    states: ["constructor", "valueOf"],
    start: "constructor",
    actions: { toString: { valueOf: "constructor" } },
  };
  const { text, reveals } = exampleFrom(
    prepareTask(automaton, { automaton: file }),
    exampleStream(1, "train")(0),
  );
  expect(text).toContain("toString\ntoString\nstate constructor\n");
  expect(reveals[0].posterior).toEqual({ constructor: 1, valueOf: 0 });
});

test("a file's text is a setting of the command line, as it stands", () => {
  expect(applySettings({}, [`automaton=${lamp}`])).toEqual({ automaton: parseYaml(lamp, "test") });
});

test.each([
  [{ start: "on" }, 'automaton: expected one of the states off, dim in start, got "on"'],
  [{ start: { off: 0.5 } }, "automaton: expected shares that sum to 1 in start, got 0.5"],
  [{ actions: {} }, "automaton: expected at least one action"],
  [{ actions: { press: { off: "on" } } }, 'states off, dim in actions.press.off, got "on"'],
  [{ actions: { press: { off: { dim: 0.5 } } } }, "that sum to 1 in actions.press.off, got 0.5"],
  [{ reveals: { lit: { off: "no" } } }, 'every state in reveals.lit, got "none for dim"'],
  [{ reveals: { state: { off: "a", dim: "b" } } }, "expected a reveal of another name than state"],
  [{ states: ["off", "off"] }, "expected states of different names"],
])("%j is refused in one sentence", (change, message) => {
  const file = { states: ["off", "dim"], actions: { press: { off: "dim" } }, ...change };
  expect(() => prepareTask(automaton, { automaton: file })).toThrow(message);
});

test("an example of another automaton is refused as corrupt", () => {
  const read = eventReader(machineFrom(fromYaml(lamp)));
  expect(() => read("press\njump\n")).toThrow('expected one of press, wait, got "jump"');
  expect(() => read("press\nlit maybe\n")).toThrow('expected one of no, yes, got "maybe"');
});
