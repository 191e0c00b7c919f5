import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { RunConfig } from "../../src/records/run.ts";
import { bundled } from "../../src/work/run/bundle.ts";
import { keepOrigin, thisSession } from "../../src/work/run/origin.ts";
import type { Job, JobResult } from "./job.ts";
import { keepResult, keptResult, removeIfEdited } from "./kept.ts";

const root = mkdtempSync(join(tmpdir(), "statelab-kept-"));
afterAll(() => rmSync(root, { recursive: true }));

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
  await keepOrigin(own.folder, { model: await bundled(file) }, thisSession(own.config, 0));
  await removeIfEdited(own);
  expect(existsSync(own.folder)).toBe(true);
  writeFileSync(file, "export default 2;\n");
  await removeIfEdited(own);
  expect(existsSync(own.folder)).toBe(false);
});
