import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { RunConfig, StepRecord } from "../../schemas/run-config.ts";
import { readLog } from "../../storage/index.ts";
import { resumeRun } from "./resume.ts";
import { trainRun } from "./train.ts";

const folder = join(tmpFolder("event-log"), "run");
const options = { signal: new AbortController().signal, log: "tensorboard" } as const;
const witness = fileURLToPath(new URL("../export/curves.witness.test-helper.py", import.meta.url));
const fileNames = () => readdirSync(join(folder, "tensorboard"));

function eventsIn(name: string) {
  const json = execFileSync("python3", [witness, join(folder, "tensorboard", name)], { encoding: "utf8" });
  return JSON.parse(json).slice(3); // after the version, the start and the settings
}

test("the event file of a run that lost steps has every step of its log once", async () => {
  const config = RunConfig.parse({
    task: { name: "parity", length: 4 },
    model: { name: "lstm", layers: 1, width: 8 },
    train: { steps: 6, batch: 2 },
    checkpointEvery: 2,
  });
  await trainRun(folder, config, { ...options, until: 3 });
  const [before] = fileNames();
  expect(eventsIn(before)).toHaveLength(3);
  rmSync(join(folder, "checkpoints", "3"), { recursive: true });
  await resumeRun(folder, options);

  const [emptied, after] = fileNames();
  expect([emptied, statSync(join(folder, "tensorboard", emptied)).size]).toEqual([before, 0]);
  const events: { step: number; scalars: object }[] = eventsIn(after);
  const steps = readLog(join(folder, "metrics.jsonl"), StepRecord);
  expect(events.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6]);
  for (const [i, { loss, tokens }] of steps.entries())
    expect(events[i].scalars).toMatchObject({ "train/loss": Math.fround(loss), "train/tokens": tokens });
  expect(readFileSync(join(folder, "tensorboard", after), "latin1")).toContain("model.width");
});
