/** @file Trainings by the page's own worker, for tests. */

import type { Page } from "playwright-core";
import type { StepRecord } from "../../src/schemas/run-config.ts";
import { type Choice, type Device, devices } from "./settings.ts";
import type { Answers, ToTrain, Trained } from "./trainer.worker.ts";

/** Records of the first steps, and the weights after them; `choice` ends with them. */
export function trainInPage(page: Page, choice: Choice, model: string, device: Device = "cpu") {
  return page.evaluate(
    async ({ choice, model, device, file }) => {
      const wasm = await (await fetch(file)).arrayBuffer();
      const worker = new Worker("trainer.worker.js", { type: "module" });
      const say = (said: ToTrain) => worker.postMessage(said);
      const records: StepRecord[] = [];
      try {
        const { numbers } = await new Promise<Answers["weights"]>((answer, refuse) => {
          worker.addEventListener("message", ({ data }: MessageEvent<Trained>) => {
            if (data.kind === "failed") refuse(new Error(data.words));
            if (data.kind === "steps") records.push(...data.records);
            if (data.kind === "finished") say({ kind: "ask", id: 1, about: "weights" });
            if (data.kind === "answer") answer(data.answer as Answers["weights"]); // it was the question
          });
          say({ kind: "start", from: { kind: "choice", choice, model }, engine: { device, wasm } });
        });
        const weights = Object.entries(numbers).map(([path, { data }]) => [path, [...data]] as const);
        return { records, weights: Object.fromEntries(weights) };
      } finally {
        worker.terminate();
      }
    },
    { choice, model, device, file: devices[device].file },
  );
}
