import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CruxevalRow, Generations } from "../../schemas/samples.ts";
import type { Execute, Program } from "../execute.ts";
import { executeAll, hasPython } from "../python.test-helper.ts";
import { type ScoreOptions, scoreCruxeval } from "./score-cruxeval.ts";

const data = process.env.STATELAB_DATA ?? "../shared/data";
const there = existsSync(join(data, "cruxeval/samples"));
if (!there)
  console.warn(
    `skipped: no ${data}/cruxeval/samples; STATELAB_DATA names the folder with the published files`,
  );
const file = (name: string) => readFileSync(join(data, "cruxeval", name), "utf8");

/** An execution of all programs that a scoring asks for, by the python3 on PATH in one process. */
async function scored(options: Omit<ScoreOptions, "execute" | "atMost" | "seed">) {
  const asked: Program[] = [];
  const keyOf = ({ code, expression }: Program) => `${code}\0${expression}`;
  const all = { ...options, atMost: 4, seed: 0 };
  const note: Execute = async (program) => {
    asked.push(program);
    return { kind: "failed", words: "" };
  };
  await scoreCruxeval({ ...all, execute: note });
  const outcomes = executeAll(asked);
  const passed = new Set(asked.filter((_, i) => outcomes[i].kind === "passed").map(keyOf));
  const execute: Execute = async (program) =>
    passed.has(keyOf(program)) ? { kind: "passed" } : { kind: "failed", words: "" };
  return scoreCruxeval({ ...all, execute });
}

const row = (id: string, output: string): CruxevalRow => ({
  ...{ id, code: "def f(x):\n    return x", input: output, output },
});

describe.skipIf(!hasPython)("with python3", () => {
  test("upstream runs the answer, so that `0 or True` and 1 pass where strict finds neither a literal nor the type", async () => {
    const given = {
      rows: [row("sample_0", "[1, 2]"), row("sample_1", "True")],
      generations: { sample_0: ["0 or True", "[1, 2]", "(1, 2)"], sample_1: ["1", "True", "1.0"] },
      predict: "output" as const,
    };
    expect((await scored({ ...given, scoring: "upstream" })).verdicts).toEqual({
      sample_0: [true, true, false],
      sample_1: [true, true, true],
    });
    const strict = await scored({ ...given, scoring: "strict" });
    expect(strict.verdicts).toEqual({ sample_0: [false, true, false], sample_1: [false, true, false] });
    expect(strict.answers).toEqual({ given: 6, correct: 2, wrong: 3, unreadable: 1 });
  });

  test("upstream drops what it rejects, so n shrinks, unless nothing passes: then all count as failed", async () => {
    const rows = [row("sample_0", "7"), row("sample_1", "8")];
    const generations = { sample_0: ["f(7)", "f(7)", "7", "6"], sample_1: ["f(8)", "9"] };
    const given = { rows, generations, predict: "output", scoring: "upstream" } as const;
    const { verdicts, passAt1, answers } = await scored(given);
    expect(verdicts).toEqual({ sample_0: [true, false], sample_1: [false, false] });
    expect(passAt1).toBe(25);
    expect(answers.unreadable).toBe(3);
  });

  test("strict input prediction takes one call with literals and compares its result by type", async () => {
    const rows = [
      { id: "sample_0", code: "def f(x, y=0):\n    return [x, y]", input: "1", output: "[1, 0]" },
    ];
    const answers = "f(1)|f(1, y=0)|f(x=1)|f(True)|f(1.0)|f(0 + 1)|1|f(1) # yes|f(1) or f(2)|g(1)".split("|");
    const given = { rows, generations: { sample_0: answers }, predict: "input", scoring: "strict" } as const;
    const { verdicts } = await scored(given);
    expect(verdicts.sample_0).toEqual([true, true, true, false, false, false, false, true, false, false]);
  });
});

test("a program without generations is named, and pass@5 of three answers is no number", async () => {
  const given = { rows: [row("sample_0", "7")], predict: "output", scoring: "strict" } as const;
  const execute: Execute = () => Promise.reject(new Error("nothing is run for output prediction"));
  const options = { ...given, execute, atMost: 1, seed: 0 };
  await expect(scoreCruxeval({ ...options, generations: {} })).rejects.toThrow(/none for sample_0/);
  const score = await scoreCruxeval({ ...options, generations: { sample_0: ["7", "7", "8"] } });
  expect(score.passAt1).toBeCloseTo(200 / 3, 10);
  expect(score.passAt5).toBeNull();
});

describe.skipIf(!there || !hasPython)("with the published generations and python3", () => {
  const rows = () =>
    file("cruxeval.jsonl")
      .trim()
      .split("\n")
      .map((line) => CruxevalRow.parse(JSON.parse(line)));
  const published = (predict: string) =>
    JSON.parse(file(`samples/scored_codellama-7b_temp0.2_${predict}.json`));
  const generations = (predict: string) =>
    Generations.parse(JSON.parse(file(`samples/generations_codellama-7b_temp0.2_${predict}.json`)));

  test.each([
    ["output", 34.21, 40.29],
    ["input", 35.95, 44.99],
  ] as const)(
    "%s: all 8,000 verdicts are the published ones, and pass@1 and pass@5 to the last bit",
    async (predict, one, five) => {
      const score = await scored({
        rows: rows(),
        generations: generations(predict),
        predict,
        scoring: "upstream",
      });
      const { raw_scored_generations, pass_at_1, pass_at_5 } = published(predict);
      expect(score.verdicts).toEqual(raw_scored_generations);
      expect([score.passAt1, score.passAt5]).toEqual([pass_at_1, pass_at_5]);
      expect([score.passAt1, score.passAt5].map((value) => value?.toFixed(2))).toEqual(
        [one, five].map((value) => value.toFixed(2)),
      );
      const [low, high] = score.intervals.passAt1!;
      expect([low < one && one < high, high - low > 4 && high - low < 8]).toEqual([true, true]);
    },
  );

  test("strict differs in no verdict on outputs, and refuses a few inputs that pass upstream", async () => {
    const scores = [];
    for (const predict of ["output", "input"] as const) {
      // of inputs, which take longer to run, the programs around the one that differs
      const asked = predict === "output" ? rows() : rows().slice(300, 400);
      const given = { rows: asked, generations: generations(predict), predict };
      const { verdicts, answers } = await scored({ ...given, scoring: "strict" });
      const before: Record<string, boolean[]> = published(predict).raw_scored_generations;
      const changed = Object.entries(before).flatMap(([id, each]) =>
        each.flatMap((passed, i) => (passed === (verdicts[id]?.[i] ?? passed) ? [] : [`${id} ${passed}`])),
      );
      scores.push({ answers, changed });
    }
    expect(scores[0]).toEqual({
      answers: { given: 8000, correct: 2737, wrong: 5086, unreadable: 177 },
      changed: [],
    });
    // the eight pass a lambda to f: no literal
    const changed = Array.from({ length: 8 }, () => "sample_344 true");
    expect(scores[1]).toEqual({
      answers: { given: 1000, correct: 357, wrong: 608, unreadable: 35 },
      changed,
    });
  });
});
