/** @file A worker for the model of the memory view: it reads a session, or answers what each variable is after a text. */

import { errorText } from "../../src/core/error.ts";
import { exhibitNamed, weightsFile } from "../shell-game/demo-models.ts";
import { type Followed, type Follower, makeFollower, type Readout, readOut } from "./memory-trace.ts";

export interface ToFollow {
  readonly request: number;
  readonly exhibit: string;
  readonly text: string;
  readonly places: readonly string[];
  readonly silenced: readonly string[];
}

/** Texts after which the variables are asked for. */
export interface ToReadOut extends Pick<ToFollow, "request" | "exhibit" | "silenced"> {
  readonly texts: readonly string[];
}

type Replied<Answer> = { readonly request: number } & (Answer | { readonly error: string });
export type WasFollowed = Replied<Followed>;
export type WasReadOut = Replied<{ readonly readouts: readonly Readout[] }>;

const followers = new Map<string, Promise<Follower>>();

const load = async (id: string) => makeFollower(exhibitNamed(id), await weightsFile(id));

let latest = -1;

self.addEventListener("message", async ({ data }: MessageEvent<ToFollow | ToReadOut>) => {
  const { request, exhibit, silenced } = data;
  latest = request;
  try {
    if (!followers.has(exhibit)) followers.set(exhibit, load(exhibit));
    const follow = await followers.get(exhibit)!;
    await new Promise((next) => setTimeout(next)); // a newer request is heard here
    if (latest !== request) return;
    if ("texts" in data) {
      const readouts = data.texts.map((text) => readOut(follow, text, silenced));
      postMessage({ request, readouts } satisfies WasReadOut);
    } else postMessage({ request, ...follow(data.text, data.places, silenced) } satisfies WasFollowed);
  } catch (error) {
    followers.delete(exhibit);
    postMessage({ request, error: errorText(error) });
  }
});
