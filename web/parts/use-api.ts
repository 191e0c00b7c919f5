/** @file What the lab behind the page says, and says again whenever a file changes. */

import { useEffect, useState } from "preact/hooks";

/** `about` names the question: another one is asked anew. */
export function useAsked<T>(
  ask: () => Promise<T>,
  about: string,
): { readonly said?: T; readonly problem?: string } {
  const [answer, setAnswer] = useState<{ readonly said?: T; readonly problem?: string }>({});
  useEffect(() => {
    let isLatest = true;
    const read = () =>
      ask().then(
        (said) => isLatest && setAnswer({ said }),
        (error) => isLatest && setAnswer({ problem: error instanceof Error ? error.message : String(error) }),
      );
    read();
    const events = new EventSource("api/events");
    events.addEventListener("changed", read);
    events.addEventListener("error", read); // a stopped server is said, and one that is there again
    return () => {
      isLatest = false;
      events.close();
    };
  }, [about]);
  return answer;
}
