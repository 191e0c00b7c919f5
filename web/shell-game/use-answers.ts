/** @file What the models answer to a session, as they come. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { ToRead, WasRead } from "./models.worker.ts";
import type { Played } from "./session.ts";

export type Answers = Readonly<Record<string, WasRead>>;

const NONE: Answers = {};

/** By the name of the exhibit; one that is missing is still reading. */
export function useAnswers({ text, reveals }: Played): Answers {
  const worker = useRef<Worker>(undefined);
  const asked = useRef({ session: 0, text: "" });
  const [answers, setAnswers] = useState({ text: "", said: NONE });
  useEffect(() => {
    const own = new Worker(new URL("models.worker.js", import.meta.url), { type: "module" });
    own.addEventListener("message", ({ data }: MessageEvent<WasRead>) => {
      const { session, text: about } = asked.current;
      if (data.session !== session) return;
      setAnswers((before) => ({
        text: about,
        said: { ...(before.text === about ? before.said : NONE), [data.exhibit]: data },
      }));
    });
    worker.current = own;
    return () => own.terminate();
  }, []);
  useEffect(() => {
    const session = asked.current.session + 1;
    asked.current = { session, text };
    const message: ToRead = { session, text, places: reveals.map(({ before }) => before) };
    worker.current?.postMessage(message);
  }, [text]);
  return answers.text === text ? answers.said : NONE; // never those of the session before
}
