import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parseTrace, type TraceRecord } from "../../schemas/trace.ts";
import { excludedBy, publishedFilters } from "./filters.ts";
import { parseAssert } from "./find-call.ts";
import { hasPython, runPython } from "./python.test-helper.ts";

const folder =
  process.env.STATELAB_DATA ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url));
const hasCorpora = existsSync(`${folder}/cruxeval/cruxeval.jsonl`) && existsSync(`${folder}/mbpp/mbpp.jsonl`);

interface Sample {
  readonly id: string;
  /** The row that it is of: several samples may be of one function. */
  readonly function: string;
  /** One to be traced; of several the first that is proven counts. */
  readonly sources: readonly string[];
  readonly call: string;
  readonly expected: string;
}

function rows(name: string): Record<string, unknown>[] {
  const text = readFileSync(`${folder}/${name}`, "utf8");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

function cruxeval(): Sample[] {
  return rows("cruxeval/cruxeval.jsonl").map(({ id, code, input, output }) => ({
    ...{ id: String(id), function: String(id), sources: [String(code)] },
    ...{ call: `f(${input})`, expected: String(output) },
  }));
}

/** `test_setup_code` is tried before and after the code. */
function mbpp(from: number, to: number): Sample[] {
  return rows("mbpp/mbpp.jsonl")
    .filter(({ task_id: id }) => Number(id) >= from && Number(id) <= to)
    .flatMap(({ task_id: id, code, test_list: asserts, test_setup_code: setup }) =>
      (asserts as string[]).map((text, i) => {
        const found = parseAssert(text, String(code));
        if (found === undefined) throw new Error(`MBPP ${id}: no call in ${text}`);
        const sources = setup === "" ? [`${code}`] : [`${setup}\n${code}`, `${code}\n${setup}`];
        const { call, expected } = found;
        return { id: `${id}/${i}`, function: String(id), sources, call, expected };
      }),
    );
}

/** The record of each sample, and whether its result is what the data set expects, decided by Python. */
function traceSamples(samples: readonly Sample[]): { record: TraceRecord; asExpected: boolean }[] {
  const requests = samples.flatMap(({ sources, call }) =>
    sources.map((source) => ({ operation: "trace", source, call, options: {} })),
  );
  const answers = runPython(requests).map((answer, i) => parseTrace(answer, requests[i].call));
  const records = samples.map(({ sources }) => {
    const own = answers.splice(0, sources.length);
    return own.find(({ proven }) => proven) ?? own[0];
  });
  const checks = runPython(
    samples.map(({ expected }, i) => ({
      operation: "execute",
      code: `${valueLine(records[i])}assert value == (${expected})`,
    })),
  ) as { outcome: string }[];
  return records.map((record, i) => ({ record, asExpected: checks[i].outcome === "passed" }));
}

/** A line that makes the result, or the data that equal it: the right side of the trace's last line. */
function valueLine({ literal, compared, lines }: TraceRecord): string {
  if (compared !== "data") return `value = ${literal ?? "None"}\n`;
  const last = JSON.stringify(lines.at(-1)?.code);
  return `import ast\nvalue = eval(ast.unparse(ast.parse(${last}).body[0].test.comparators[0]))\n`;
}

const slice = process.env.SOAK_SLICE === "ci";

test.skipIf(!hasPython || !hasCorpora)(
  `${slice ? "every sixteenth program" : "all 800 programs"} of CRUXEval are traced, proven and end with the data set's output (skipped without python3 or STATELAB_DATA)`,
  () => {
    const samples = cruxeval().filter((_, i) => !slice || i % 16 === 0);
    const traced = traceSamples(samples);
    const problems = traced.flatMap(({ record, asExpected }, i) =>
      record.proven && record.reason === null && asExpected ? [] : [`${samples[i].id}: ${record.reason}`],
    );
    expect(problems).toEqual([]);
    expect(traced).toHaveLength(slice ? 50 : 800);
    // the published tracer took 761 with this filter
    const taken = traced.filter(({ record }) => excludedBy(record, publishedFilters.cruxeval) === undefined);
    expect(taken.length).toBeGreaterThanOrEqual(slice ? 47 : 761);
  },
);

test.skipIf(!hasPython || !hasCorpora)(
  "MBPP: at least 490 of the 500 functions and 1,400 samples of the test split are traced and proven (skipped without python3 or STATELAB_DATA)",
  () => {
    const samples = slice ? mbpp(11, 22) : mbpp(11, 510);
    const traced = traceSamples(samples);
    const good = samples.filter((_, i) => traced[i].record.proven && traced[i].record.reason === null);
    const functions = new Set(good.map((sample) => sample.function));
    expect(functions.size).toBeGreaterThanOrEqual(slice ? 10 : 490);
    expect(good.length).toBeGreaterThanOrEqual(slice ? 30 : 1_400);
    // a sample that is traced gives what the benchmark's own assert says
    expect(samples.filter((_, i) => traced[i].record.reason === null && !traced[i].asExpected)).toEqual([]);
    const taken = new Set(
      samples
        .filter((_, i) => excludedBy(traced[i].record, publishedFilters.mbpp) === undefined)
        .map((each) => each.function),
    );
    // the published tracer took 347
    expect(taken.size).toBeGreaterThan(slice ? 6 : 347);
  },
);
