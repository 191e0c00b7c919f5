/** @file A model trained elsewhere as a run of the lab: its words put in the order of the task's, and the run made. */

import { readFile } from "node:fs/promises";
import { fail } from "../../core/error.ts";
import { applySettings, parseWith, parseYaml } from "../../core/settings.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { createRun, saveCheckpoint } from "../../storage/index.ts";
import { labVersion } from "../../storage/version.ts";
import { freshState } from "../../train/trainer.ts";
import { trustCode } from "../own-code/trust.ts";
import { saveProvenance, thisSession } from "../run/provenance.ts";
import { resolve } from "../run/resolve.ts";
import { readCheckpoint, readVocabulary, tensorOrder } from "./checkpoint.ts";

interface ImportRequest {
  /** The folder with config.json and *.safetensors. */
  readonly checkpoint: string;
  /** A run configuration for its task and tests, with settings over it; its model is replaced. */
  readonly file: string;
  readonly settings: readonly string[];
  /** The new run's folder. */
  readonly folder: string;
  readonly overwrite: boolean;
}

/** Errors: LabError where checkpoint and task do not fit, before anything is written. */
export async function importRun(request: ImportRequest): Promise<RunConfig> {
  const { checkpoint, file, settings, folder, overwrite } = request;
  const imported = await readCheckpoint(checkpoint);
  const text = await readFile(file, "utf8").catch(() => fail(file, "a readable YAML file", "none"));
  const chosen = applySettings(parseYaml(text, file), settings) as Record<string, unknown>; // YAML of a run
  const config = parseWith(RunConfig, { ...chosen, model: imported.model }, file);
  const { data, own } = await resolve(config, file);
  trustCode(own); // the user named the configuration
  const words = data.tokenizer.tokens;
  const weights = tensorOrder(words, imported, await readVocabulary(checkpoint), checkpoint);
  const run = await createRun(folder, { ...config, statelab: labVersion() }, { overwrite });
  try {
    await saveProvenance(run.folder, own, thisSession(config, 0));
    const stage = data.stages.length - 1;
    // No step was trained here: the last stage is what its tests and references are taken from.
    const stageStarts = data.stages.map(() => 1);
    const state = { ...freshState, stageStarts, progress: { ...freshState.progress, stage } };
    const model = Object.fromEntries(
      Object.entries(weights).map(([name, { shape, data: numbers }]) => [
        name,
        { dtype: "F32" as const, shape, data: numbers as Float32Array<ArrayBuffer> },
      ]),
    );
    await saveCheckpoint(run.folder, 0, { model, state });
  } finally {
    run.close();
  }
  return config;
}
