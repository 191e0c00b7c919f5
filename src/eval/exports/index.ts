/** @file The tools in whose files an asking can be written. */

import type { AskExport } from "./export.ts";
import { generations } from "./generations.ts";
import { dataSet } from "./hugging-face.ts";
import { inspect } from "./inspect.ts";
import { lmEval } from "./lm-eval.ts";

export const askExports = {
  generations,
  "lm-eval": lmEval,
  inspect,
  dataset: dataSet,
} as const satisfies Record<string, AskExport>;
export type AskExportName = keyof typeof askExports;
export const askExportNames = Object.keys(askExports) as AskExportName[]; // its own keys
