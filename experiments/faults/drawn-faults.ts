/** @file Faults in programs that are drawn: their tests are answered by Python, then faults are put in as into a benchmark's. */

import { rngFrom } from "../../src/math/rng.ts";
import type { PythonHost } from "../../src/python/host.ts";
import type { FaultRecord } from "../../src/records/fault.ts";
import { parseHistory } from "../../src/records/history.ts";
import type { Benchmark, BenchmarkRow } from "../../src/trace/benchmarks/index.ts";
import { pythonLiteral } from "../../src/trace/literal.ts";
import { injectFaults } from "../../src/work/data/faults.ts";
import { silent } from "../../src/work/progress.ts";
import { severally } from "../../src/work/trace/host.ts";
import { drawCalls, drawSource } from "./faulty-programs.ts";

export interface DrawOptions {
  readonly host: PythonHost;
  readonly programs: number;
  readonly each: number;
  readonly seed: number;
}

const CALLS = 4;
const TOGETHER = 5;

/** A few programs at a time. */
export async function* drawnFaults({ host, programs, each, seed }: DrawOptions): AsyncGenerator<{
  readonly done: number;
  readonly faults: readonly FaultRecord[];
}> {
  const signal = new AbortController().signal;
  for (let from = 0; from < programs; from += TOGETHER) {
    const drawn = Array.from({ length: Math.min(TOGETHER, programs - from) }, (_, i) => {
      const rng = rngFrom(seed)
        .fork("faulty-programs")
        .fork(from + i);
      return { source: drawSource(rng.fork("source")), calls: drawCalls(rng.fork("calls"), CALLS) };
    });
    const answers = await severally(
      host,
      drawn.flatMap(({ source, calls }) => calls.map((call) => ({ operation: "history", source, call }))),
      {},
    );
    const rows = drawn.map(({ source, calls }, i): BenchmarkRow => {
      const program = `drawn_${from + i}`;
      const asked = calls.map((call, n) => {
        const answer = answers[i * CALLS + n];
        if ("stopped" in answer) throw new Error(`a drawn program did not end: ${answer.stopped}`);
        const { result } = parseHistory(answer.value, "lab.history");
        return { id: `${program}/${n}`, program, sources: [source], call, expected: pythonLiteral(result) };
      });
      return { program, calls: asked, unreadable: [] };
    });
    const { faults } = await injectFaults(drawnBenchmark, rows, {
      ...{ host, jobs: 1, each, seed, wallSeconds: 10, progress: silent, signal },
    });
    yield { done: from + drawn.length, faults };
  }
}

const drawnBenchmark: Pick<Benchmark, "name" | "license" | "sha256"> = {
  name: "drawn",
  license: "Apache-2.0",
  sha256: "",
};
