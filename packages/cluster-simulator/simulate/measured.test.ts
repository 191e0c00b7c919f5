import { join } from "node:path";
import { expect, test } from "vitest";
import { keepAttempt } from "../../../src/executors/attempts.ts";
import { keepTicket, writeManifest } from "../../../src/executors/manifest.ts";
import { RunConfig } from "../../../src/schemas/run-config.ts";
import { SimulationPlan } from "../../../src/schemas/simulation-plan.ts";
import { makeFolder } from "../../../src/storage/index.ts";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { measuredPlan } from "./measured.ts";
import { simulatePlan } from "./simulate.ts";

const home = tmpFolder("measured");
const start = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
const config = RunConfig.parse({
  ...{ task: { name: "parity", length: 2 }, model: { name: "deltanet" }, train: { steps: 1 } },
});

test("a plan measured from attempts has their lengths and waits, and takes as long as they took", async () => {
  expect(() => measuredPlan(home)).toThrow(/of which a run is done, got "0 submissions"/);
  const spans = [
    [5, 46],
    [6, 47],
    [48, 88],
    [49, 90],
  ];
  const submission = await writeManifest(home, {
    ...{ created: at(0), statelab: "0", engine: "slurm", command: [], gone: [] },
    work: [...spans, []].map((_, i) => ({ folder: `run-${i}`, work: { kind: "run", config } })),
  });
  await makeFolder(join(submission.folder, "tasks"));
  keepTicket(submission, { engine: "slurm", job: "1", first: 0, last: 4, pack: 1, at: at(0) });
  for (const [i, [begun, ended]] of spans.entries()) {
    keepAttempt(submission, i, { kind: "begun", at: at(begun), host: "n1", job: "1", epoch: 0, step: 0 });
    keepAttempt(submission, i, { kind: "done", at: at(ended) });
  }
  // The fifth is under way.
  keepAttempt(submission, 4, { kind: "begun", at: at(95), host: "n1", job: "1", epoch: 0, step: 0 });
  const plan = measuredPlan(home);
  expect(plan).toEqual({
    runs: 4,
    run: { seconds: { each: [41, 41, 40, 41] } },
    clusters: [{ engine: "slurm", nodes: 2, startSeconds: { drawn: [5, 6, 2, 2] } }],
  });
  const exact = { ...plan, clusters: [{ ...plan.clusters[0], startSeconds: 15 / 4 }] };
  const { makespanSeconds } = await simulatePlan(SimulationPlan.parse(exact), 0, {
    signal: new AbortController().signal,
  });
  expect(Math.abs(makespanSeconds - 90)).toBeLessThan(1.5);
});
