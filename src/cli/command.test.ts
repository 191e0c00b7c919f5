import { parseArgs } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  choiceFlag,
  defineCommand,
  helpText,
  integerFlag,
  parseCommandLine,
  seedOption,
  setOption,
} from "./command.ts";

const command = defineCommand({
  name: "generate",
  summary: "print examples of a task",
  usage: "generate TASK [--count N]",
  positionals: { least: 1, most: 1 },
  options: {
    count: { type: "string", value: "N", short: "n", description: "how many" },
    set: setOption,
    seed: seedOption,
    quiet: { type: "boolean", description: "say nothing" },
  },
  examples: ["generate repl --count 3"],
  async run({ values }) {
    // The types follow from the options: this does not compile otherwise.
    const typed: { count: string | undefined; set: readonly string[]; seed: string; quiet: boolean } = values;
    expect(typed).toBeDefined();
  },
});

test("absent flags have their defaults", () => {
  expect(parseCommandLine(command, ["repl"])).toEqual({
    positionals: ["repl"],
    values: { count: undefined, set: [], seed: "0", quiet: false, help: false, json: false },
    ...{ json: false, help: false, trustRun: false, takeOver: false },
  });
});

test.each([
  [["repl", "--cout", "3"], 'generate: expected a known flag, got "--cout". Did you mean --count?'],
  [["repl", "-x"], 'generate: expected a known flag, got "-x"'],
  [["repl", "--count"], 'generate: expected a value after --count, got "nothing". Write --count N'],
  [
    ["repl", "--count", "--quiet"],
    'generate: expected a value after --count, got "--quiet". Write --count N',
  ],
  [["repl", "--seed", "1", "--seed=2"], 'generate: expected --seed once, got "2". Leave one of the two out'],
  [["repl", "--quiet=yes"], 'generate: expected --quiet without a value, got "--quiet=yes"'],
  [[], 'generate: expected 1 argument, got "none". Usage: statelab generate TASK [--count N]'],
  [["a", "b"], 'generate: expected 1 argument, got "a b". Usage: statelab generate TASK [--count N]'],
])("%j is answered: %s", (args, message) => {
  expect(() => parseCommandLine(command, args)).toThrow(message);
  expect(() => parseCommandLine(command, args)).toThrow(
    expect.objectContaining({ name: "LabError", kind: "usage" }),
  );
});

test("a negative number is a value and a lone dash is an argument", () => {
  const { values, positionals } = parseCommandLine(command, ["-", "--seed", "-3"]);
  expect([values.seed, positionals]).toEqual(["-3", ["-"]]);
});

test("a flag of two values takes both, and leaves the arguments around them", () => {
  const paired = defineCommand({
    ...{ name: "x", summary: "", usage: "x", examples: [], positionals: { least: 0, most: 9 } },
    options: { think: { type: "string", multiple: true, count: 2, description: "marks" } },
    run: async () => {},
  });
  for (const given of [
    ["--think", "<a>", "</a>"],
    ["--think=<a>", "</a>"],
  ]) {
    const { values, positionals } = parseCommandLine(paired, ["one", ...given, "two"]);
    expect([values.think, positionals]).toEqual([
      ["<a>", "</a>"],
      ["one", "two"],
    ]);
  }
});

test("what Node's own strict parser accepts is read alike", () => {
  const word = fc.stringMatching(/^[a-z=.]{1,5}$/);
  const part = fc.oneof(
    word.map((value) => ["--count", value]),
    word.map((value) => [`--set=${value}`]),
    word.map((value) => ["-n", value]),
    fc.constant(["--quiet"]),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), word, (parts, task) => {
      const counts = parts.filter(([flag]) => flag === "--count" || flag === "-n");
      const once = parts.filter((each) => !counts.slice(1).includes(each)); // a second one is refused
      const args = [...once.flat(), task];
      const { values } = parseArgs({
        args,
        allowPositionals: true,
        options: {
          count: { type: "string", short: "n" },
          set: { type: "string", multiple: true, default: [] },
          seed: { type: "string", default: "0" },
          quiet: { type: "boolean", default: false },
        },
      });
      expect(parseCommandLine(command, args).values).toMatchObject(values);
    }),
    { seed: 5, numRuns: 200 },
  );
});

test("a key that is given as a flag is answered with the setting, and a mistyped flag with the flag", () => {
  const keyNamed = (flag: string) => (flag === "steps" || flag === "seeed" ? `train.${flag}` : undefined);
  const settable = { ...command, options: { ...command.options, set: { ...setOption, keyNamed } } };
  expect(() => parseCommandLine(settable, ["repl", "--steps", "10"])).toThrow(
    'got "--steps". Did you mean --set train.steps=10?',
  );
  expect(() => parseCommandLine(settable, ["repl", "--seeed", "1"])).toThrow("Did you mean --seed?");
});

test("help shows every flag with its default, and the examples as they are typed", () => {
  expect(helpText(command)).toBe(`statelab generate: print examples of a task

Usage: statelab generate TASK [--count N]

Options:
  -n, --count N    how many
  --set KEY=VALUE  change one setting, e.g. --set task.commands=48; may be
                   repeated
  --seed S         all randomness follows from this integer (default 0)
  --quiet          say nothing
  -h, --help       show this text
  --json           print one JSON document on stdout

Examples:
  statelab generate repl --count 3`);
});

test("flags of a kind refuse what is not of it", () => {
  expect(integerFlag("--count", "12", 1)).toBe(12);
  expect(integerFlag("--seed", "-4")).toBe(-4);
  for (const text of ["", "1.5", "1e3", "x", "99999999999999999999"]) {
    expect(() => integerFlag("--seed", text)).toThrow(
      `--seed: expected an integer, got ${JSON.stringify(text)}`,
    );
  }
  expect(() => integerFlag("--count", "0", 1)).toThrow("--count: expected an integer of at least 1");
  expect(choiceFlag("--scale", "smoke", ["smoke", "laptop"])).toBe("smoke");
  expect(() => choiceFlag("--scale", "smok", ["smoke", "laptop"])).toThrow(
    'expected one of smoke, laptop, got "smok". Did you mean smoke?',
  );
  expect(() => choiceFlag("--scale", "paper", ["smoke", "laptop"])).toThrow(/got "paper"$/);
});
