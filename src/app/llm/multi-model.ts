/**
 * @file Several models, asked the same one after the other, each in its folder, and compared at the end.
 *
 *     --model a --model b --out runs/two      runs/two/a, runs/two/b, then b against a, program by program
 *
 * Every folder resumes: the same command asks for no answer twice. An unreachable model does not stop the others. The budget
 * covers all models together.
 */

import { join } from "node:path";
import { fail, LabError } from "../../core/error.ts";
import { type AskedComparison, compareEvals } from "./compare.ts";
import { checkOrder, type EvalRequest, evaluateBenchmark, slug } from "./eval.ts";
import type { EvalResult } from "./run.ts";

export interface AskedModel {
  readonly model: string;
  /** Undefined where the budget was spent by those before it. */
  readonly end: (EvalResult & { readonly folder: string }) | undefined;
}

export interface MultiModelResults {
  readonly models: readonly AskedModel[];
  /** Against the first that has results. */
  readonly comparisons: readonly AskedComparison[];
  /** Why there are none. */
  readonly uncompared?: string;
}

/** Asks `config.models` in turn. @throws LabError for an invalid order; failures of one model are in its end */
export async function evaluateModels(order: EvalRequest): Promise<MultiModelResults> {
  const { config, progress } = order;
  await checkOrder(order);
  const names = config.models.map(slug);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) fail("--model", "different models", `${twice}, twice`);
  const asked: AskedModel[] = [];
  let { budget } = config;
  for (const model of config.models) {
    if (budget !== undefined && budget <= 0) {
      progress.say(`statelab: the budget is spent; ${model} was not evaluated`);
      asked.push({ model, end: undefined });
      continue;
    }
    progress.say(`statelab: evaluating ${model}`);
    const folder = config.folder === undefined ? undefined : join(config.folder, slug(model));
    const end = await evaluateBenchmark({ ...order, config: { ...config, models: [model], folder, budget } });
    if (budget !== undefined) budget -= end.tally.spent ?? 0;
    asked.push({ model, end });
  }
  return { models: asked, ...(await compared(asked)) };
}

/** A comparison that fails (no common program) is a remark, not an error. */
async function compared(asked: readonly AskedModel[]): Promise<Omit<MultiModelResults, "models">> {
  const folders = asked.flatMap(({ end }) => (end?.results === undefined ? [] : [end.folder]));
  if (folders.length < 2)
    return { comparisons: [], uncompared: `${folders.length} of ${asked.length} models have results` };
  try {
    return { comparisons: await compareEvals(folders) };
  } catch (error) {
    if (error instanceof LabError) return { comparisons: [], uncompared: error.message };
    throw error;
  }
}
