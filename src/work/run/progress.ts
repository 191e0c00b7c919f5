/** @file What the process that trains and asks a run tells meanwhile: plain data. */

import type { PartsDone } from "../../records/progress.ts";

export type RunProgress =
  | { readonly kind: "start"; readonly parameters: number; readonly bytes: number; readonly seconds: number }
  | {
      readonly kind: "step";
      readonly step: number;
      readonly loss: number;
      readonly accuracy: number;
      readonly stage: string;
      readonly secondsPerStep: number;
      readonly tokensPerSecond: number;
    }
  | { readonly kind: "ask"; readonly test: string }
  | ({ readonly kind: "measure" } & PartsDone);
