/** @file Properties of the trace of any program, checked against plain runs (witness.test-helper.py). */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect } from "vitest";
import { parseTrace, type TraceRecord } from "../../schemas/trace.ts";
import { stateLiterals } from "../values/repr.ts";
import { pythonTest, runPython } from "./python.test-helper.ts";
import type { RandomProgram } from "./random-program.test-helper.ts";
import { randomProgram } from "./random-program.test-helper.ts";

const witnessFile = fileURLToPath(new URL("witness.test-helper.py", import.meta.url));

type Texts = Readonly<Record<string, string>>;
interface Witness {
  readonly plain: readonly Texts[];
  readonly steps: readonly Texts[];
  readonly result: string | null;
  readonly error: string | null;
  readonly raised: string | null;
}

function witnesses(programs: readonly RandomProgram[], records: readonly TraceRecord[]): Witness[] {
  const input = programs.map(
    ({ source, call }, i) =>
      `${JSON.stringify({ source, call, lines: records[i].lines.map(({ code }) => code) })}\n`,
  );
  const run = spawnSync("python3", ["-I", witnessFile], {
    input: input.join(""),
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout
    .split("\n")
    .filter((line) => line.startsWith("@"))
    .map((line) => JSON.parse(line.slice(1)));
}

interface Finding {
  readonly problem: string;
  readonly program: RandomProgram;
}

/** Traces every program with its calls written out and kept, and reports every departure from the plain runs. */
function checkPrograms(programs: readonly RandomProgram[]): Finding[] {
  return (["inline", "keep"] as const).flatMap((calls) => {
    const answers = runPython(
      programs.map((program) => ({ operation: "trace", ...program, options: { calls } })),
    );
    const records = answers.map((answer, i) => parseTrace(answer, programs[i].call));
    return witnesses(programs, records).flatMap((witness, i) => {
      const problem = problemOf(records[i], witness, calls);
      return problem === undefined ? [] : [{ problem: `calls ${calls}: ${problem}`, program: programs[i] }];
    });
  });
}

function problemOf(record: TraceRecord, witness: Witness, calls: "inline" | "keep"): string | undefined {
  if (!record.proven) return `not proven: ${record.reason}`;
  if (witness.error !== witness.raised)
    return `the program ends with ${witness.error}, the trace with ${witness.raised}`;
  if (record.literal !== witness.result) return `result ${record.literal}, plain run ${witness.result}`;
  if ((record.reason === null) !== (witness.error === null))
    return `${record.reason} against ${witness.error}`;
  for (const [i, { state, code }] of record.lines.entries()) {
    const literals = stateLiterals(state ?? {});
    for (const [name, text] of Object.entries(literals))
      if (!text.startsWith("<function") && witness.steps[i][name] !== text)
        return `after ${code}: ${name} is ${text} in the record, ${witness.steps[i][name]} when the line is run`;
  }
  const from = record.lines.findIndex(({ role }) => role === "arguments");
  const names = new Set(witness.plain.flatMap((state) => Object.keys(state)));
  // a handler unbinds its name before the program reaches another line, so its earlier value is never seen
  const visible = witness.steps.filter(
    (_, i) => i >= from && !record.lines[i + 1]?.code.startsWith("del error"),
  );
  const seen = distinct(visible.map((state) => pick(state, names)));
  const same =
    calls === "keep" ? equal(seen, witness.plain.map(text)) : isWithin(witness.plain.map(text), seen);
  return same ? undefined : "the states of the trace are not those of the plain run";
}

function pick(state: Texts, names: ReadonlySet<string>): string {
  return text(Object.fromEntries(Object.entries(state).filter(([name]) => names.has(name))));
}

function text(state: Texts): string {
  return JSON.stringify(Object.entries(state).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function distinct(texts: readonly string[]): string[] {
  return texts.filter((each, i) => each !== texts[i - 1]);
}

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, i) => each === b[i]);
}

/** Whether `inner` is a subsequence of `outer`: a call that is written out shows more states than the caller alone has. */
function isWithin(inner: readonly string[], outer: readonly string[]): boolean {
  let at = 0;
  for (const each of outer) if (each === inner[at]) at++;
  return at === inner.length;
}

/** Of the programs whose other input takes the same path: how many, and those of which more changes than arguments and final value. */
function samePaths(programs: readonly RandomProgram[]): {
  readonly compared: number;
  readonly different: readonly { readonly source: string; readonly code: readonly string[] }[];
} {
  const trace = (call: string, source: string) => ({ operation: "trace", source, call, options: {} });
  const other = (call: string) => call.replace(/^f\((-?\d+)/, (_, a) => `f(${Number(a) + 1}`);
  const records = runPython(
    programs.flatMap(({ source, call }) => [trace(call, source), trace(other(call), source)]),
  ).map((answer, i) => parseTrace(answer, String(i)));
  const path = ({ lines }: TraceRecord) => lines.map(({ line, role }) => `${line} ${role}`).join();
  const code = ({ lines }: TraceRecord) =>
    lines.filter(({ role }) => role !== "arguments" && role !== "assert").map((line) => line.code);
  const pairs = programs.flatMap(({ source }, i) => {
    const [first, second] = records.slice(2 * i, 2 * i + 2);
    return path(first) === path(second) ? [{ source, first: code(first), code: code(second) }] : [];
  });
  return {
    compared: pairs.length,
    different: pairs
      .filter((pair) => !equal(pair.first, pair.code))
      .map(({ source, code: changed }) => ({ source, code: changed })),
  };
}

const slice = process.env.SOAK_SLICE === "ci";
const size = slice ? 24 : 200;
const batches = slice ? 1 : 50;

pythonTest(
  `${batches * size} random programs: every trace is proven, and a plain run shows the same states and result`,
  () => {
    for (let batch = 0; batch < batches; batch++) {
      const findings = checkPrograms(fc.sample(randomProgram, { numRuns: size, seed: 1_000 + batch }));
      expect(findings.slice(0, 1), `seed ${1_000 + batch}`).toEqual([]);
    }
  },
);

pythonTest("an input that takes the same path changes nothing but the arguments and the final value", () => {
  const { compared, different } = samePaths(
    fc.sample(randomProgram, { numRuns: slice ? 16 : 400, seed: 31 }),
  );
  expect(different).toEqual([]);
  expect(compared).toBeGreaterThan(slice ? 8 : 200);
});
