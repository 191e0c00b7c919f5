/**
 * @file Functions of a published benchmark: what does a call give, or which call gives this? Three ways to show them:
 *
 *     function     def identity(n): ...     assert identity(17) == ??        or  assert identity(??) == 17
 *     anonymous    def f(n): ...            assert f(17) == ??
 *     traced       n = 17                   assert (n) == ??                 or  n = ??
 *
 * With traces every arm asks about the same programs: those whose trace the published filter accepts.
 */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import { distinctPrograms, functionSets } from "../../python/benchmarks/functions.ts";
import {
  type Benchmark,
  type BenchmarkCall,
  type BenchmarkName,
  type BenchmarkRow,
  benchmarks,
} from "../../python/benchmarks/index.ts";
import { excludedBy } from "../../python/trace/filters.ts";
import type { TraceRecord } from "../../schemas/trace.ts";
import type { Execute } from "../execute.ts";
import { functionShots, tracedShots } from "../few-shot-examples.ts";
import { type Prompt, promptText, stopMark, unknown } from "../prompt.ts";
import {
  type Arm,
  type Bench,
  type BenchInput,
  defineBench,
  type Predict,
  type Question,
} from "../question.ts";
import { type Form, judgeAnswer, valueForm } from "../scoring/answer-parser.ts";
import {
  areArguments,
  type Grade,
  gradeCall,
  gradeValue,
  isReadable,
  unfitToExpect,
} from "../scoring/grade.ts";
import { upstreamAnswer } from "../scoring/score-cruxeval.ts";
import { assertionSides, callParts, deniedBy, parts, renamed } from "../scoring/source-text.ts";

const Params = z.strictObject({
  programs: z.int().min(1).optional().describe("Number of programs, from the first; all by default"),
  split: z.string().default("test").describe("The split, test for published results"),
});
type Params = z.infer<typeof Params>;

/** One bench for each published benchmark. */
export const functionBenches = Object.fromEntries(
  Object.values(benchmarks).map((benchmark) => [
    benchmark.name,
    functionsBench(benchmark, {
      place: `${benchmark.name}/${benchmark.file}`,
      hint: `Pass it with --data FILE, or import it first: statelab data import ${benchmark.name} FILE`,
    }),
  ]),
) as Record<BenchmarkName, Bench<Params, BenchmarkRow>>; // keyed by benchmark name

/** One for each set of functions that is known by its layout. */
export const layoutBenches = Object.fromEntries(
  Object.values(functionSets).map(({ hint, ...benchmark }) => [
    benchmark.name,
    functionsBench(benchmark, { hint: `Name it with --data FILE. ${hint}` }),
  ]),
) as Record<keyof typeof functionSets, Bench<Params, BenchmarkRow>>; // keyed by name

function functionsBench(
  benchmark: Pick<
    Benchmark,
    "name" | "source" | "splits" | "filter" | "tellingNames" | "typedValues" | "row"
  >,
  data: { readonly place?: string; readonly hint: string },
) {
  const { name, source, tellingNames, typedValues } = benchmark;
  return defineBench<Params, BenchmarkRow>({
    name,
    summary: "a Python function: what does a call return, or which call returns this value?",
    source,
    data: { ...data, row: benchmark.row },
    params: Params,
    arms: ["function", "traced", "anonymous"],
    predict: ["output", "input"],
    stop: [stopMark],
    prepare({ programs, split }, input) {
      if (input.arms.includes("traced") && input.traces === null)
        fail(
          "--traces",
          "traces.jsonl, for the traced arm",
          "none",
          `Make it: statelab data trace ${data.place === undefined ? "--functions FILE" : name}`,
        );
      const rows = distinctPrograms(input.rows)
        .filter(({ program }) => (benchmark.splits[split] ?? (() => false))(program))
        .slice(0, programs);
      const excluded: { id: string; reason: string }[] = rows.flatMap(({ unreadable }) => unreadable);
      const asked: Asked[] = [];
      for (const call of rows.flatMap(({ calls }) => calls)) {
        const trace = input.traces?.get(call.id);
        const left = leftOut(call, trace, input, benchmark.filter);
        if (left !== undefined) excluded.push({ id: call.id, reason: left });
        else
          for (const arm of input.arms)
            for (const predict of input.predict) {
              const shown = show(call, arm, predict, trace, typedValues);
              if (typeof shown === "string")
                excluded.push({ id: `${arm}/${predict}/${call.id}`, reason: shown });
              else
                asked.push({
                  id: call.id,
                  arm,
                  predict,
                  steps: trace?.steps ?? null,
                  expected: shown.expected,
                  make: () => show(call, arm, predict, trace, typedValues) as Shown,
                }); // it could be shown just now
            }
      }
      return {
        count: asked.length,
        excluded,
        question: (index) => questionOf(asked[index], input, tellingNames),
      };
    },
  });
}

