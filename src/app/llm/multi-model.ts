/**
 * @file Several models asked the same, one after the other, each in a folder of its own, and compared at the end.
 *
 *     --model a --model b --out runs/two      runs/two/a, runs/two/b, then b against a, program by program
 *
 * Each folder goes on where it was: the same command asks for nothing that is there. A model that cannot be reached does
 * not stop the others. A budget is for all of them together.
 */

import { join } from "node:path";
import { fail, LabError } from "../../core/error.ts";
import { type AskedComparison, compareAskings } from "./compare.ts";
import { type AskOrder, askBench, slug } from "./eval.ts";
import type { AskEnd } from "./run.ts";

export interface AskedModel {
  readonly model: string;
  /** Undefined where the budget was spent by those before it. */
  readonly end: (AskEnd & { readonly folder: string }) | undefined;
}

export interface AskedSeveral {
  readonly models: readonly AskedModel[];
  /** Against the first that has results. */
  readonly comparisons: readonly AskedComparison[];
  /** Why there are none. */
  readonly uncompared?: string;
}

/** What one model is asked by, beside what is the same for all. */
export interface ModelOrder extends Pick<AskOrder, "asked" | "price"> {
  readonly model: string;
}

/** Errors: LabError where the order is no order; what happens to one model is in its end. */
export async function askSeveral(
  order: Omit<AskOrder, "asked" | "price">,
  models: readonly ModelOrder[],
): Promise<AskedSeveral> {
  const names = models.map(({ model }) => slug(model));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) fail("--model", "models with names of their own", `${twice}, twice`);
  const asked: AskedModel[] = [];
  let { budget } = order;
  for (const { model, ...own } of models) {
    if (budget !== undefined && budget <= 0) {
      order.progress.say(`statelab: the budget is spent, ${model} was not asked`);
      asked.push({ model, end: undefined });
      continue;
    }
    order.progress.say(`statelab: asking ${model}`);
    const end = await askBench({
      ...{ ...order, ...own },
      ...(budget !== undefined && { budget }),
      folder: order.folder === undefined ? undefined : join(order.folder, slug(model)),
    });
    if (budget !== undefined) budget -= end.tally.spent ?? 0;
    asked.push({ model, end });
  }
  return { models: asked, ...(await compared(asked)) };
}

/** Askings of which none has a program in common are no mistake of the order: it is said. */
async function compared(asked: readonly AskedModel[]): Promise<Omit<AskedSeveral, "models">> {
  const folders = asked.flatMap(({ end }) => (end?.results === undefined ? [] : [end.folder]));
  if (folders.length < 2)
    return { comparisons: [], uncompared: `${folders.length} of ${asked.length} models have results` };
  try {
    return { comparisons: await compareAskings(folders) };
  } catch (error) {
    if (error instanceof LabError) return { comparisons: [], uncompared: error.message };
    throw error;
  }
}
