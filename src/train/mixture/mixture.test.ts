import { expect, test } from "vitest";
import { RunConfig } from "../../schemas/run-config.ts";
import { emptyBatch, taskNamed } from "../../tasks/index.ts";
import { planData, trainingData } from "../data.ts";
import { expectResumed, whole, withTrainer } from "../fixture.test-helper.ts";
import { policies } from "./samplers/index.ts";

const parts = [{ weight: 3 }, { objective: "copy" }, { objective: "selective-copy" }];

const configOf = (mixture: object, change: object = {}) =>
  RunConfig.parse({
    seed: 3,
    task: { name: "repl", variables: 2, commands: 2, spacing: 1 },
    model: { name: "deltanet", layers: 1, width: 16, heads: 2 },
    train: { steps: 7, batch: 4, warmupSteps: 2 },
    data: { mixture: { parts, window: 2, examples: 4, ...mixture } },
    ...change,
  });

const dataOf = (config: RunConfig) => trainingData(planData(taskNamed(config.task.name), config));

test.each(Object.keys(policies))(
  "by %s a training goes on from a copy within a window, bit for bit",
  async (sampler) => {
    const config = configOf({ sampler });
    const through = await whole(config);
    const windows = through.end.state.windows ?? [];
    expect(windows.map(({ from }) => from)).toEqual([1, 3, 5, 7]);
    // What was looked at before a window is what was found after the one before it, where it is the same part.
    for (const [i, { looked, after }] of windows.slice(0, -1).entries()) {
      expect(after).toHaveLength(looked.length);
      const next = windows[i + 1];
      for (const [j, part] of looked.entries())
        if (next.looked.includes(part)) expect(next.before[next.looked.indexOf(part)]).toBe(after[j]);
    }
    for (const done of [3, 4]) await expectResumed(config, through, done);
  },
);

test("shares stand in the record of a window's first step, by the names of the parts", async () => {
  const { records } = await whole(configOf({}));
  expect(records[0]).toMatchObject({
    "share.revealed-values": 0.6,
    "share.copy": 0.2,
    "share.selective-copy": 0.2,
  });
  expect(Object.keys(records[1]).some((key) => key.startsWith("share."))).toBe(false);
});

test("examples have the shares of their window, and the same programs are held for trained on", () => {
  const config = configOf({}, { train: { steps: 4, batch: 500 } });
  const data = dataOf(config);
  const [stage] = data.stages;
  const window = { stage: 0, looked: [], before: [], after: [] };
  data.shares.load([
    { ...window, from: 1, shares: [0.8, 0.2, 0] },
    { ...window, from: 3, shares: [0, 0.1, 0.9] },
  ]);
  const [copyWord, findWord] = ["<copy>", "<find>"].map((word) => data.tokenizer.tokens.indexOf(word));
  const countsAt = (step: number) => {
    const batch = emptyBatch(500, stage.length);
    stage.fill(batch, step);
    const counts = [0, 0, 0];
    for (let row = 0; row < 500; row++) {
      const words = batch.tokens.subarray(row * batch.length, (row + 1) * batch.length);
      const kind = words.includes(findWord) ? 2 : words.includes(copyWord) ? 1 : 0;
      counts[kind]++;
      expect(stage.isHardest(step, row)).toBe(kind === 0);
    }
    return counts.map((count) => count / 500);
  };
  for (const step of [1, 2]) {
    const [own, copied, found] = countsAt(step);
    expect(Math.abs(own - 0.8)).toBeLessThan(0.08); // four deviations
    expect(copied + own).toBe(1);
    expect(found).toBe(0);
  }
  const [own, copied] = countsAt(3);
  expect(own).toBe(0);
  expect(Math.abs(copied - 0.1)).toBeLessThan(0.06);
});

test("a replay has programs of the stages before, and none in the first", () => {
  const config = RunConfig.parse({
    task: { name: "group-words", group: "S_3" },
    model: { name: "gru" },
    train: { steps: 4, batch: 1000 },
    curriculum: { stages: [[{ length: 2 }], [{ length: 4 }], [{ length: 8 }]] },
    data: { mixture: { parts: [{ weight: 9 }, { replay: true }] } },
  });
  const { stages } = dataOf(config);
  expect(stages.map(({ parts: [, replay] }) => replay.variants.length)).toEqual([0, 1, 2]);
  const lengthsIn = (stage: number) => {
    const batch = emptyBatch(1000, stages[stage].length);
    stages[stage].fill(batch, 1);
    const share = (words: number) => batch.lengths.filter((length) => length === words + 1).length / 1000;
    return [2, 4, 8].map(share);
  };
  expect(lengthsIn(0)).toEqual([1, 0, 0]);
  const [old, own] = lengthsIn(1);
  expect(Math.abs(old - 0.1)).toBeLessThan(0.04);
  expect(old + own).toBe(1);
  const last = lengthsIn(2);
  expect(Math.abs(last[0] - 0.05)).toBeLessThan(0.03);
  expect(Math.abs(last[1] - 0.05)).toBeLessThan(0.03);
});

test("a mixture of the task alone trains what the task trains, on other programs", async () => {
  const alone = await whole(configOf({ parts: [{}] }));
  expect(alone.records).toHaveLength(7);
  expect(alone.end.state.windows?.every(({ shares }) => shares[0] === 1)).toBe(true);
});

test.each([
  [
    { parts: [{ objective: "copi" }] },
    {},
    /mixture\.parts\.0\.objective: .*, got "copi"\. Did you mean copy\?/,
  ],
  [{ parts: [{ objective: { name: "copy", pieces: 2 } }] }, {}, "data.mixture.parts.0.objective"],
  [{ sampler: "bandits" }, {}, /^data\.mixture\.sampler: .*, got "bandits"\. Did you mean bandit\?/],
  [{ parts: [{ replay: true }] }, {}, "data.mixture.parts: expected a part besides replay"],
  [{}, { tokenizer: "character" }, 'objectives with tokenizer: word, got "character"'],
  [{}, { task: { name: "parity" } }, "with a task that writes what it asks for"],
  [{}, { stateSupervision: {} }, "objective: revealed-values together with state supervision"],
  [{ parts: [{ change: { spacng: 1 } }] }, {}, 'got "spacng"'],
] as const)("%j with %j is refused in one sentence", async (mixture, change, sentence) => {
  const config = configOf(mixture, change);
  await expect(withTrainer(config, async () => undefined)).rejects.toThrow(sentence);
});
