/** @file The server of the page: `statelab studio` marks the page that it serves; a static build has no server. */

import { useEffect, useState } from "preact/hooks";
import { errorText } from "../src/core/error.ts";

export const isServed = () => document.documentElement.dataset.served === "true";

/** The answer of `api/NAME`. @throws Error with the server's message. */
export async function asked<T>(name: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
  const search = new URLSearchParams(query).toString();
  const response = await fetch(`api/${name}${search === "" ? "" : `?${search}`}`).catch(() => {
    throw new Error("statelab studio does not answer; start it again in the same folder");
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
    let isLatest = true;
    const read = () =>
      ask().then(
        (said) => isLatest && setAnswer({ said }),
        (error) => isLatest && setAnswer({ problem: errorText(error) }),
      );
    read();
    const events = new EventSource("api/events");
    events.addEventListener("changed", read);
    events.addEventListener("error", read); // shows that the server stopped, or is back
    return () => {
      isLatest = false;
      events.close();
    };
  }, [about]);
  return answer;
}
