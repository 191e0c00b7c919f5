/** @file The server of the page: `statelab studio` marks the page that it serves; a static build has no server. */

import { useEffect, useState } from "preact/hooks";
import { errorText } from "../src/core/error.ts";

/** The command that serves the page, in its attribute `data-served`. */
const { served } = document.documentElement.dataset;
export const isServed = () => served !== undefined;

type Hear = (isThere: boolean) => void;
const listeners = new Set<Hear>();
let events: EventSource | undefined;

/** Calls `hear` when a file changes, and when the server stops or is back. The page has one connection for all listeners. */
export function listenToServer(hear: Hear): () => void {
  listeners.add(hear);
  if (events === undefined) {
    events = new EventSource("api/events");
    const say = (isThere: boolean) => {
      for (const each of listeners) each(isThere);
    };
    for (const event of ["ready", "changed"]) events.addEventListener(event, () => say(true));
    // The connection may be refused by a server that is there: it limits the number of pages.
    events.addEventListener("error", () =>
      fetch("page.css", { method: "HEAD" }).then(
        () => say(true),
        () => say(false),
      ),
    );
  }
  return () => listeners.delete(hear);
}

/** Says so where the server has stopped. */
export function useServerGone(): string | undefined {
  const [isThere, setThere] = useState(true);
  useEffect(() => (isServed() ? listenToServer(setThere) : undefined), []);
  return isThere ? undefined : `${served} --port ${location.port}`;
}

/** The answer of `api/NAME`. @throws Error with the server's message. */
export async function asked<T>(name: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
  const search = new URLSearchParams(query).toString();
  const response = await fetch(`api/${name}${search === "" ? "" : `?${search}`}`).catch(() => {
    throw new Error("the server does not answer");
  });
  if (!response.ok) throw new Error(await refusalOf(response));
  return response.json();
}

/** The message of an error response. */
export async function refusalOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { readonly error: string };
  return error;
}

/** The answer to `ask`, repeated whenever a file changes; `about` identifies the question. */
export function useApi<T>(
  ask: () => Promise<T>,
  about: string,
): { readonly said?: T; readonly problem?: string } {
  const [answer, setAnswer] = useState<{ readonly said?: T; readonly problem?: string }>({});
  useEffect(() => {
    let questions = 0;
    let shown = 0; // an answer is not replaced by that to an earlier question
    const read = () => {
      const own = ++questions;
      const show = (next: typeof answer) => {
        if (own < shown) return;
        shown = own;
        setAnswer(next);
      };
      ask().then(
        (said) => show({ said }),
        (error) => show({ problem: errorText(error) }),
      );
    };
    read();
    const stop = isServed() ? listenToServer(read) : undefined;
    return () => {
      shown = Number.POSITIVE_INFINITY;
      stop?.();
    };
  }, [about]);
  return answer;
}
