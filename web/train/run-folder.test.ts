import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { resumeRun } from "../../src/app/run/resume.ts";
import { trainRun } from "../../src/app/run/train.ts";
import { modelNamed } from "../../src/models/index.ts";
import { RunConfig, type StepRecord } from "../../src/schemas/run-config.ts";
import { taskNamed } from "../../src/tasks/index.ts";
import { nodeRuntime } from "../../src/tensor/session-node.ts";
import { createTrainer, type Saved } from "../../src/train/trainer.ts";
import { stoppedRun } from "../../test/kit/runs.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { folderOf, runIn } from "./run-folder.ts";

const root = tmpFolder("page-run");

const config = RunConfig.parse({
  task: { name: "parity", length: 6, targets: "each" },
  model: { name: "deltanet", layers: 1, width: 8, heads: 2, feedForward: 8 },
  train: { steps: 8, batch: 4, evaluateEvery: 4, validationExamples: 5 },
});
const trainerOf = (saved?: Saved) =>
  createTrainer(
    config,
    { task: taskNamed("parity"), architecture: modelNamed("deltanet"), runtime: nodeRuntime(), now: () => 0 },
    saved,
  );
const without = (record: StepRecord) => ({ ...record, seconds: 0 }) as StepRecord; // its optional fields stay as they are
const signal = new AbortController().signal;

function filesOf(folder: string): Map<string, Uint8Array> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(dirname(folder).length + 1), readFileSync(path)];
    }),
  );
}

test("a run that was begun here goes on by `train --resume` as if it had begun there, and the other way round", async () => {
  const whole = await trainerOf();
  const all: StepRecord[] = [];
  for await (const record of whole.steps()) all.push(without(record));
  await whole.release();

  const here = await trainerOf();
  const records: StepRecord[] = [];
  for await (const record of here.steps()) if (records.push(record) === 5) break;
  const folder = join(root, "from-page");
  for (const [path, bytes] of Object.entries(await folderOf(here, { config, changes: [], records }))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  await here.release();
  const there: StepRecord[] = [];
  await resumeRun(folder, { signal, onStep: (record) => there.push(without(record)) });
  expect(there).toEqual(all.slice(5));
  const log = readFileSync(join(folder, "metrics.jsonl"), "utf8").trimEnd().split("\n");
  expect(log.map((line) => JSON.parse(line).step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);

  const native = join(root, "from-lab");
  await trainRun(native, config, { signal, until: 5 });
  const opened = await runIn(filesOf(native));
  expect(opened.records.map(without)).toEqual(all.slice(0, 5));
  const again = await trainerOf(opened.saved);
  const rest: StepRecord[] = [];
  for await (const record of again.steps()) rest.push(without(record));
  await again.release();
  expect(rest).toEqual(all.slice(5));
});

test("what is no run, is damaged, or brings its own code is refused in a sentence", async () => {
  await stoppedRun(join(root, "deltanet"));
  const stopped = filesOf(join(root, "deltanet"));
  expect((await runIn(stopped)).saved.state.step).toBe(6);
  const [sums] = [...stopped.keys()].filter((path) => path.endsWith("SHA256SUMS"));
  const model = sums.replace("SHA256SUMS", "model.safetensors");
  const text = (path: string) => Buffer.from(stopped.get(path)!).toString();
  const changed = (path: string, content: string | Uint8Array) =>
    runIn(new Map([...stopped, [path, typeof content === "string" ? Buffer.from(content) : content]]));
  await expect(runIn(new Map([["x/readme.txt", new Uint8Array()]]))).rejects.toThrow(
    /expected a folder with a config\.json/,
  );
  await expect(changed("deltanet/config.json", "{")).rejects.toThrow(/config\.json: expected JSON/);
  await expect(changed(model, stopped.get(model)!.with(-1, 7))).rejects.toThrow(/SHA-256/);
  await expect(changed(sums, "no checksums\n")).rejects.toThrow(/expected checksum lines/);
  await expect(changed(sums, text(sums).split("\n")[0])).rejects.toThrow(/to be listed|a file/);
  const own = text("deltanet/config.json").replace('"name": "deltanet"', '"name": "./own.ts"');
  await expect(changed("deltanet/config.json", own)).rejects.toThrow(/Studio does not run custom code/);
  const none = new Map([...stopped].filter(([path]) => !path.includes("checkpoints")));
  await expect(runIn(none)).rejects.toThrow(/expected a checkpoint/);
});
