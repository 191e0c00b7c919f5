import { parseArgs } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { defineCommand, helpText, parseCommandLine } from "./command.ts";
import { type Flag, flag, group, rare, seedOption, setOption } from "./flags.ts";

const command = defineCommand({
  name: "generate",
  summary: "print examples of a task",
  usage: "generate TASK [--count N]",
  positionals: { least: 1, most: 1 },
  options: {
    count: { ...flag.text("N", "how many"), short: "n" },
    set: setOption,
    seed: seedOption,
    quiet: flag.toggle("say nothing"),
  },
  examples: ["generate repl --count 3"],
  async run({ values }) {
    // The types follow from the options: this does not compile otherwise.
    const typed: { count: string | undefined; set: readonly string[]; seed: number; quiet: boolean } = values;
    expect(typed).toBeDefined();
  },
});

test("absent flags have their defaults", () => {
  expect(parseCommandLine(command, ["repl"])).toEqual({
    positionals: ["repl"],
    values: { count: undefined, set: [], seed: 0, quiet: false, help: false, json: false, "help-all": false },
    ...{ json: false, help: false, helpAll: false, trustCode: false, forceUnlock: false },
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
  [["repl", "--seed", "1", "--seed=2"], 'generate: expected --seed once, got "2". Give it once'],
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
  expect([values.seed, positionals]).toEqual([-3, ["-"]]);
});

test("a flag of two values takes both, and leaves the arguments around them", () => {
  const paired = defineCommand({
    ...{ name: "x", summary: "", usage: "x", examples: [], positionals: { least: 0, most: 9 } },
    options: { think: flag.texts("START END", "marks", { count: 2 }) },
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
          quiet: { type: "boolean", default: false },
        },
      });
      expect(parseCommandLine(command, args).values).toMatchObject(values);
    }),
    { seed: 5, numRuns: 200 },
  );
});

test("a key that is given as a flag is answered with the setting, and a mistyped flag with the flag", () => {
  const keyNamed = (flag: string) => ({ steps: "train.steps", sed: "train.sed", seeed: "train.speed" })[flag];
  const settable = { ...command, options: { ...command.options, set: { ...setOption, keyNamed } } };
  expect(() => parseCommandLine(settable, ["repl", "--steps", "10"])).toThrow(
    'got "--steps". Did you mean --set train.steps=10?',
  );
  expect(() => parseCommandLine(settable, ["repl", "--sed", "1"])).toThrow("Did you mean --set train.sed=1?");
  expect(() => parseCommandLine(settable, ["repl", "--seeed", "1"])).toThrow("Did you mean --seed?");
});

test("help shows every flag with its default, and the examples as they are typed", () => {
  expect(helpText(command)).toBe(`statelab generate: print examples of a task

Usage: statelab generate TASK [--count N]

Examples
  statelab generate repl --count 3

Options
  -n, --count N    how many
  --set KEY=VALUE  change a setting, e.g. task.commands=48; may be repeated
  --seed S         random seed [0]
  --quiet          say nothing

Common
  -h, --help  show this text
  --json      print one JSON document`);
});

test("rare options are shown by --help-all alone, and --help names their groups", () => {
  const options = {
    ...command.options,
    ...rare(group("Cluster", { executor: flag.text("NAME", "local or slurm") })),
  };
  const shown = helpText({ ...command, options });
  expect(shown).not.toContain("--executor");
  expect(shown).toContain("\n\nCluster options: statelab generate --help-all");
  expect(helpText({ ...command, options }, undefined, true)).toContain(
    "\nCluster\n  --executor NAME  local or slurm\n",
  );
  expect(parseCommandLine(command, ["--help-all"])).toMatchObject({ help: true, helpAll: true });
});

test("a declaration makes the value of its flag, and refuses other texts", () => {
  const of = <T>({ read }: Flag<T>, ...texts: string[]) => read(texts, "--x");
  const count = flag.integer("N", "", { least: 1, most: 99 });
  expect([of(count, "12"), of(count), of(seedOption, "-4"), of(seedOption)]).toEqual([12, undefined, -4, 0]);
  for (const text of ["", "1.5", "1e3", "x", "99999999999999999999"])
    expect(() => of(seedOption, text)).toThrow(`--x: expected an integer, got ${JSON.stringify(text)}`);
  expect(() => of(count, "0")).toThrow("--x: expected an integer of at least 1");
  expect(() => of(count, "100")).toThrow("--x: expected an integer of at most 99");
  const scale = flag.choice("SCALE", "", ["smoke", "laptop"], { default: "laptop" });
  expect([of(scale, "smoke"), of(scale), scale.default]).toEqual(["smoke", "laptop", "laptop"]);
  expect(() => of(scale, "smok")).toThrow('expected one of smoke, laptop, got "smok". Did you mean smoke?');
  expect(() => of(scale, "paper")).toThrow(/got "paper"$/);
  const rate = flag.number("P", "", { most: 2 });
  expect([of(rate, ".5"), of(rate, "2")]).toEqual([0.5, 2]);
  for (const text of ["", "-1", "1e1", "3"])
    expect(() => of(rate, text)).toThrow("--x: expected a number of at least 0 and at most 2");
  expect(() => of(flag.number("P", ""), "9".repeat(400))).toThrow("--x: expected a number of at least 0");
  expect(of(flag.seconds(""), "0.25")).toBe(0.25);
  for (const text of ["0", "x", "2147484"])
    expect(() => of(flag.seconds(""), text)).toThrow("a number of seconds above 0, at most 2147483");
  const names = flag.list("NAMES", "", (text) => text, { default: ["a", "b"] });
  expect([of(names, "b, a,b, a"), of(names), names.default]).toEqual([["b", "a"], ["a", "b"], "a,b"]);
});
