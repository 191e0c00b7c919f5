/** @file A worker that learns an automaton from a model. A newer request replaces an older one. */

import { errorText } from "../../src/core/error.ts";
import { exhibitNamed, weightsFile } from "../shell-game/demo-models.ts";
import { weightsIn } from "../shell-game/read.ts";
import type { Kept } from "../train/trained-models.ts";
import { type Became, extractFrom, type ToBecome } from "./extract.ts";
import { loadModel, type Thinking, tensorRows } from "./model.ts";
import { type LanguageName, languages, type Mind } from "./tasks.ts";

export interface ToAsk extends ToBecome {
  /** Its number. */
  readonly request: number;
  readonly language: LanguageName;
  /** The name of a model that comes with the page, or one that was trained in it; undefined ends what is under way. */
  readonly model: string | undefined | Pick<Kept, "model" | "tokens" | "numbers">;
}

export type HasBecome = { readonly request: number } & (
  | { readonly kind: "asking"; readonly asked: number }
  | ({ readonly kind: "became"; readonly milliseconds: number } & Became)
  | { readonly kind: "failed"; readonly error: string }
);

let latest = -1;

const exhibited = async (id: string) =>
  loadModel({ ...exhibitNamed(id), weights: weightsIn(await weightsFile(id), id) });

function trained({ model, tokens, numbers }: Pick<Kept, "model" | "tokens" | "numbers">): Promise<Mind> {
  const weights = Object.entries(numbers).map(([path, { shape, data }]) => [path, tensorRows(data, shape)]);
  return loadModel({ model: model as Thinking["model"], tokens, weights: Object.fromEntries(weights) }); // describeModel wrote it
}

self.addEventListener("message", async ({ data }: MessageEvent<ToAsk>) => {
  const { request, language, model, ...toBecome } = data;
  latest = request;
  if (model === undefined) return;
  const say = (said: HasBecome) => postMessage(said);
  try {
    const mind = await (typeof model === "string" ? exhibited(model) : trained(model));
    const started = performance.now();
    const became = await extractFrom(languages[language], mind, toBecome, async (asked) => {
      say({ request, kind: "asking", asked });
      await new Promise((next) => setTimeout(next)); // a newer question is heard here
      return latest === request;
    });
    if (became !== undefined)
      say({ request, kind: "became", milliseconds: performance.now() - started, ...became });
  } catch (error) {
    say({ request, kind: "failed", error: errorText(error) });
  }
});
