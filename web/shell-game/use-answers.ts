/** @file What the models answer to questions, as they come. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Question, ToRead, WasRead } from "./models.worker.ts";

export type Answers = Readonly<Record<string, WasRead>>;

const NONE: Answers = {};

/** By the name of the exhibit; one that is missing is still reading. Nothing is asked where there are no questions. */
export function useAnswers(questions: readonly Question[] | undefined): Answers {
  const worker = useRef<Worker>(undefined);
  const asked = useRef({ session: 0, about: "" });
  const [answers, setAnswers] = useState({ about: "", said: NONE });
  const about =
    questions === undefined ? "" : questions.map(({ text, places }) => `${text} ${places.length}`).join();
  useEffect(() => () => worker.current?.terminate(), []);
  useEffect(() => {
    if (questions === undefined) return;
    worker.current ??= begun((data) => {
      if (data.session !== asked.current.session) return;
      const now = asked.current.about;
      setAnswers((before) => ({
        about: now,
        said: { ...(before.about === now ? before.said : NONE), [data.exhibit]: data },
      }));
    });
    const session = asked.current.session + 1;
    asked.current = { session, about };
    worker.current.postMessage({ session, questions } satisfies ToRead);
  }, [about]);
  return answers.about === about ? answers.said : NONE; // never those of the session before
}

function begun(hear: (said: WasRead) => void): Worker {
  const own = new Worker(new URL("models.worker.js", import.meta.url), { type: "module" });
  own.addEventListener("message", ({ data }: MessageEvent<WasRead>) => hear(data));
  return own;
}
