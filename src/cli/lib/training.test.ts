import { expect, test } from "vitest";
import { RunConfig } from "../../schemas/run-config.ts";
import { showing } from "./training.ts";

const part = (model: string, steps: number) => ({
  setting: "",
  model,
  config: RunConfig.parse({ task: { name: "parity" }, model: { name: "gru" }, train: { steps } }),
});
const step = (at: number, secondsPerStep: number) =>
  ({ kind: "step", step: at, loss: 1, accuracy: 0, stage: "1", secondsPerStep, tokensPerSecond: 1 }) as const;

test.each([
  ["one at a time", 1, "about 3 min 20 s left in total"], // 100 steps, and 100 of another model, each a second
  ["two", 2, "about 2 min 40 s left in total"], // 100 and 100 * 2.2 of seconds, on two cores
])("the time that is left counts every part's own steps, %s", (_, workers, words) => {
  const said: string[] = [];
  const progress = { update() {}, end() {}, close() {}, say: (text: string) => void said.push(text) };
  const show = showing(progress, workers);
  const [done, one, other] = [part("done", 900), part("gru", 100), part("lstm", 100)];
  for (const each of [done, one, other]) show.onStart(each, [done, one, other]);
  show.onEnd(done, "done", "");
  show.onProgress(one, step(50, 60)); // the first step after a resume compiles, too
  show.onProgress(other, step(1, 2.2));
  show.onProgress(one, step(70, 1));
  show.onProgress(other, step(21, 2.2));
  expect(said).toEqual([words]);
});