function leftOut(
  { expected }: BenchmarkCall,
  trace: TraceRecord | undefined,
  { traces }: BenchInput,
  filter: Parameters<typeof excludedBy>[1],
): string | undefined {
  if (traces !== null && trace === undefined) return "the file of traces has none of it";
  const unfit = unfitToExpect(expected);
  if (unfit !== undefined) return unfit;
  return trace === undefined ? undefined : excludedBy(trace, filter);
}

interface Asked extends Pick<Question, "id" | "predict" | "steps" | "expected"> {
  readonly arm: Arm;
  readonly make: () => Shown;
}

/** A question about one program, or in words why there can be none. */
interface Shown {
  readonly program: string;
  readonly expected: string;
  readonly form: Form;
  readonly strict: (answer: string, execute: Execute) => Promise<Grade>;
  /** The program that CRUXEval's evaluator runs for this answer; undefined if it rejects the answer unread. */
  readonly upstream: (answer: string) => string | undefined;
}

function show(
  call: BenchmarkCall,
  arm: Arm,
  predict: Predict,
  trace: TraceRecord | undefined,
  typed: boolean,
): Shown | string {
  if (arm === "traced") return showTrace(trace, predict, typed);
  return showFunction(arm === "anonymous" ? withoutNames(call) : call, predict, typed);
}

function showFunction(
  { sources, call, expected, imports }: BenchmarkCall,
  predict: Predict,
  typed: boolean,
): Shown | string {
  const code = sources[0].replaceAll(/\r\n?/g, "\n").trimEnd();
  const whole = imports === undefined ? code : `${imports}\n${code}`;
  const asserted = (left: string, right: string, shown = whole) => `${shown}\nassert ${left} == ${right}`;
  if (predict === "output") {
    const program = asserted(call, unknown, code);
    return {
      program,
      expected,
      form: valueForm(program),
      strict: (answer, execute) => gradeValue(answer, expected, execute, typed),
      upstream: (answer) => (answer.includes(call) ? undefined : asserted(expected, answer)),
    };
  }
  const parsed = callParts(call);
  if (parsed === undefined) return "what is tested is more than one call";
  const { name, input } = parsed;
  if (input.trim() === "") return "the function takes no arguments";
  return {
    program: asserted(`${name}(${unknown})`, expected, code),
    expected: call,
    form: callForm(name),
    strict: (answer, execute) => gradeCall(answer, { code: whole, name, expected, typed }, execute),
    upstream: (answer) => (answer.includes(`${name}(`) ? asserted(expected, answer) : undefined),
  };
}

function showTrace(trace: TraceRecord | undefined, predict: Predict, typed: boolean): Shown | string {
  if (trace === undefined) return "there is no trace of it";
  const last = trace.lines.at(-1);
  const literal = trace.literal;
  if (last?.role !== "assert" || literal === null || !last.code.endsWith(literal))
    return "its trace asserts no value";
  const unfit = unfitToExpect(literal);
  if (unfit !== undefined) return unfit;
  const body = trace.lines.slice(0, -1).map(({ code }) => code);
  if (predict === "output") {
    const question = last.code.slice(0, -literal.length);
    const program = [...body, question + unknown].join("\n");
    return {
      program,
      expected: literal,
      form: valueForm(program),
      strict: (answer, execute) => gradeValue(answer, literal, execute, typed),
      upstream: (answer) => [...body, question + answer].join("\n"),
    };
  }
  const places = trace.lines.flatMap(({ role }, i) => (role === "arguments" ? [i] : []));
  const [targets, value] = parts(trace.lines[places[0]]?.code ?? "", "=");
  if (places.length !== 1 || value === undefined) return "its trace has no single line of arguments";
  const assigned = (text: string) =>
    trace.lines.map(({ code }, i) => (i === places[0] ? `${targets}= ${text}` : code)).join("\n");
  return {
    program: assigned(unknown),
    expected: value.trim(),
    form: (text) => [afterEqual(text)].find(isReadable),
    strict: async (answer, execute) => {
      if (!isReadable(answer)) return { kind: "unreadable", words: "the answer is no Python literal" };
      return ranWith(await execute({ code: assigned(answer) }));
    },
    upstream: assigned,
  };
}

