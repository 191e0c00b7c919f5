/** @file The trials of a search: what each draws, its configuration and its folder, all of them checked. Nothing is written. */

import { join } from "node:path";
import { fail, LabError } from "../../core/error.ts";
import { itemsInTurns, turnsOf } from "../../core/rotations.ts";
import { parseWith } from "../../core/settings.ts";
import { describeModel } from "../../models/index.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import type { SearchSpace } from "../../schemas/search-space.ts";
import { readConfigFile } from "../run/config-file.ts";
import { inspectConfig } from "../run/resolve.ts";
import { type DrawnTrial, drawTrials } from "./space.ts";

/** No result uses this seed unless it is asked for: what is chosen by a search is then tried on others. */
export const SEARCH_SEED = 1000;

export interface SearchRequest {
  readonly file: string;
  /** As given by --set. */
  readonly settings: readonly string[];
  readonly space: SearchSpace;
  readonly trials: number;
  readonly method: "random" | "halving";
  readonly seed: number;
  readonly folder: string;
}

export interface PlannedTrial extends DrawnTrial {
  readonly trial: number;
  readonly folder: string;
  readonly config: RunConfig;
  /** As it is written, with the model's defaults filled in. */
  readonly written: object;
}

/** @throws LabError for a space with a trial that cannot work, naming what was drawn. */
export async function planSearch(request: SearchRequest, signal?: AbortSignal): Promise<PlannedTrial[]> {
  const { space, trials, seed, folder } = request;
  const planned: PlannedTrial[] = [];
  const drawnTrials = drawTrials(space, trials, seed).entries();
  for await (const [trial, drawn] of itemsInTurns(drawnTrials, turnsOf(signal))) {
    const { config, written } = await configOf(request, drawn);
    planned.push({
      ...drawn,
      ...{ trial, config, written },
      folder: join(folder, `trial-${String(trial).padStart(3, "0")}`),
    });
  }
  return planned;
}

async function configOf({ file, settings, space, seed }: SearchRequest, { changes }: DrawnTrial) {
  const changed = Object.entries(changes).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  try {
    const own = { task: undefined, model: undefined };
    const all = ["threads=1", ...settings, ...changed, `seed=${SEARCH_SEED + seed}`];
    const drawn = readConfigFile(file, all, own);
    const steps = Math.max(1, Math.ceil(space.programs / drawn.train.batch));
    const config = parseWith(RunConfig, { ...drawn, train: { ...drawn.train, steps } }, file);
    const { model, data } = await inspectConfig(config, file);
    if (space.score === "likelihood" && data.prepared.posterior === undefined)
      fail("score", "accuracy, as nothing is hidden by chance in this task", space.score);
    return { config, written: { ...config, model: { ...describeModel(model), name: config.model.name } } };
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(`with ${changed.join(", ")}: ${error.message}`, error.kind);
  }
}
