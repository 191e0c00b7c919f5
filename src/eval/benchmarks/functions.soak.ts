import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type BenchmarkRow, benchmarkRows, benchmarks } from "../../python/benchmarks/index.ts";
import { runPython } from "../../python/trace/python.test-helper.ts";
import { parseTrace, type TraceRecord } from "../../schemas/trace.ts";
import { benchInput } from "../bench-input.test-helper.ts";
import { functionShots, tracedShots } from "../few-shot-examples.ts";
import { executeAll, hasPython, judgedAll } from "../python.test-helper.ts";
import type { BenchInput, Question } from "../question.ts";
import type { Grade } from "../scoring/grade.ts";
import { functionBenches, withoutNames } from "./functions.ts";

const { cruxeval, mbpp } = functionBenches;

const data = process.env.STATELAB_DATA ?? "../shared/data";
const there = existsSync(join(data, "cruxeval")) && existsSync(join(data, "mbpp"));
if (!there)
  console.warn(`skipped: no ${data}/cruxeval and mbpp; STATELAB_DATA names the folder with the benchmarks`);

const rowsOf = (name: "cruxeval" | "mbpp") =>
  benchmarkRows(benchmarks[name], readFileSync(join(data, name, `${name}.jsonl`), "utf8"), name);

const input = (rows: readonly BenchmarkRow[], more: Partial<BenchInput<BenchmarkRow>> = {}) =>
  benchInput({ arms: ["function", "anonymous"], predict: ["output", "input"], seed: 0, rows, ...more });

const own: BenchmarkRow = {
  program: "p",
  calls: [
    {
      id: "p_0",
      program: "p",
      sources: ["def twice(n):\n    return helper(n) + n\n\ndef helper(twice):\n    return twice"],
      call: "twice(4)",
      expected: "8",
    },
  ],
  unreadable: [],
};

const all = (set: { count: number; question(i: number): Question }) =>
  Array.from({ length: set.count }, (_, i) => set.question(i));

