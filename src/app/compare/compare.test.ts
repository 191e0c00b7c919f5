import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { compare, leftOut } from "./difference.ts";
import { contendersIn } from "./load.ts";

const scratch = tmpFolder("compare");
let root = "";
beforeEach(() => {
  root = mkdtempSync(join(scratch, "x-"));
});

interface Fake {
  readonly seed: number;
  readonly config?: object;
  /** For each test: its change, and the answers by the place of the program. */
  readonly tests?: readonly (readonly [change: object, answers: Readonly<Record<number, number[]>>])[];
}

/** A run's folder with answers made up here. */
function fake(name: string, { seed, config = {}, tests = [[{}, { 0: [1, 0], 1: [1, 1] }]] }: Fake) {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  const whole = RunConfig.parse({ seed, task: { name: "repl" }, model: { name: "lstm" }, ...config });
  writeFileSync(join(folder, "config.json"), JSON.stringify({ ...whole, statelab: "0.1.0" }));
  const share = (hits: readonly number[]) => hits.reduce((a, b) => a + b, 0) / hits.length;
  const results = tests.map(([change, answers]) => {
    const hits = Object.values(answers);
    return {
      change,
      programs: hits.length,
      reveals: hits.flat().length,
      accuracy: share(hits.flat()),
      accuracyLast: share(hits.map((program) => program.at(-1)!)),
      accuracyByReveal: [],
      references: {},
      places: Object.keys(answers).map(Number),
      hits: hits.map((program) => program.join("")),
    };
  });
  for (const result of results) logAnswers(folder, { wanted: result.programs, ...result });
  return folder;
}

function logAnswers(folder: string, record: object) {
  appendFileSync(join(folder, "tested.jsonl"), `${JSON.stringify({ version: 2, step: 9, ...record })}\n`);
}

const two = async (one: string, other: string) => {
  const [[a], [b]] = await Promise.all([contendersIn(join(root, one)), contendersIn(join(root, other))]);
  return compare(a, b);
};
const answers = (...hits: number[]) => Object.fromEntries(hits.map((hit, place) => [place, [hit]]));

test("with three common seeds the interval is Student's over their differences; a seed without partner is left out", async () => {
  const shares = { one: [0.5, 0.25, 0, 1], other: [0.75, 0.75, 0.75] };
  for (const [name, values] of Object.entries(shares)) {
    for (const [seed, share] of values.entries()) {
      const hits = [0, 1, 2, 3].map((i) => Number(i < 4 * share));
      fake(join(name, `seed-${seed}`), { seed, tests: [[{}, answers(...hits)]] });
    }
  }
  const [{ test: name, seeds, accuracy }] = await two("one", "other");
  expect([name, seeds]).toEqual(["as configured", [0, 1, 2]]);
  expect([accuracy.baseline, accuracy.contender]).toEqual([0.25, 0.75]);
  // d = 0.25, 0.5, 0.75: mean 0.5, deviation 0.25, t with two degrees of freedom 4.302652729911
  expect(accuracy.difference).toBeCloseTo(0.5, 12);
  expect(accuracy.uncertainty).toEqual({
    kind: "seeds",
    interval: [
      expect.closeTo(0.5 - (4.302652729911 * 0.25) / Math.sqrt(3), 9),
      1, // 1.12, and no difference of shares is more
    ],
  });
});

test("tests are paired by what was asked, in whatever order and however it was written", async () => {
  const near = [{ spacing: 1 }, answers(1, 1, 1, 1)] as const;
  const far = [{ commands: 48, spacing: 4 }, answers(0, 0, 0, 1)] as const;
  fake("one", { seed: 0, tests: [near, far] });
  const asDefault = { task: { name: "repl", commands: 48 } };
  fake("other", {
    seed: 0,
    config: asDefault,
    tests: [
      [{ spacing: 4 }, answers(1, 1, 1, 0)],
      [{ commands: 12, spacing: 1 }, answers(1, 1, 0, 0)],
    ],
  });
  const found = await two("one", "other");
  expect(found.map(({ test: name, accuracy }) => [name, accuracy.difference])).toEqual([
    ["spacing 1", -0.5],
    ["commands 48, spacing 4", 0.5],
  ]);
  expect(found[0].accuracy.uncertainty).toEqual({
    kind: "none",
    reason: "one seed, and programs drawn in different ways",
  });
});

test("one seed is paired program by program, over those that both were asked", async () => {
  // In common are places 3, 5 and 8, where both give the same answers: what each had right elsewhere does not count.
  fake("one", { seed: 0, tests: [[{}, { 0: [0, 0], 3: [1, 0], 5: [1, 1], 8: [0, 1] }]] });
  fake("other", { seed: 0, tests: [[{}, { 3: [1, 0], 5: [1, 1], 8: [0, 1], 9: [1, 1] }]] });
  const [{ accuracy }] = await two("one", "other");
  expect([accuracy.baseline, accuracy.contender, accuracy.difference]).toEqual([4 / 6, 4 / 6, 0]);
  const { uncertainty } = accuracy;
  expect(uncertainty).toMatchObject({ kind: "programs", programs: 3 });
  // Three programs say little: of each of them the one or the other might have been better.
  const [low, high] = uncertainty.kind === "programs" ? uncertainty.interval : [];
  expect(low).toBeLessThan(-0.5);
  expect(high).toBeGreaterThan(0.5);
});

