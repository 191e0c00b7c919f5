import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { type EvalRequest, evaluateBenchmark } from "../../app/llm/eval.ts";
import { evaluateSharded } from "../../app/llm/sharded.ts";
import { silent } from "../../core/progress.ts";
import { atOnce } from "../../executors/at-once.test-helper.ts";
import { executeTask } from "../../executors/execute-task.ts";
import { readTask } from "../../executors/manifest.ts";
import { EvalConfig } from "../../schemas/eval-config.ts";
import { handlers } from "../cluster/worker.ts";

const root = tmpFolder("ask-on");
vi.stubEnv("XDG_STATE_HOME", join(root, "state"));
afterAll(() => void vi.unstubAllEnvs());
const signal = new AbortController().signal;
const script = join(root, "script.jsonl");
const answering = (...lines: object[]) =>
  writeFileSync(script, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

const orderFor = (out: string): EvalRequest => ({
  config: EvalConfig.parse({ bench: "parity", settings: ["programs=20"], script, folder: join(root, out) }),
  ...{ signal, progress: silent },
});

/** Asks by shares of six; which were handed over is told. */
async function onEngine(out: string, left: (index: number) => boolean = () => false) {
  const shares: string[] = [];
  const engine = atOnce(async (submission, index) => {
    shares.push(readTask(submission.folder, index).task.folder);
    if (!left(index)) await executeTask(submission.folder, index, handlers, () => {}, signal);
  });
  const asked = await evaluateSharded(orderFor(out), {
    engine,
    signal,
    size: 6,
    maxWorkers: 2,
    command: ["statelab"],
    everySeconds: 0,
    detach: true,
  });
  return { ...asked, shares };
}

const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");
const shareFolders = ["0-5", "6-11", "12-17", "18-19"].map((name) => `shares/${name}`);

test("asked by shares it writes the files of one process; what is answered is handed over no more, what a share left is", async () => {
  answering({ reply: "1" });
  expect((await onEngine("on", (index) => index === 2)).result).toBeUndefined();
  const { states, result, shares } = await onEngine("on");
  expect(states.map(({ kind }) => kind)).toEqual(["done", "done", "left", "done"]); // as it was seen before
  expect([shares, result]).toEqual([[shareFolders[2]], undefined]);
  const collected = await onEngine("on");
  expect(collected.shares).toEqual([]);
  expect(collected.result?.tally).toMatchObject({ samples: 20, answered: 20, requests: 20, left: {} });
  await evaluateBenchmark(orderFor("plain"));
  for (const file of ["samples.jsonl", "results.json", "report.html"])
    expect(read("on", file) === read("plain", file), file).toBe(true);
  expect(existsSync(join(root, "on", "shares"))).toBe(false);
  expect((await onEngine("on")).shares).toEqual([]);
  expect(readdirSync(join(root, "on", "submissions"))).toHaveLength(2);
});

test("what is lost to the endpoint is told as in one process, and handed over again by the next call", async () => {
  answering({ contains: "p = 1\np ^= 1", reply: "1" });
  const alone = await evaluateBenchmark(orderFor("alone"));
  expect(Object.keys(alone.tally.left)).toEqual(["unscripted"]);
  await onEngine("lost");
  const { result: end } = await onEngine("lost");
  expect(end?.tally).toEqual(alone.tally);
  expect(end?.words).toEqual(alone.words);
  expect(read("lost", "results.json") === read("alone", "results.json")).toBe(true);
  expect((await onEngine("lost")).shares.length).toBeGreaterThan(0);
});
