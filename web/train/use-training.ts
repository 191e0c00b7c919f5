/** @file One training in a worker: its steps so far, and its status. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { RunConfig, StepRecord } from "../../src/schemas/run-config.ts";
import type { Engine } from "./runtime.ts";
import type { Answers, Change, Origin, ToTrain, Trained } from "./trainer.worker.ts";

export interface Training {
  readonly records: readonly StepRecord[];
  readonly state: "waiting" | "training" | "paused" | "finished" | "failed";
  readonly parameters?: number;
  /** As it is trained now. */
  readonly config?: RunConfig;
  readonly problem?: string;
  /** Accuracy by length; "evaluating" until it is there, or why there is none. */
  readonly beyond?: Answers["beyond"] | "evaluating" | Error;
}

export interface TrainingControl extends Training {
  pause(): void;
  goOn(change?: Partial<Change>): void;
  /** Finds `beyond`; by itself when the training has ended. */
  testLonger(): void;
  /** Answered between two steps. @throws Error with the worker's sentence. */
  ask<About extends keyof Answers>(about: About): Promise<Answers[About]>;
}

const WAITING: Training = { records: [], state: "waiting" };

interface Waiting {
  readonly resolve: (answer: Answers[keyof Answers]) => void;
  readonly reject: (error: Error) => void;
}

/** Begins when the engine is loaded; another `from` starts again, and ends the current training. */
export function useTraining(from: Origin | undefined, engine: Engine | undefined): TrainingControl {
  const worker = useRef<Worker>(undefined);
  const waiting = useRef(new Map<number, Waiting>());
  const asked = useRef(0);
  const [training, setTraining] = useState(WAITING);
  useEffect(() => {
    setTraining(WAITING);
    if (from === undefined || engine === undefined) return;
    const own = new Worker(new URL("trainer.worker.js", import.meta.url), { type: "module" });
    worker.current = own;
    own.addEventListener("message", ({ data }: MessageEvent<Trained>) => {
      switch (data.kind) {
        case "ready":
          setTraining((before) => ({
            ...before,
            state: from.kind === "folder" && before.state === "waiting" ? "paused" : "training",
            parameters: data.parameters,
            config: data.config,
            records: data.records,
          }));
          break;
        case "steps":
          setTraining((before) => ({ ...before, records: [...before.records, ...data.records] }));
          break;
        case "finished":
          setTraining((before) => ({ ...before, state: "finished" }));
          break;
        case "failed":
          setTraining((before) => ({ ...before, state: "failed", problem: data.words }));
          break;
        case "answer": {
          const { resolve, reject } = waiting.current.get(data.id) ?? {};
          waiting.current.delete(data.id);
          if (data.answer === undefined) reject?.(new Error(data.refusal));
          else resolve?.(data.answer);
          break;
        }
        default:
          data satisfies never;
      }
    });
    own.addEventListener("error", () =>
      setTraining((before) => ({ ...before, state: "failed", problem: "the worker did not start" })),
    );
    own.postMessage({ kind: "start", from, engine } satisfies ToTrain);
    return () => own.terminate();
  }, [from, engine]);
  const tell = (said: ToTrain) => worker.current?.postMessage(said);
  const ask: TrainingControl["ask"] = (about) =>
    new Promise((resolve, reject) => {
      const id = ++asked.current;
      waiting.current.set(id, { resolve: resolve as Waiting["resolve"], reject }); // the worker answers what was asked
      tell({ kind: "ask", id, about });
    });
  const testLonger = () => {
    setTraining((before) => ({ ...before, beyond: "evaluating" }));
    ask("beyond")
      .catch((error: Error) => error)
      .then((beyond) => setTraining((before) => ({ ...before, beyond })));
  };
  const isFinished = training.state === "finished";
  useEffect(() => {
    if (isFinished) testLonger();
  }, [isFinished]);
  return {
    ...training,
    testLonger,
    ask,
    pause() {
      tell({ kind: "pause" });
      setTraining((before) => (before.state === "training" ? { ...before, state: "paused" } : before));
    },
    goOn(change = {}) {
      tell({ kind: "go on", ...change });
      setTraining((before) => (before.state === "paused" ? { ...before, state: "training" } : before));
    },
  };
}
