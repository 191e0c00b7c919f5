/**
 * @file statelab/data: data sets: examples of a task, published benchmarks, their traces. For Node.
 *
 *     const rows = openBenchmark(benchmarks.cruxeval);
 */

export { FaultRecord, faultNames } from "../records/fault.ts";
export { readDatasetConfig, type WrittenDataset } from "../store/dataset.ts";
export {
  type Benchmark,
  type BenchmarkCall,
  type BenchmarkName,
  type BenchmarkRow,
  benchmarkNames,
  benchmarkRows,
  benchmarks,
} from "../trace/benchmarks/index.ts";
export type { Coverage } from "../trace/coverage.ts";
export { describeTraces } from "../trace/statistics.ts";
export { type GetOptions, getBenchmark, importBenchmark, openBenchmark } from "../work/data/benchmark.ts";
export { type Injected, type InjectOptions, injectFaults } from "../work/data/faults.ts";
export { readJsonLines } from "../work/data/files.ts";
export {
  type GenerateRequest,
  type Generation,
  generation,
  type WriteOptions,
  writeGeneration,
} from "../work/generate.ts";
export { type TraceBenchmarkOptions, type TracedBenchmark, traceBenchmark } from "../work/trace/benchmark.ts";
export { type TracedOn, traceOn } from "../work/trace/on-engine.ts";
