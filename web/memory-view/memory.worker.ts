/** @file A worker for the model of the memory view. */

import exhibits from "../models/exhibits.json" with { type: "json" };
import type { Exhibit } from "../shell-game/demo-models.ts";
import { type Followed, type Follower, makeFollower } from "./memory-trace.ts";

export interface ToFollow {
  readonly asked: number;
  readonly exhibit: string;
  readonly text: string;
  readonly places: readonly string[];
  readonly silenced: readonly string[];
}

export type WasFollowed = { readonly asked: number } & (Followed | { readonly error: string });

const followers = new Map<string, Promise<Follower>>();

async function load(id: string): Promise<Follower> {
  const exhibit = (exhibits as unknown as Exhibit[]).find((each) => each.id === id);
  if (exhibit === undefined) throw new Error(`no model is called ${id}`);
  const response = await fetch(new URL(`models/${id}.safetensors`, import.meta.url));
  if (!response.ok) throw new Error(`its weights could not be loaded (${response.status})`);
  return makeFollower(exhibit, new Uint8Array(await response.arrayBuffer()));
}

self.addEventListener("message", async ({ data }: MessageEvent<ToFollow>) => {
  const { asked, exhibit, text, places, silenced } = data;
  try {
    if (!followers.has(exhibit)) followers.set(exhibit, load(exhibit));
    const follow = await followers.get(exhibit)!;
    postMessage({ asked, ...follow(text, places, silenced) } satisfies WasFollowed);
  } catch (error) {
    followers.delete(exhibit);
    postMessage({ asked, error: error instanceof Error ? error.message : String(error) });
  }
});
