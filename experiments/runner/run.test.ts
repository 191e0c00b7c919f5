import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleSource } from "../../src/app/own-code/load.ts";
import { saveProvenance, thisSession } from "../../src/app/run/provenance.ts";
import { handlers } from "../../src/cli/cluster/worker.ts";
import { atOnce } from "../../src/executors/at-once.test-helper.ts";
import { executeTask } from "../../src/executors/execute-task.ts";
import { readTask } from "../../src/executors/manifest.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { executePart, type Job, type JobResult, keepResult, keptResult, removeIfChanged } from "./part.ts";
import { onEngine } from "./run.ts";

const root = tmpFolder("parts");

const job = (name: string, more: { seed?: number; model?: string } = {}): Job => ({
  ...{ setting: "parity", model: "gru", tests: [], folder: join(root, name), overwrite: false },
  config: RunConfig.parse({
    seed: more.seed ?? 0,
    task: { name: "parity" },
    model: { name: more.model ?? "gru" },
  }),
});
const result: JobResult = {
  rows: [],
  measurements: [
    { setting: "parity", model: "gru", seed: 0, name: "cell", at: { rate: 1 }, values: { state: 3 } },
  ],
};

test("what a run came to is found again by the very same run alone, and not where its record is damaged", async () => {
  mkdirSync(join(root, "a"));
  expect(await keptResult(job("a"))).toBeUndefined();
  await keepResult(job("a"), result);
  expect(await keptResult(job("a"))).toEqual(result);
  expect(await keptResult(job("a", { seed: 1 }))).toBeUndefined();
  writeFileSync(join(root, "a", "answered.json"), '{"version": 1');
  expect(await keptResult(job("a"))).toBeUndefined();
});

test("a run of a model of the user's own is removed when the file is edited, and else kept", async () => {
  const file = join(root, "mine.ts");
  writeFileSync(file, "export default 1;\n");
  const own = job("b", { model: file });
  mkdirSync(own.folder);
  await saveProvenance(own.folder, { model: await bundleSource(file) }, thisSession(own.config, 0));
  await removeIfChanged(own);
  expect(existsSync(own.folder)).toBe(true);
  writeFileSync(file, "export default 2;\n");
  await removeIfChanged(own);
  expect(existsSync(own.folder)).toBe(false);
});

process.env.XDG_STATE_HOME = join(root, "state");
const signal = new AbortController().signal;

const training = (folder: string, seed: number): Job => ({
  ...{ setting: "parity", model: "gru", overwrite: false, folder: join(root, folder), curvePoints: 3 },
  config: RunConfig.parse({
    seed,
    task: { name: "parity", length: 4 },
    model: { name: "gru", layers: 1, width: 4 },
    train: { steps: 2, batch: 2 },
    evaluate: { examples: 3 },
  }),
  tests: [{ name: "6", change: { length: 6 }, asTrained: false, chance: 0.5 }],
});

test("parts come back from an engine as from a process, those it still has do not, and other questions are asked anew", async () => {
  const jobs = [training("a", 0), training("b", 1)];
  let failing = false;
  const engine = atOnce(async (submission, index) => {
    const { task } = readTask(submission.folder, index);
    if (task.folder === "b" && !failing) return; // it is lost
    await executeTask(submission.folder, index, handlers, () => {}, signal);
  });
  const standing = { engine, signal, command: ["statelab"], everySeconds: 0, detach: true };
  const call = (own: readonly Job[] = jobs) => onEngine(own, root, standing);
  expect((await call()).map(({ kind }) => kind)).toEqual(["stopped", "stopped"]); // as it was seen before
  failing = true;
  await call([training("b", 1)]);
  const outcomes = await call([training("b", 1)]);
  const [done] = outcomes;
  const alone = await executePart({ ...training("b", 1), folder: join(root, "alone") }, () => {}, signal);
  const rowsOf = (outcome: typeof done) => outcome.kind === "done" && outcome.result.rows;
  expect(rowsOf(done)).toEqual(alone.rows);
  expect(alone.rows).toHaveLength(1);
  // The same folder, asked something else: what is kept there says nothing of it.
  const asked = {
    ...training("b", 1),
    tests: [{ name: "8", change: { length: 8 }, asTrained: false, chance: 0.5 }],
  };
  expect((await call([asked])).map(({ kind }) => kind)).toEqual(["stopped"]);
  const [other] = await call([asked]);
  expect(other.kind === "done" && other.result.rows[0].tested.name).toBe("8");
  expect(readFileSync(join(root, "b", "answered.json"), "utf8")).toContain('"name":"8"');
  expect(readdirSync(join(root, "submissions")).length).toBe(3);
});
