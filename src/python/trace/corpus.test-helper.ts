/** @file The programs of CRUXEval and MBPP as requests to the unroller, where the data sets are at hand (STATELAB_DATA). */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseTrace, type TraceRecord } from "../../schemas/trace.ts";
import { parseAssert } from "./find-call.ts";
import { runPython } from "./python.test-helper.ts";

const folder =
  process.env.STATELAB_DATA ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url));
export const hasCorpora =
  existsSync(`${folder}/cruxeval/cruxeval.jsonl`) && existsSync(`${folder}/mbpp/mbpp.jsonl`);

export interface Sample {
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

export function cruxeval(): Sample[] {
  return rows("cruxeval/cruxeval.jsonl").map(({ id, code, input, output }) => ({
    id: String(id),
    function: String(id),
    sources: [String(code)],
    call: `f(${input})`,
    expected: String(output),
  }));
}

/** `test_setup_code` is tried before and after the code. */
export function mbpp(from: number, to: number): Sample[] {
  return rows("mbpp/mbpp.jsonl")
    .filter(({ task_id: id }) => Number(id) >= from && Number(id) <= to)
    .flatMap(({ task_id: id, code, test_list: asserts, test_setup_code: setup }) =>
      (asserts as string[]).map((text, i) => {
        const found = parseAssert(text, String(code));
        if (found === undefined) throw new Error(`MBPP ${id}: no call in ${text}`);
        const sources = setup === "" ? [`${code}`] : [`${setup}\n${code}`, `${code}\n${setup}`];
        return {
          id: `${id}/${i}`,
          function: String(id),
          sources,
          call: found.call,
          expected: found.expected,
        };
      }),
    );
}

/** The record of each sample, and whether its result is what the data set expects, decided by Python. */
export function traceSamples(samples: readonly Sample[]): { record: TraceRecord; asExpected: boolean }[] {
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
