import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { RunConfig } from "../schemas/run-config.ts";
import { keyNamed } from "./did-you-mean.ts";
import { fail, LabError } from "./error.ts";
import { applySettings, keyPaths, lineOfKey, parseWith, parseYaml } from "./settings.ts";

const Config = z.strictObject({
  seed: z.int().default(0),
  rate: z.number().positive().default(1),
  task: z.strictObject({
    name: z.string(),
    commands: z.int().min(1).max(512).default(12),
    spacing: z.union([z.int(), z.array(z.int())]).default(1),
  }),
  model: z.discriminatedUnion("name", [
    z.strictObject({ name: z.literal("lstm"), width: z.int() }),
    z.strictObject({ name: z.literal("deltanet"), betaMax: z.union([z.literal(1), z.literal(2)]) }),
  ]),
});
const good = { task: { name: "repl" }, model: { name: "lstm", width: 64 } };
const task = (more: object) => ({ ...good, task: { name: "repl", ...more } });
const model = (model: object) => ({ ...good, model });

test.each([
  [{ ...good, sede: 1 }, 'one of seed, rate, task, model, got "sede". Did you mean seed?'],
  [
    task({ comands: 2 }),
    'one of name, commands, spacing in task, got "comands". Did you mean task.commands?',
  ],
  [task({ commands: "many" }), 'task.commands to be a number, got "many"'],
  [task({ commands: 1.5 }), "task.commands to be an integer, got 1.5"],
  [task({ commands: 0 }), "task.commands to be at least 1, got 0"],
  [{ ...good, rate: 0 }, "rate to be more than 0, got 0"],
  [{ ...good, task: {} }, 'task.name (a string), got "nothing"'],
  [task({ spacing: "x" }), 'task.spacing to be a number or an array, got "x"'],
  [task({ spacing: [1, "x"] }), 'task.spacing.1 to be a number, got "x"'],
  [model({ name: "lstn" }), 'model.name to be "lstm" or "deltanet", got "lstn"'],
  [
    model({ name: "lstm", with: 3, width: 1 }),
    'one of name, width in model, got "with". Did you mean model.width?',
  ],
  [model({ name: "deltanet", betaMax: 3 }), "model.betaMax to be 1 or 2, got 3"],
  [3, "the whole to be an object, got 3"],
  [{}, 'task (an object), got "nothing". Also expected: model (an object)'],
])("%j is answered in one sentence with file, key, expectation and value", (value, sentence) => {
  expect(() => parseWith(Config, value, "run.yaml")).toThrow(new LabError(`run.yaml: expected ${sentence}`));
});

test("what fits is returned with the defaults filled in", () => {
  expect(parseWith(Config, good, "run.yaml")).toEqual({
    seed: 0,
    rate: 1,
    task: { name: "repl", commands: 12, spacing: 1 },
    model: { name: "lstm", width: 64 },
  });
});

test("settings are YAML values, and the original is left alone", () => {
  const before = { task: { name: "repl", spacing: [1, 2] } };
  const after = applySettings(before, [
    "seed=7",
    "task.spacing.1=4",
    "task.spacing.2=8",
    "model={name: lstm, width: 8}",
    "a.b=yes please",
  ]);
  expect(after).toEqual({
    seed: 7,
    task: { name: "repl", spacing: [1, 4, 8] },
    model: { name: "lstm", width: 8 },
    a: { b: "yes please" },
  });
  expect(before).toEqual({ task: { name: "repl", spacing: [1, 2] } });
});

test("any JSON value set at any path of plain keys is found there", () => {
  const key = fc.stringMatching(/^[a-z]{1,6}$/);
  fc.assert(
    fc.property(fc.array(key, { minLength: 1, maxLength: 4 }), fc.jsonValue(), (path, value) => {
      const result = applySettings({}, [`${path.join(".")}=${JSON.stringify(value)}`]);
      const found = path.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], result);
      expect(JSON.stringify(found)).toBe(JSON.stringify(value));
    }),
    { seed: 3, numRuns: 200 },
  );
});

test.each([
  ["seed", /expected KEY=VALUE/],
  ["=3", /expected KEY=VALUE/],
  ["a..b=3", /expected KEY=VALUE/],
  ["seed=", /expected a value after =/],
  ["__proto__.x=1", /reserved/],
  ["name.x=1", /expected an object to hold x, got "n"/],
  ["list.5=1", /an index from 0 to 1, got "5"/],
  ["a=[1", /expected YAML/],
])("the setting %s is refused", (setting, reason) => {
  expect(() => applySettings({ name: "n", list: [0] }, [setting])).toThrow(reason);
  expect(({} as Record<string, unknown>).x).toBeUndefined();
});

test("a YAML mistake is reported with its line", () => {
  expect(() => parseYaml("a: 1\nb: [1, 2\nc: 3\n", "run.yaml")).toThrow(
    /^run\.yaml, line [23], column \d+: expected YAML/,
  );
  expect(() => parseYaml("a: 1\na: 2\n", "run.yaml")).toThrow(/^run\.yaml, line 2.*unique/);
});

