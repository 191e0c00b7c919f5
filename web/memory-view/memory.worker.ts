/** @file A worker for the model of the memory view. */

import { errorText } from "../../src/core/error.ts";
import { exhibitNamed, weightsFile } from "../shell-game/demo-models.ts";
import { type Followed, type Follower, makeFollower } from "./memory-trace.ts";

export interface ToFollow {
  readonly request: number;
  readonly exhibit: string;
  readonly text: string;
  readonly places: readonly string[];
  readonly silenced: readonly string[];
}

export type WasFollowed = { readonly request: number } & (Followed | { readonly error: string });

const followers = new Map<string, Promise<Follower>>();

const load = async (id: string) => makeFollower(exhibitNamed(id), await weightsFile(id));

self.addEventListener("message", async ({ data }: MessageEvent<ToFollow>) => {
  const { request, exhibit, text, places, silenced } = data;
  try {
    if (!followers.has(exhibit)) followers.set(exhibit, load(exhibit));
    const follow = await followers.get(exhibit)!;
    postMessage({ request, ...follow(text, places, silenced) } satisfies WasFollowed);
  } catch (error) {
    followers.delete(exhibit);
    postMessage({ request, error: errorText(error) });
  }
});
