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

// 30 steps left of a model, each a second; of another 100 and then, each 2.2 seconds, 79.
test.each([
  ["one at a time", 1, ["about 2 min 9 s left in total", "about 3 min 24 s left in total"]],
  ["two", 2, ["about 1 min 42 s left in total"]],
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
  expect(said).toEqual(words);
});

test("seeds of one model at once are timed by the first", () => {
  const said: string[] = [];
  const progress = { update() {}, end() {}, close() {}, say: (text: string) => void said.push(text) };
  const show = showing(progress, 2);
  const one = part("gru", 100);
  const done = part("lstm", 100); // before a resume
  const seeds = [done, one, { ...one, config: { ...one.config, seed: 1 } }];
  for (const each of seeds) show.onStart(each, seeds);
  show.onEnd(done, "done", "");
  show.onProgress(one, step(1, 1));
  show.onProgress(one, step(50, 1));
  expect(said).toEqual(["about 1 min 15 s left in total"]);
});