test.each([
  ["? [1, 2]\n: 3", /^run.yaml, line 1, column 3: expected a word as a key, got "\[1,2\]"/],
  ["task: { ? {a: 1} : 2 }", /^run.yaml, line 1, column 11: expected a word as a key/],
  ["a: &a [*a]", /^run.yaml: expected YAML without an alias inside/],
  ["a: !!binary aGk=", /^run.yaml, line 1, column 13: expected plain values, lists and keys, got ".*binary"/],
  ["a: !!set {b}", /plain values, lists and keys/],
  ["a: !own 3", /plain values, lists and keys, got "!own"/],
  ["[".repeat(20_000), /^run.yaml, line 1, .{0,1300}$/],
])("%j is refused in one sentence, without a warning of the library", (text, words) => {
  const warned: unknown[] = [];
  const warn = vi.spyOn(process, "emitWarning").mockImplementation((what) => void warned.push(what));
  try {
    expect(() => parseYaml(text, "run.yaml")).toThrow(words);
    expect(() => parseYaml(text, "run.yaml")).toThrow(LabError);
  } finally {
    warn.mockRestore();
  }
  expect(warned).toEqual([]);
});

test("a value that is no JSON can be named in a message", () => {
  const round: unknown[] = [];
  round.push(round);
  for (const got of [round, 3n, { deep: round }])
    expect(() => fail("here", "a number", got)).toThrow(LabError);
});

test("curriculum=null takes a file's curriculum out, and a mistake in one still names the keys there are", () => {
  const file = {
    task: { name: "parity" },
    model: { name: "gru" },
    curriculum: { stages: [[{ length: 3 }], [{}]] },
  };
  const none = parseWith(RunConfig, applySettings(file, ["curriculum=null"]), "run.yaml");
  expect(none.curriculum).toEqual(RunConfig.parse({ ...file, curriculum: undefined }).curriculum);
  expect(none.curriculum.stages).toEqual([[{}]]);
  expect(() => parseWith(RunConfig, applySettings(file, ["curriculum.stagess=1"]), "run.yaml")).toThrow(
    'expected one of stages, threshold, averagingWindow, maxStepsPerStage in curriculum, got "stagess". Did you mean curriculum.stages?',
  );
});

test.each([
  ["train.clip=1", "train.clip is called train.maxGradNorm"],
  ["curriculum.memory=50", "curriculum.memory is called curriculum.averagingWindow"],
  [
    "data.mixture={parts: [{ share: 2 }]}",
    'expected one of weight, objective, change, replay in data.mixture.parts.0, got "share". data.mixture.parts.share is called data.mixture.parts.weight',
  ],
  [
    "teach.from=runs/base",
    "teach is called init.from, train.trainable, objective, data.mixture and data.async",
  ],
])("a former key is refused with its new name: %s", (setting, sentence) => {
  const file = { task: { name: "parity" }, model: { name: "gru" } };
  expect(() => parseWith(RunConfig, applySettings(file, [setting]), "run.yaml")).toThrow(sentence);
});

test("a key has its line, in blocks, flows and lists", () => {
  const text =
    "seed: 0\ntask: { name: repl,\n  commands: 3 }\nevaluate:\n  settings:\n    - spacing: 1\n    - spaceing: 2\n";
  expect(lineOfKey(text, ["task", "commands"])).toBe(3);
  expect(lineOfKey(text, ["evaluate", "settings", "1", "spaceing"])).toBe(7);
  expect(lineOfKey(text, ["task", "absent"])).toBe(2);
  expect(lineOfKey(text, [])).toBeUndefined();
});

test("a key in the wrong place, or as a flag, is found where it belongs", () => {
  const paths = keyPaths(RunConfig);
  expect(keyNamed("steps", paths)).toBe("train.steps");
  expect(keyNamed("learning-rate", paths)).toBe("train.learningRate");
  expect(keyNamed("bacth", paths)).toBe("train.batch");
  expect(keyNamed("zebra", paths)).toBeUndefined();
  const named = { task: { name: "repl" }, model: { name: "lstm" } };
  expect(() => parseWith(RunConfig, { ...named, steps: 3 }, "run.yaml")).toThrow("Did you mean train.steps?");
  const misplaced = { ...named, train: { checkpointEvery: 5 } };
  expect(() => parseWith(RunConfig, misplaced, "run.yaml")).toThrow(
    "Did you mean checkpointEvery at the top level?",
  );
  expect(() => parseWith(RunConfig, { ...named, training: {} }, "run.yaml")).toThrow("Did you mean train?");
});

test.each([
  { train: { learningRate: 1e-320 } },
  { train: { epsilon: 1e308 } },
  { model: { name: "lstm", normEpsilon: 1e308 } },
  { data: { mixture: { parts: [{ weight: 1e-300 }] } } },
])("a number that a 32-bit float does not hold is refused by name: %j", (part) => {
  const named = { task: { name: "repl" }, model: { name: "lstm" }, ...part };
  expect(() => parseWith(RunConfig, named, "run.yaml")).toThrow(
    /^run\.yaml: expected (train|model|data)\.\S+ to be 0, or between 1\.2e-38 and 3\.4e38/,
  );
});
