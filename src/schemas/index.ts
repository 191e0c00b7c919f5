/** @file statelab/schemas: the zod schemas of configurations and of files, and binary formats. Free of Node. */

export { z } from "zod";
export { DatasetRow } from "./dataset.ts";
export { ExperimentResult } from "./experiment-result.ts";
export { decodeSafetensors, encodeSafetensors } from "./formats/safetensors.ts";
export { RunConfig } from "./run-config.ts";
export { parseTrace } from "./trace.ts";