/** One call of the function with literals, alone or as a side of an assertion. */
const callForm =
  (name: string): Form =>
  (text) => {
    const denied = deniedBy(text);
    const call = assertionSides(denied ?? text).find((side) => {
      const parsed = callParts(side);
      return parsed?.name === name && areArguments(parsed.input);
    });
    return call === undefined || denied === undefined ? call : `not ${call}`;
  };

function ranWith(run: Awaited<ReturnType<Execute>>): Grade {
  return run.kind === "passed" ? { kind: "correct" } : { kind: "wrong", words: run.words };
}

function afterEqual(text: string): string {
  const sides = parts(text, "=");
  return sides.length === 2 ? sides[1].trim() : text;
}

/** The called function as f, the others that the program defines as g, h, ... */
export function withoutNames(call: BenchmarkCall): BenchmarkCall {
  const entry = callParts(call.call)?.name;
  const text = call.sources.join("\n");
  const taken = new Set(text.match(/[^\W\d]\w*/gu));
  const free = Array.from("fghuvwxyz").concat(Array.from({ length: 99 }, (_, i) => `f${i}`));
  const names = new Map<string, string>();
  const defined = [...text.matchAll(/^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)/gm)].map((match) => match[1]);
  for (const name of new Set([...(entry === undefined ? [] : [entry]), ...defined])) {
    if (!defined.includes(name) || /^__/.test(name)) continue;
    const short = free.find(
      (each) => each === name || (!taken.has(each) && ![...names.values()].includes(each)),
    );
    if (short !== undefined) names.set(name, short);
  }
  return {
    ...call,
    sources: call.sources.map((source) => renamed(source, names)),
    call: renamed(call.call, names),
    expected: renamed(call.expected, names),
  };
}

const instructions = {
  output:
    "Below are Python programs that end with an assertion in which ?? stands for a value. Say which value makes it hold: a literal, without calls or unfinished expressions, and nothing else, even where the program seems wrong.",
  input:
    "Below are Python programs in which ?? stands for an input. Say any one input with which the assertion at the end holds, and nothing else, even where the program seems wrong.",
};
const forms = {
  function: "Put the complete assertion between [ANSWER] and [/ANSWER].",
  traced: "Put that alone, without the assertion, between [ANSWER] and [/ANSWER].",
};

function questionOf(
  asked: Asked,
  { style, scoring, protocol, form }: BenchInput,
  telling: boolean,
): Question {
  const { arm, predict } = asked;
  const shown = asked.make();
  const prompt: Prompt = {
    instruction: `${instructions[predict]} ${forms[arm === "traced" ? "traced" : "function"]}`,
    shots: arm === "traced" ? tracedShots(predict) : functionShots(predict, telling && arm === "function"),
    program: shown.program,
  };
  const { make: _, ...question } = asked;
  return {
    ...question,
    next: (replies) => (replies.length === 0 ? promptText(prompt, style, form, predict) : undefined),
    async judge([reply], execute) {
      // A trace has no upstream: its answer is read as by strict.
      if (scoring === "strict" || arm === "traced")
        return judgeAnswer(reply, { style, ...shown }, async (answer) => {
          if (scoring === "strict") return shown.strict(answer, execute);
          return ranWith(await execute({ code: shown.upstream(answer)! })); // traces reject no answer
        });
      const answer = upstreamAnswer(reply, predict, style, protocol);
      if (answer === "")
        return { extracted: null, grade: { kind: "unreadable", words: "no answer in the reply" } };
      const code = shown.upstream(answer);
      if (code === undefined)
        return {
          extracted: answer,
          grade: { kind: "unreadable", words: "rejected by the rules of upstream" },
        };
      return { extracted: answer, grade: ranWith(await execute({ code })) };
    },
  };
}
