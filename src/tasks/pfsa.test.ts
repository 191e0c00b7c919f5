import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { exactFilter, runFilter, windowedFilter } from "../analysis/belief/index.ts";
import type { Event } from "../core/hidden-markov.ts";
import { permutationMachine } from "../core/permutation-walk.ts";
import { sessionCode } from "./conformance/checks.ts";
import { drawExamples } from "./examples.test-helper.ts";
import { machineReader, readUncertain } from "./pfsa/parser.ts";
import { pfsa } from "./pfsa.ts";
import { exactPosteriors, windowedPosteriors } from "./posterior.ts";
import { hasPython } from "./python-replay.test-helper.ts";

const settings = [
  { commands: 6, spacing: 2 },
  { commands: 5, spacing: 1, probability: 0.125, start: "hidden" },
  { commandKinds: ["swap", "maybe", "either", "hidden"], commands: 5, spacing: [1, 2], fullEvery: 2 },
  { variables: 4, commandKinds: ["either", "hidden"], probability: 0.9, commands: 4, spacing: 1 },
];
const drawn = (params: object, count: number) => drawExamples(pfsa, params, count);

/** Every run of each program with its probability: see `DRIVER`. */
function everyRun(programs: readonly string[]): [weight: number, printed: string[]][][] {
  const options = { input: JSON.stringify(programs), maxBuffer: 2 ** 28 };
  return JSON.parse(execFileSync("python3", ["-c", DRIVER], options).toString());
}

test.skipIf(!hasPython)(
  "CPython, running the text under every outcome of its chances, finds each posterior (skipped without python3)",
  () => {
    const examples = settings.flatMap((params) => drawn(params, 5));
    const runs = everyRun(examples.map(({ text }) => sessionCode(text)));
    for (const [i, { reveals }] of examples.entries()) {
      const truth = reveals.map(({ value }) => value);
      for (const [at, { posterior = {} }] of reveals.entries()) {
        const agreeing = runs[i].filter(([, printed]) =>
          truth.slice(0, at).every((value, k) => printed[k] === value),
        );
        const total = agreeing.reduce((sum, [weight]) => sum + weight, 0);
        for (const [value, share] of Object.entries(posterior)) {
          const saying = agreeing.filter(([, printed]) => printed[at] === value);
          expect(share).toBeCloseTo(saying.reduce((sum, [weight]) => sum + weight, 0) / total, 12);
        }
      }
    }
  },
);

test("the windowed filter and the exact one are those of the belief analysis", () => {
  for (const params of settings) {
    for (const { text, reveals } of drawn(params, 10)) {
      const program = readUncertain(text);
      const n = program.variables.length;
      const commands = program.steps.flatMap((step) => (step.kind === "command" ? [step.command] : []));
      // Known starts are identities there, so values are renamed by the start.
      const start = program.start ?? program.variables.map((_, i) => i);
      const machine = permutationMachine({
        variables: n,
        commands,
        start: program.start === undefined ? "uniform" : "known",
      });
      let ran = 0;
      const events = program.steps.map(
        (step): Event =>
          step.kind === "command"
            ? { kind: "act", action: ran++ }
            : { kind: "reveal", question: step.variable, answer: start.indexOf(step.value) },
      );
      const seen = machineReader(n)(text);
      const compare = (got: Float64Array[], wanted: Iterable<{ shares: Float64Array }>) => {
        for (const [i, { shares }] of [...wanted].entries()) {
          for (let value = 0; value < n; value++) {
            expect(got[i][value]).toBeCloseTo(shares[start.indexOf(value)], 12);
          }
        }
        expect(got).toHaveLength(reveals.length);
      };
      compare(exactPosteriors(seen), runFilter(exactFilter(machine), events));
      for (const window of [1, 2, 3, 50]) {
        const filter = windowedFilter(machine, window, () => seen.unseen(0));
        compare(windowedPosteriors(seen, window), runFilter(filter, events));
      }
    }
  }
});

test.each([
  ["import random\nprint('a', a)\na 1\n", "values at the start"],
  ["a = 1\nb = 2\nprint('a', a)\nb 1\n", "the output of print('a', a)"],
  ["a = 1\nb = 2\na, b = b\n", "a command of the task pfsa"],
  ["a = 1\nb = 2\na, c = c, a\n", "variables that were assigned before"],
])("%j is refused as corrupt, and the sentence says what was expected", (text, expected) => {
  expect(() => readUncertain(text)).toThrow(expected);
});

/**
 * Runs each program under every outcome of its chances: `random` is an object that answers as a script says, and the scripts are listed
 * like the digits of an odometer.
 */
const DRIVER = `
import itertools, json, random, sys

class Chance:
    def __init__(self, script):
        self.script, self.at, self.sizes, self.weight = script, 0, [], 1.0
    def pick(self, weights):
        chosen = self.script[self.at] if self.at < len(self.script) else 0
        self.at += 1
        self.sizes.append(len(weights))
        self.weight *= weights[chosen]
        return chosen
    def random(self):
        chance = self
        class Draw:
            def __lt__(self, p):
                return chance.pick([p, 1 - p]) == 0
        return Draw()
    def choice(self, items):
        return items[self.pick([1 / len(items)] * len(items))]
    def sample(self, items, count):
        orders = list(itertools.permutations(items, count))
        return self.choice(orders)

def outputs(code, chance):
    printed = []
    exec(code, {"random": chance, "print": lambda name, value: printed.append(str(value))})
    return printed

def every(text):
    code = compile(text.replace("import random\\n", ""), "program", "exec")
    runs, script = [], []
    while True:
        chance = Chance(script)
        printed = outputs(code, chance)
        runs.append([chance.weight, printed])
        digits = (script + [0] * len(chance.sizes))[:len(chance.sizes)]
        while digits and digits[-1] + 1 == chance.sizes[len(digits) - 1]:
            digits.pop()
        if not digits:
            return runs
        digits[-1] += 1
        script = digits

json.dump([every(text) for text in json.load(sys.stdin)], sys.stdout)
`;
