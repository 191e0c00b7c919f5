/** @file Questions to a worker, and what the models answer, as it comes. */

import { useEffect, useRef, useState } from "preact/hooks";
import { exhibits } from "./demo-models.ts";
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

/** answers[exhibit][question]; one that is missing is still reading. */
export type Answers = Readonly<Record<string, Readonly<Record<string, WasRead>>>>;

const NONE: Answers = {};

/** About one text, `about`. Other questions, or another order, cost no answer that is there. */
export function useAnswers(about: string, questions: readonly Question[]): Answers {
  const [answers, setAnswers] = useState({ about: "", said: NONE });
  const said = answers.about === about ? answers.said : NONE; // never those of the session before
  const ask = useWorker<Omit<ToRead, "request">, WasRead>("models.worker.js", (was) =>
    setAnswers((before) => {
      const all = before.about === about ? before.said : NONE;
      return { about, said: { ...all, [was.exhibit]: { ...all[was.exhibit], [was.question]: was } } };
    }),
  );
  useEffect(() => {
    const isNew = ({ name }: Question) => exhibits.some(({ id }) => said[id]?.[name] === undefined);
    ask({ questions: questions.filter(isNew) });
  }, [questions]);
  return said;
}
