/** @file One training in a worker, as it goes: its steps so far, and how it stands. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { StepRecord } from "../../src/records/run.ts";
import type { ToTrain, Trained } from "./trainer.worker.ts";

export interface Training {
  readonly records: readonly StepRecord[];
  readonly state: "waiting" | "training" | "paused" | "finished" | "failed";
  readonly parameters?: number;
  readonly problem?: string;
}

export interface TrainingControl extends Training {
  pause(): void;
  goOn(): void;
  /** The weights as they are now, model.safetensors, and after which step. */
  weights(): Promise<{ readonly file: Uint8Array<ArrayBuffer>; readonly step: number }>;
}

const WAITING: Training = { records: [], state: "waiting" };

/** Begins when `wasm` is there; another `config`, or another `time`, begins anew, and what is left is ended. */
export function useTraining(
  config: object | undefined,
  wasm: ArrayBuffer | undefined,
  time: number,
): TrainingControl {
  const worker = useRef<Worker>(undefined);
  const asked = useRef<(weights: { file: Uint8Array<ArrayBuffer>; step: number }) => void>(undefined);
  const [training, setTraining] = useState(WAITING);
  const text = JSON.stringify(config);
  useEffect(() => {
    setTraining(WAITING);
    if (config === undefined || wasm === undefined) return;
    const own = new Worker(new URL("trainer.worker.js", import.meta.url), { type: "module" });
    worker.current = own;
    own.addEventListener("message", ({ data }: MessageEvent<Trained>) => {
      switch (data.kind) {
        case "ready":
          setTraining((before) => ({ ...before, state: "training", parameters: data.parameters }));
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
        case "weights":
          asked.current?.(data);
          break;
        default:
          data satisfies never;
      }
    });
    own.addEventListener("error", () =>
      setTraining((before) => ({ ...before, state: "failed", problem: "the worker could not be started" })),
    );
    own.postMessage({ kind: "start", config, wasm } satisfies ToTrain);
    return () => own.terminate();
  }, [text, wasm, time]);
  const tell = (kind: "pause" | "go on" | "weights") =>
    worker.current?.postMessage({ kind } satisfies ToTrain);
  return {
    ...training,
    pause() {
      tell("pause");
      setTraining((before) => (before.state === "training" ? { ...before, state: "paused" } : before));
    },
    goOn() {
      tell("go on");
      setTraining((before) => (before.state === "paused" ? { ...before, state: "training" } : before));
    },
    weights: () =>
      new Promise((answer) => {
        asked.current = answer;
        tell("weights");
      }),
  };
}
