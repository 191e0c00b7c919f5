import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { SearchSpace } from "../../schemas/search-space.ts";
import type { RunAnswers, RunJob } from "../run/execute.ts";
import { planSearch } from "./plan.ts";
import { runSearch } from "./search.ts";

const root = tmpFolder("score");

const requestOf = (name: string, task: object) => {
  const file = join(root, `${name}.yaml`);
  writeFileSync(
    file,
    JSON.stringify({ task, model: { name: "gru", layers: 1, width: 8 }, evaluate: { examples: 4 } }),
  );
  const space = SearchSpace.parse({
    ...{ programs: 16, rungs: 1, score: "likelihood" },
    space: { "train.learningRate": [0.001, 0.002, 0.004] },
  });
  return {
    ...{ file, settings: [], space, trials: 6, method: "random" as const, seed: 0 },
    folder: join(root, name),
  };
};

test("who gives most to the true values is chosen, though another guesses more of them", async () => {
  const request = requestOf("uncertain", { name: "pfsa", variables: 3, commands: 4 });
  const planned = await planSearch(request);
  const aboveOf = ({ config: { train } }: RunJob) => Math.log(0.004 / train.learningRate) - 0.001;
  const record = await runSearch(request, planned, {
    ...{ jobs: 1, command: "statelab sweep", signal: new AbortController().signal },
    execute: async (job: RunJob): Promise<RunAnswers> => {
      mkdirSync(job.folder, { recursive: true });
      writeFileSync(join(job.folder, "metrics.jsonl"), "");
      const accuracy = 0.004 - job.config.train.learningRate; // the other way round
      const shares = { accuracy, accuracyLast: accuracy, accuracyByReveal: [accuracy] };
      const nats = { exact: 0.5, vocabulary: 0.5 + aboveOf(job), values: 0.5 };
      return {
        results: [{ change: {}, wanted: 4, programs: 4, reveals: 4, ...shares, nats, references: {} }],
      };
    },
  });
  const likeliest = Math.max(...planned.map(({ config }) => config.train.learningRate));
  expect(planned[record.chosen!].config.train.learningRate).toBe(likeliest);
  for (const { trial, scores } of record.trials) {
    // exp(-log(0.004 / rate)) is rate / 0.004; by chance a model may pay less than the filter on few programs, and is no better for it.
    const expected = Math.min(1, (planned[trial].config.train.learningRate / 0.004) * Math.exp(0.001));
    expect(scores[0].score).toBeCloseTo(expected, 12);
  }
});

test.each([
  [0.9, "# best accuracy of any trial in any test (commands 4): 90.0 %; expected at least 95.0 %"],
  [0.96, undefined],
])("right in %d of its test: the file of the choice says %s", async (accuracy, said) => {
  const { space, ...request } = requestOf(`guesses-${accuracy}`, { name: "repl", commands: 4 });
  const asked = { ...request, space: SearchSpace.parse({ ...space, score: "accuracy" }) };
  await runSearch(asked, await planSearch(asked), {
    ...{ jobs: 1, command: "statelab sweep", signal: new AbortController().signal },
    execute: async ({ folder }: RunJob): Promise<RunAnswers> => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "metrics.jsonl"), "");
      const shares = { accuracy, accuracyLast: accuracy, accuracyByReveal: [accuracy] };
      const result = { change: { commands: 4 }, wanted: 4, programs: 4, reveals: 4 };
      return { results: [{ ...result, ...shares, references: {} }] };
    },
  });
  const chosen = readFileSync(join(asked.folder, "chosen.yaml"), "utf8").replaceAll("\u00A0", " ");
  if (said === undefined) expect(chosen).not.toContain("No trial");
  else expect(chosen).toContain(said);
});

test("where nothing is hidden by chance it is refused, before anything is trained", async () => {
  await expect(planSearch(requestOf("certain", { name: "repl", variables: 3, commands: 4 }))).rejects.toThrow(
    'score: expected accuracy, for a task without hidden randomness, got "likelihood"',
  );
});
