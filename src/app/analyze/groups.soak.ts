import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { openTrainedRun } from "../run/open.ts";
import { trainRun } from "../run/train.ts";
import { analyseRun } from "./analyze.ts";

const root = tmpFolder("groups");

test.each([
  ["Z_3", 3],
  ["S_3", 6],
])(
  "the minimal automaton of an LSTM that has learned %s is the group's",
  async (group, order) => {
    const folder = join(root, group);
    const config = RunConfig.parse({
      seed: 1,
      task: { name: "group-words", group, length: 8 },
      model: { name: "lstm", layers: 1, width: 32, feedForward: 0 },
      train: { steps: 500, batch: 48, learningRate: 0.02, warmupSteps: 10, schedule: "cosine" },
    });
    await trainRun(folder, config, { signal: new AbortController().signal });
    const found = await analyseRun(await openTrainedRun(folder), {
      folder,
      change: { length: 12 },
      programs: 200,
      seed: 0,
      only: ["automaton"],
      command: "",
      tick: async () => {},
    });
    expect(found.measured.accuracy).toBeGreaterThan(0.99);
    expect(found.automaton).toMatchObject({ equivalent: true, states: order, trueStates: order });
    expect(found.automaton?.words.agreeing).toBe(found.automaton?.words.words);
  },
  60_000,
);