test("the prompt shows two examples and the program, with ?? for what is asked, and ends where the answer begins", () => {
  const [output, asked] = all(cruxeval.prepare({ split: "test" }, input([own], { arms: ["function"] })));
  expect(output.next([])).toMatch(
    /^Below are Python programs[^\n]+\n\n\[PYTHON\]\ndef f\(n\):\n {4}return n\nassert f\(17\) == \?\?\n\[\/PYTHON\]\n\[ANSWER\]\nassert f\(17\) == 17\n\[\/ANSWER\]\n\n\[PYTHON\][\s\S]+assert f\("x9j"\) == "x9ja"\n\[\/ANSWER\]\n\n\[PYTHON\]\ndef twice[\s\S]+\nassert twice\(4\) == \?\?\n\[\/PYTHON\]\n\[ANSWER\]\n$/,
  );
  expect(asked.next([])).toContain("assert twice(??) == 8\n[/PYTHON]\n[ANSWER]\n");
  expect(asked.next([])).toContain('assert f(["mq", "px", "zy"]) == 3');
  expect(output.next(["17"])).toBeUndefined();
  const [thought] = all(cruxeval.prepare({ split: "test" }, input([own], { style: "cot" })));
  expect(thought.next([])).toMatch(
    /\[THOUGHT\]\n[^[]+\n\[\/THOUGHT\]\n\[ANSWER\]\nassert f\(17\) == 17[\s\S]+\[\/PYTHON\]\n\[THOUGHT\]\n$/,
  );
});

test("the traced arm without traces is refused, with how to make them", () => {
  expect(() => mbpp.prepare({ split: "all" }, input([own], { arms: ["function", "traced"] }))).toThrow(
    '--traces: expected traces.jsonl, for the traced arm, got "none". Make it: statelab data trace mbpp',
  );
});

test("telling names are for functions of MBPP, and f for all others and for the anonymous arm", () => {
  const programs = { split: "all" };
  const [telling, , anonymous] = all(mbpp.prepare(programs, input([own])));
  expect(telling.next([])).toContain("def append_a(s):");
  expect(anonymous.next([])).toContain("def f(s):");
  expect(anonymous.next([])).toContain(
    "def f(n):\n    return g(n) + n\n\ndef g(f):\n    return f\nassert f(4) == ??",
  );
});

test.skipIf(!hasPython)(
  "every example in a prompt is a program that passes with its answer (skipped without python3)",
  () => {
    const programs = [true, false].flatMap((telling) =>
      (["output", "input"] as const).flatMap((predict) => [
        ...functionShots(predict, telling).map(({ program, answer }) =>
          program.replace(/assert .*$/, answer),
        ),
        ...tracedShots(predict).map(({ program, answer }) => program.replace("??", answer)),
      ]),
    );
    const traced = programs.map((code) => ({ code: code.replaceAll("??", "None") }));
    expect(executeAll(traced)).toEqual(programs.map(() => ({ kind: "passed" })));
  },
);

describe.skipIf(!there || !hasPython)("with the published benchmarks and python3", () => {
  test.each(["cruxeval", "mbpp"] as const)(
    "the right reply to every question of %s is found right, a changed one is not",
    async (name) => {
      const bench = functionBenches[name];
      const rows = rowsOf(name).slice(0, 80);
      for (const scoring of ["strict", "upstream"] as const) {
        const questions = all(bench.prepare({ split: "test" }, input(rows, { scoring })));
        expect(questions.length).toBeGreaterThan(280);
        // upstream knows a call by `name(`, and a test of MBPP puts a space between
        const right = await judgedAll(
          questions.map((question) => [question, question.expected.replace(/^(\w+) \(/, "$1(")] as const),
        );
        // one program of MBPP takes seconds
        const late = (grade: Grade) => grade.kind === "wrong" && grade.words === "Late";
        const missed = right.flatMap(({ grade }, i) =>
          grade.kind === "correct" || late(grade)
            ? []
            : [
                `${questions[i].id} ${questions[i].predict} ${JSON.stringify(grade)} ${questions[i].expected}`,
              ],
        );
        // an argument that is a call or an expression is no literal: strict cannot take the benchmark's own input then
        const known = missed.filter(
          (text) => scoring === "strict" && / input .*no Python literal/.test(text),
        );
        expect(missed.filter((text) => !known.includes(text))).toEqual([]);
        expect(known.length).toBeLessThan(questions.length / 50);
        const outputs = questions.filter(({ predict }) => predict === "output");
        const wrong = await judgedAll(
          outputs.map((question) => [question, `[${question.expected}]`] as const),
        );
        expect(wrong.filter(({ grade }) => grade.kind === "correct")).toEqual([]);
      }
    },
  );

  test("without their names all functions of MBPP still pass their tests", () => {
    const calls = rowsOf("mbpp")
      .slice(0, 250)
      .flatMap((row) => row.calls);
    const program = ({ sources, call, expected }: (typeof calls)[number]) => ({
      code: `${sources[0].replaceAll("\r\n", "\n")}\nassert ${call} == ${expected}`,
    });
    const [before, after] = [calls, calls.map(withoutNames)].map((each) => executeAll(each.map(program)));
    const broken = calls.flatMap(({ id }, i) =>
      before[i].kind === "passed" && after[i].kind !== "passed" ? [id] : [],
    );
    expect(broken).toEqual([]);
    expect(calls.filter((call) => withoutNames(call).call.startsWith("f(")).length).toBeGreaterThan(
      0.9 * calls.length,
    );
    expect(before.filter(({ kind }) => kind === "passed").length).toBeGreaterThan(0.97 * calls.length);
  });

  test("a trace asks for the same program: its value, or the values of its arguments, and no other arm has more programs", async () => {
    const rows = rowsOf("cruxeval").slice(0, 60);
    const calls = rows.flatMap((row) => row.calls);
    const records = runPython(
      calls.map(({ sources, call }) => ({ operation: "trace", source: sources[0], call, options: {} })),
    );
    const traces = new Map<string, TraceRecord>(
      records.map((record, i) => [calls[i].id, parseTrace(record, calls[i].id)]),
    );
    traces.delete("sample_3");
    const given = { arms: ["function", "traced"] as const, traces };
    const set = cruxeval.prepare({ split: "test" }, input(rows, given));
    const questions = all(set);
    const ids = (arm: string) =>
      questions
        .filter((question) => question.arm === arm && question.predict === "output")
        .map(({ id }) => id);
    expect(ids("traced")).toEqual(ids("function"));
    expect(ids("traced").length).toBeGreaterThan(50);
    expect(set.excluded.find(({ id }) => id === "sample_3")?.reason).toMatch(/has none of it/);
    const traced = questions.filter(({ arm }) => arm === "traced");
    const prompt = traced[0].next([])!;
    expect(prompt.split("\n").filter((line) => line.includes("??")).length).toBe(4); // instruction, two examples, question
    const judged = await judgedAll(traced.map((question) => [question, question.expected] as const));
    expect(
      judged.flatMap(({ grade }, i) =>
        grade.kind === "correct" ? [] : [[traced[i].id, traced[i].predict, grade]],
      ),
    ).toEqual([]);
    expect(questions.every(({ steps }) => steps !== null && steps <= 50)).toBe(true);
  });
});
