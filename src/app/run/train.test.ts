import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { latestCheckpoint, saveCheckpoint } from "../../storage/index.ts";
import { resumeRun } from "./resume.ts";
import { trainRun } from "./train.ts";

const folder = join(tmpFolder("train"), "run");

test("a checkpoint says whose memory it holds, and that of another optimizer is refused", async () => {
  const signal = new AbortController().signal;
  const config = RunConfig.parse({
    task: { name: "parity", length: 4 },
    model: { name: "lstm", layers: 1, width: 8 },
    train: { steps: 2, batch: 2 },
  });
  await trainRun(folder, config, { signal });
  const saved = (await latestCheckpoint(folder))!; // it has just been written
  expect(saved.optimizer?.metadata).toEqual({ optimizer: "adamw" });
  expect(Object.keys(saved.optimizer?.tensors ?? {}).sort()).toEqual(["first", "second"]);
  const optimizer = { ...saved.optimizer!, metadata: { optimizer: "other" } };
  await saveCheckpoint(folder, 3, { ...saved, optimizer });
  await expect(resumeRun(folder, { signal })).rejects.toMatchObject({
    kind: "corrupt",
    message: expect.stringMatching(
      /optimizer\.safetensors: expected the state of adamw, got "other"\. It was trained by/,
    ),
  });
});