test("runs of one folder that differ in more than the seed are several contenders, named after what they share", async () => {
  for (const seed of [0, 1]) {
    fake(`all/lstm-seed-${seed}`, { seed });
    fake(`all/gru-seed-${seed}`, { seed, config: { model: { name: "gru" } } });
  }
  const found = await contendersIn(join(root, "all"));
  expect(found.map(({ name, runs }) => [name, runs.map(({ seed }) => seed)])).toEqual([
    [join(root, "all", "gru"), [0, 1]],
    [join(root, "all", "lstm"), [0, 1]],
  ]);
});

test.each<[what: string, make: () => void, sentence: RegExp]>([
  [
    "no common seed",
    () => fake("other", { seed: 1 }),
    /one and .*other: expected a common seed, got "0 and 1"/,
  ],
  [
    "another task",
    () => fake("other", { seed: 0, config: { task: { name: "parity" } } }),
    /other: expected a run of the task repl, as .*one is, got "parity"/,
  ],
  [
    "another test",
    () => fake("other", { seed: 0, tests: [[{ spacing: 2 }, answers(1)]] }),
    /other: expected a test of .*one \(as configured\), got "spacing 2"\. Run the same tests/,
  ],
  ["no answers", () => fake("other", { seed: 0, tests: [] }), /other: expected a run with test results/],
  [
    "answers of which half a line is left",
    () => {
      const folder = fake("other", { seed: 0, tests: [] });
      writeFileSync(join(root, "other", "tested.jsonl"), '{"version":1,"cha');
      return folder;
    },
    /other: expected a run with test results, got "no whole line in tested\.jsonl"/,
  ],
  [
    "no run",
    () => mkdirSync(join(root, "other")),
    /other: expected a run, or a folder of runs, got "a folder without/,
  ],
  ["nothing", () => {}, /other: expected a run, or a folder of runs, got "no such folder"/],
  [
    "two runs of one seed",
    () => ["a", "b"].map((name) => fake(join("other", name), { seed: 0 })),
    /other: expected one run per seed, got "two of seed 0, one in .*b"/,
  ],
])("%s is refused in one sentence", async (_, make, sentence) => {
  fake("one", { seed: 0 });
  make();
  await expect(two("one", "other")).rejects.toThrow(
    expect.objectContaining({ kind: "usage", message: expect.stringMatching(sentence) }),
  );
});

test("a test that only some were asked is left out and named, as is a seed without partner", async () => {
  const more = [
    [{}, answers(1)],
    [{ spacing: 2 }, answers(1)],
  ] as const;
  fake("one", { seed: 0 });
  fake("other/seed-0", { seed: 0, tests: more });
  fake("other/seed-1", { seed: 1, tests: more });
  const [one, other] = (
    await Promise.all(["one", "other"].map((name) => contendersIn(join(root, name))))
  ).flat();
  expect(compare(one, other).map(({ test: name, seeds }) => [name, seeds])).toEqual([["as configured", [0]]]);
  expect(leftOut([one, other])).toEqual([{ contender: other.name, seeds: [1], tests: ["spacing 2"] }]);
});

test("of one test the last answers to the most programs count, and of several weights those that were trained longest", async () => {
  const folder = fake("one", { seed: 0 });
  const right = { programs: 1, reveals: 1, accuracy: 1, accuracyLast: 1, accuracyByReveal: [1] };
  const all = { ...right, wanted: 1, references: {}, places: [0], hits: ["1"] };
  logAnswers(folder, { ...all, change: {}, wanted: 2 });
  logAnswers(folder, { ...all, change: {}, accuracy: 0, hits: ["0"] }); // fewer: a look, not the test
  logAnswers(folder, { ...all, change: { spacing: 2 }, step: 8 });
  const [{ runs }] = await contendersIn(folder);
  expect(runs[0].tests.map(({ name, accuracy }) => [name, accuracy])).toEqual([["as configured", 1]]);
});

test("a damaged tested.jsonl is named, as corrupt input", async () => {
  writeFileSync(join(fake("one", { seed: 0, tests: [] }), "tested.jsonl"), '{"version": 2, "step"\n');
  await expect(contendersIn(join(root, "one"))).rejects.toThrow(
    expect.objectContaining({
      kind: "corrupt",
      message: expect.stringContaining("tested.jsonl, line 1: expected a JSON record"),
    }),
  );
});
