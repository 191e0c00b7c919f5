/**
 * @file statelab/records: the schema of every file that the lab reads or writes, configurations from text, weights from
 * bytes, and the one way a mistake is told. Reaches no module of Node.
 *
 *     const config = parseWith(RunConfig, applySettings(parseYaml(text, "run.yaml"), ["seed=3"]), "run.yaml");
 */

export { z } from "zod";
export { Automaton } from "../records/automaton.ts";
export { applySettings, parseWith, parseYaml } from "../records/config.ts";
export { DatasetConfig, DatasetRow } from "../records/dataset.ts";
export { type ExitKind, exitCodes, fail, LabError } from "../records/error.ts";
export { AnswerRecord, AskResults, SampleRecord } from "../records/eval.ts";
export { encodeNpy, type NpyArray } from "../records/npy.ts";
export { Claim, ExperimentResult, Measurement, ResultRow, TrainingCurve } from "../records/result.ts";
export { RevealRecord } from "../records/reveals.ts";
export { CurriculumConfig, EvaluateConfig, RunConfig, StepRecord, TrainConfig } from "../records/run.ts";
export {
  decodeSafetensors,
  encodeSafetensors,
  type Safetensors,
  type StoredTensor,
} from "../records/safetensors.ts";
export { CruxevalRow, Generations, Score } from "../records/samples.ts";
export { PythonValue, parseTrace, TraceRecord } from "../records/trace.ts";
export { TracedRow } from "../records/traced.ts";
