/**
 * @file statelab/data: data sets: examples of a task, published benchmarks, their traces. For Node.
 *
 *     const rows = openBenchmark(benchmarks.cruxeval);
 */

export { type GetOptions, getBenchmark, importBenchmark, openBenchmark } from "../app/data/benchmark.ts";
export { type Injected, type InjectOptions, injectFaults } from "../app/data/faults.ts";
export { readJsonLines } from "../app/data/files.ts";
export {
  type GenerateRequest,
  type Generation,
  generation,
  type WriteOptions,
  writeGeneration,
} from "../app/generate.ts";
export { type TraceBenchmarkOptions, type TracedBenchmark, traceBenchmark } from "../app/trace/benchmark.ts";
export { type TracedOn, traceOn } from "../app/trace/on-engine.ts";
export {
  type Benchmark,
  type BenchmarkCall,
  type BenchmarkName,
  type BenchmarkRow,
  benchmarkNames,
  benchmarkRows,
  benchmarks,
} from "../python/benchmarks/index.ts";
export type { Coverage } from "../python/trace/coverage.ts";
export { describeTraces } from "../python/trace/statistics.ts";
export { FaultRecord, faultNames } from "../schemas/fault.ts";
export { readDatasetConfig, type WrittenDataset } from "../storage/dataset.ts";
