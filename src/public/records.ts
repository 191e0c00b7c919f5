/**
 * @file statelab/records: the schema of every file that the lab reads or writes, configurations from text, weights from
 * bytes, and the one way a mistake is told. Reaches no module of Node.
 *
 *     const config = parseWith(RunConfig, applySettings(parseYaml(text, "run.yaml"), ["seed=3"]), "run.yaml");
 */

export { z } from "zod";
export { type ExitKind, exitCodes, fail, LabError } from "../core/error.ts";
export { applySettings, parseWith, parseYaml } from "../core/settings.ts";
export { Automaton } from "../schemas/automaton.ts";
export { DatasetConfig, DatasetRow } from "../schemas/dataset.ts";
export { AnswerRecord, AskResults, SampleRecord } from "../schemas/eval.ts";
export {
  Claim,
  ExperimentResult,
  Measurement,
  ResultRow,
  TrainingCurve,
} from "../schemas/experiment-result.ts";
export { encodeNpy, type NpyArray } from "../schemas/formats/npy.ts";
export {
  decodeSafetensors,
  encodeSafetensors,
  type Safetensors,
  type StoredTensor,
} from "../schemas/formats/safetensors.ts";
export { RevealRecord } from "../schemas/reveals.ts";
export {
  CurriculumConfig,
  EvaluateConfig,
  RunConfig,
  StepRecord,
  TrainConfig,
} from "../schemas/run-config.ts";
export { CruxevalRow, Generations, Score } from "../schemas/samples.ts";
export { PythonValue, parseTrace, TraceRecord } from "../schemas/trace.ts";
export { TracedRow } from "../schemas/trace-row.ts";
