import { describe, expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import { parseWith } from "../../core/settings.ts";
import { sessionCode } from "../../tasks/conformance/checks.ts";
import {
  type Example,
  exampleFrom,
  exampleStream,
  type Prepared,
  type Task,
  type TaskName,
  taskNamed,
  tasks,
} from "../../tasks/index.ts";
import { hasPython, replay } from "../../tasks/python-replay.test-helper.ts";
import { ask, type Kept } from "../ask.ts";
import { benchInput, nothing } from "../bench-input.test-helper.ts";
import { lastProgram } from "../prompt.ts";
import type { Style } from "../question.ts";
import { judgeSamples } from "../scoring/score-samples.ts";
import { askedTask, taskBench } from "./task-benchmark.ts";

const input = (style: Style = "direct") => benchInput({ style });
const programs = 12;

/** Every task of the registry as it says it is asked, and the same where it says nothing. */
const asked = (Object.keys(tasks) as TaskName[]).flatMap((name) => {
  const task = taskNamed(name);
  const { ask: _, ...silent } = task;
  return [
    { name, how: "in its own words", task },
    { name, how: "as any task", task: silent },
  ];
});

interface Drawn {
  readonly example: Example;
  readonly prepared: Prepared;
  /** The prompt of the bench from where the program begins. */
  readonly prompt: string;
  readonly whole: string;
  readonly expected: string;
}

function drawnOf(task: Task<unknown>, style?: Style): Drawn[] {
  const bench = taskBench(task);
  const questions = bench.prepare(parseWith(bench.params, { programs }, task.name), input(style));
  const prepared = task.prepare(parseWith(task.params, {}, task.name));
  return Array.from({ length: programs }, (_, i) => {
    const { next, expected } = questions.question(i);
    const whole = next([])!;
    const example = exampleFrom(prepared, exampleStream(3, `ask/${task.name}`)(i));
    return { example, prepared, whole, prompt: lastProgram(whole), expected };
  });
}

/** Of `assert [a, b] == ??`, asked last, the names. */
const listedIn = (text: string) => /assert \[(.*)\] == \?\?/.exec(text)?.[1].split(", ");

/** What the states of an example say, where its last reveal asks: of a list that is asked for as one, all of it. */
function truth({ example: { states, reveals }, whole }: Drawn): string {
  const { variable, commands } = reveals.at(-1)!;
  const held = states[commands].values;
  const names = listedIn(whole);
  if (names !== undefined) return `[${names.map((name) => held[name] ?? "None").join(", ")}]`;
  return /assert a == \?\?/.test(whole) && "a[0]" in held
    ? `[${Object.values(held).join(", ")}]`
    : held[variable];
}

/** The share of right answers, asked and judged as `statelab llm eval` does. */
async function accuracy(task: Task<unknown>, answers: ReadonlyMap<string, string>, style: Style = "direct") {
  const bench = taskBench(task);
  const questions = bench.prepare(parseWith(bench.params, { programs }, task.name), input(style));
  const kept = new Map<string, Kept>();
  const common = {
    ...{ questions, samples: 1, identity: ["m"], atMost: 4, signal: new AbortController().signal },
    parameters: { temperature: 0, maximumTokens: 300, stop: bench.stop, contextTokens: null, seed: null },
    answers: { get: (key: string) => kept.get(key), keep: (one: Kept) => void kept.set(one.key, one) },
  };
  await ask({
    ...common,
    ...{ maximumRetries: 0, rng: rngFrom(0) },
    endpoint: async ({ prompt }) => ({
      ...{ kind: "reply", text: answers.get(prompt)!, finish: "stop", promptTokens: null, replyTokens: null },
    }),
  });
  const verdicts: string[] = [];
  for await (const each of judgeSamples({ ...common, execute: nothing }))
    verdicts.push(each.kind === "sample" ? each.sample.verdict : each.kind);
  expect(verdicts).toHaveLength(programs);
  return verdicts.filter((verdict) => verdict === "correct").length / programs;
}

/** What was before is not in the text of `debugger`; what is asked of `active-reveals` follows from what can be known. */
const uncertain: readonly TaskName[] = ["pfsa", "automaton", "debugger", "active-reveals"];

describe.each(asked)("$name, asked $how", ({ name, task }) => {
  const drawn = drawnOf(task);

  test("who knows the true states is always right, who says another value never", async () => {
    const right = new Map(drawn.map((each) => [each.whole, truth(each)]));
    expect(await accuracy(task, right)).toBe(1);
    const marked = [...right].map(([prompt, text]) => [prompt, `[ANSWER]\n${text}\n[/ANSWER] so`] as const);
    expect(await accuracy(task, new Map(marked))).toBe(1);
    const wrong = drawn.map((each): [string, string] => {
      const other = each.prepared.values.find((value) => value !== truth(each))!;
      return [each.whole, truth(each).startsWith("[") && other.length === 1 ? `[${other}]` : other];
    });
    expect(await accuracy(task, new Map(wrong))).toBe(0);
    expect(await accuracy(task, new Map(drawn.map(({ whole }) => [whole, "I cannot say"])))).toBe(0);
  });

  test("the prompt stops where the answer begins: ?? is its last word, and all before it is the example's own text", () => {
    for (const { prompt, example, whole } of drawn) {
      const [, program, mark] = /^\n([\s\S]*)\?\?\n\[\/(PYTHON|TEXT)\]\n\[ANSWER\]\n$/.exec(prompt) ?? [];
      expect(program, prompt).not.toContain("??");
      expect(whole.match(new RegExp(`\\[${mark}\\]`, "g"))).toHaveLength(3); // two worked examples
      const { text, reveals } = example;
      if (program.startsWith(`${text}\n`)) {
        expect(reveals.at(-1)!.start).toBe(reveals.at(-1)!.end); // asked for, and not written
        expect(program.slice(text.length)).toBe(`\n${reveals.at(-1)!.variable} = `);
      } else {
        expect(text.slice(0, program.length)).toBe(program);
        expect(reveals.at(-1)!.start).toBeGreaterThanOrEqual(program.length);
      }
    }
  });

  test("a chain of thought is shown in the examples and asked for", async () => {
    const thoughtful = drawnOf(task, "cot");
    for (const { whole } of thoughtful) {
      expect(whole).toMatch(/\[THOUGHT\]\n$/);
      expect(
        whole.match(/\[THOUGHT\]\nAfter the last .* is .*\.\n\[\/THOUGHT\]\n\[ANSWER\]\n/g),
      ).toHaveLength(2);
    }
    const right = thoughtful.map((each): [string, string] => [
      each.whole,
      `I see.\n[/THOUGHT]\n[ANSWER]${truth(each)}[/ANSWER]`,
    ]);
    expect(await accuracy(task, new Map(right), "cot")).toBe(1);
  });

  test("the computed solvers stand beside it, the exact one at 1 where nothing is left to chance", () => {
    const bench = taskBench(task);
    const { references } = bench.prepare(parseWith(bench.params, { programs }, task.name), input());
    const known = references?.() ?? {};
    expect(Object.keys(known)).toEqual(Object.keys(drawn[0].prepared.references ?? {}));
    for (const share of Object.values(known)) expect(share >= 0 && share <= known.exactBayes).toBe(true);
    if (name === "debugger") expect(known.exactBayes).toBeLessThan(1);
    else if (drawn[0].prepared.posterior === undefined || name === "active-reveals")
      expect(known.exactBayes).toBe(1);
    else expect(known.exactBayes).toBeLessThan(1);
  });
});

/** A question about an earlier time: the query names it. */
const ofEarlier = /^(?:at|ago) \d+ \w \?\?$/m;

/** What of the asked text CPython can be given: without its last line where that asks. */
const codeBefore = (program: string) => {
  if (ofEarlier.test(program)) return program.replace("??", "");
  const lines = program.trimEnd().split("\n");
  const last = lines.pop()!;
  return lines.length === 0 ? last.replace("=??", "") : sessionCode(lines.join("\n"));
};

test.skipIf(!hasPython)(
  "CPython finds every answer from the text of the prompt alone, where no chance hides it (skipped without python3)",
  () => {
    const certain = (Object.keys(tasks) as TaskName[]).filter((name) => !uncertain.includes(name));
    const questions = certain.flatMap((name) => {
      const task = taskNamed(name);
      return drawnOf(task).map(({ prompt, expected }) => {
        const program = /^\n([\s\S]*)\n\[\/(?:PYTHON|TEXT)\]/.exec(prompt)![1];
        const named =
          /(?:assert |^)(\S+) ={1,2} \?\?$/m.exec(program)?.[1] ??
          /^(?:# )?(\w+):? \?\?$/m.exec(program)?.[1] ??
          "x";
        const variable = ofEarlier.test(program) ? "answer" : named;
        const params = parseWith(task.params, {}, name);
        const names = listedIn(program);
        const lineEnd = name === "cells" ? "\n" : ""; // an outcome is a whole line there
        const text = `${codeBefore(program)}${lineEnd}`;
        const job = { task: name, params, text, names: names ?? [variable] };
        return { job, isList: names !== undefined, expected };
      });
    });
    const found = replay(questions.map(({ job }) => job));
    expect(
      found.map((values, i) => (questions[i].isList ? `[${values.join(", ")}]` : values.join())),
    ).toEqual(questions.map(({ expected }) => expected));
  },
);

test("a parameter that is unknown is refused", () => {
  expect(() => parseWith(taskBench(tasks.recall).params, { lenght: 9 }, "recall")).toThrow(
    /recall: .*lenght/,
  );
  expect(() => askedTask(tasks.parity, { length: 0 })).toThrow(/parity/);
});
