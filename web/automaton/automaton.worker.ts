/** @file A worker that learns an automaton from a model. A newer request replaces an older one. */

import exhibits from "../models/exhibits.json" with { type: "json" };
import type { Exhibit } from "../shell-game/demo-models.ts";
import { weightsIn } from "../shell-game/read.ts";
import type { Kept } from "../train/trained-models.ts";
import { type Became, extractFrom, STOP, type ToBecome } from "./extract.ts";
import { loadModel, type Thinking, tensorRows } from "./model.ts";
import { type LanguageName, languages, type Mind } from "./tasks.ts";

export interface ToAsk extends ToBecome {
  readonly request: number;
  readonly language: LanguageName;
  /** The name of a model that comes with the page, or one that was trained in it. */
  readonly model: string | Pick<Kept, "model" | "tokens" | "numbers">;
}

export type HasBecome = { readonly request: number } & (
  | { readonly kind: "asking"; readonly asked: number }
  | ({ readonly kind: "became"; readonly milliseconds: number } & Became)
  | { readonly kind: "failed"; readonly error: string }
);

let latest = STOP;

async function exhibited(id: string): Promise<Mind> {
  const exhibit = (exhibits as unknown as Exhibit[]).find((each) => each.id === id);
  if (exhibit === undefined) throw new Error(`no model is called ${id}`);
  const response = await fetch(new URL(`models/${id}.safetensors`, import.meta.url));
  if (!response.ok) throw new Error(`its weights could not be loaded (${response.status})`);
  return loadModel({ ...exhibit, weights: weightsIn(new Uint8Array(await response.arrayBuffer()), id) });
}

function trained({ model, tokens, numbers }: Pick<Kept, "model" | "tokens" | "numbers">): Promise<Mind> {
  const weights = Object.entries(numbers).map(([path, { shape, data }]) => [path, tensorRows(data, shape)]);
  return loadModel({ model: model as Thinking["model"], tokens, weights: Object.fromEntries(weights) }); // describeModel wrote it
}

self.addEventListener("message", async ({ data }: MessageEvent<ToAsk>) => {
  const { request, language, model, ...toBecome } = data;
  latest = request;
  if (request === STOP) return;
  const say = (said: HasBecome) => postMessage(said);
  try {
    const mind = await (typeof model === "string" ? exhibited(model) : trained(model));
    const started = performance.now();
    const became = await extractFrom(languages[language], mind, toBecome, async (asked) => {
      say({ request, kind: "asking", asked });
      await new Promise((next) => setTimeout(next)); // a newer request is heard here
      return latest === request;
    });
    if (became !== undefined)
      say({ request, kind: "became", milliseconds: performance.now() - started, ...became });
  } catch (error) {
    say({ request, kind: "failed", error: error instanceof Error ? error.message : String(error) });
  }
});
