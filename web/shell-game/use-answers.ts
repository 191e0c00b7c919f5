/** @file Questions to a worker, and what the models answer, as it comes. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Question, ToRead, WasRead } from "./models.worker.ts";

/**
 * A worker that lives as long as the component. The result asks it: `hear` gets the answers until the next question, and never
 * those to one before.
 */
export function useWorker<Ask extends object, Said extends { readonly request: number }>(
  file: string,
  hear: (said: Said) => void,
): (question: Ask) => void {
  const worker = useRef<Worker>(undefined);
  const latest = useRef({ request: 0, hear });
  useEffect(() => () => worker.current?.terminate(), []);
  return (question) => {
    if (worker.current === undefined) {
      worker.current = new Worker(new URL(file, import.meta.url), { type: "module" });
      worker.current.addEventListener("message", ({ data }: MessageEvent<Said>) => {
        if (data.request === latest.current.request) latest.current.hear(data);
      });
    }
    latest.current = { request: latest.current.request + 1, hear };
    worker.current.postMessage({ ...question, request: latest.current.request });
  };
}

export type Answers = Readonly<Record<string, WasRead>>;

const NONE: Answers = {};

/** By the name of the exhibit; one that is missing is still reading. Nothing is asked where there are no questions. */
export function useAnswers(questions: readonly Question[] | undefined): Answers {
  const [answers, setAnswers] = useState({ about: "", said: NONE });
  const about =
    questions === undefined ? "" : questions.map(({ text, places }) => `${text} ${places.length}`).join();
  const ask = useWorker<Omit<ToRead, "request">, WasRead>("models.worker.js", (said) =>
    setAnswers((before) => ({
      about,
      said: { ...(before.about === about ? before.said : NONE), [said.exhibit]: said },
    })),
  );
  useEffect(() => {
    if (questions !== undefined) ask({ questions });
  }, [about]);
  return answers.about === about ? answers.said : NONE; // never those of the session before
}
