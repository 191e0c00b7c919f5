/** @file Where a model is asked what it has become: beside the page. A newer request takes the place of an older one. */

import exhibits from "../models/exhibits.json" with { type: "json" };
import type { Exhibit } from "../shell-game/exhibits.ts";
import { readerOf } from "../shell-game/read.ts";
import { type Became, becomeOf, STOP, type ToBecome } from "./become.ts";

export interface ToAsk extends ToBecome {
  readonly request: number;
  readonly exhibit: string;
}

export type HasBecome = { readonly request: number } & (
  | { readonly kind: "asking"; readonly asked: number }
  | ({ readonly kind: "became"; readonly milliseconds: number } & Became)
  | { readonly kind: "failed"; readonly error: string }
);

let latest = STOP;

self.addEventListener("message", async ({ data }: MessageEvent<ToAsk>) => {
  const { request, exhibit: id, ...toBecome } = data;
  latest = request;
  if (request === STOP) return;
  const say = (said: HasBecome) => postMessage(said);
  try {
    const exhibit = (exhibits as unknown as Exhibit[]).find((each) => each.id === id);
    if (exhibit === undefined) throw new Error(`no model is called ${id}`);
    const response = await fetch(new URL(`models/${id}.safetensors`, import.meta.url));
    if (!response.ok) throw new Error(`its weights could not be loaded (${response.status})`);
    const read = readerOf(exhibit, new Uint8Array(await response.arrayBuffer()));
    const started = performance.now();
    const became = await becomeOf(read, toBecome, async (asked) => {
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
