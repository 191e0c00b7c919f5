import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Snapshot, snapshotMarks, takeSnapshot } from "./snapshot.ts";

let home = "";
let into = "";
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "statelab-snapshot-"));
  home = join(root, "home");
  into = join(root, "staged");
  mkdirSync(join(home, "run"), { recursive: true });
});
afterEach(() => rmSync(join(home, ".."), { recursive: true, force: true }));

const put = (path: string, text: string, flag: "w" | "a" = "w") => {
  mkdirSync(join(home, path, ".."), { recursive: true });
  writeFileSync(join(home, path), text, { flag });
};
const textOf = ({ files }: Snapshot, path: string) => {
  const { path: there, size } = files.get(path)!;
  return readFileSync(there).subarray(0, size).toString();
};

test("what says who works there, and what is half written, is no file of it; what is named so further down is", async () => {
  for (const path of [
    ...["run/run.lock", "run/run.lock.0f", "run/lock", "run/.a.00.tmp", "run/checkpoints/.4.tmp/state.json"],
    ...["run/config.json", "run/own/yarn.lock", "run/checkpoints/4/state.json", "tasks/1.jsonl", "other/x"],
  ])
    put(path, path);
  const snapshot = await takeSnapshot(home, ["run", "tasks/1.jsonl", "not/there"], into);
  expect([...snapshot!.files.keys()]).toEqual([
    ...["run/checkpoints/4/state.json", "run/config.json", "run/own/yarn.lock", "tasks/1.jsonl"],
  ]);
});

test("what is renamed over or removed afterwards is still as it was, and a log ends where it ended", async () => {
  put("run/model.onnx", "first");
  put("run/metrics.jsonl", "1\n");
  put("run/checkpoints/4/state.json", "4");
  const snapshot = (await takeSnapshot(home, ["run"], into))!;
  put("run/new", "second");
  renameSync(join(home, "run/new"), join(home, "run/model.onnx"));
  appendFileSync(join(home, "run/metrics.jsonl"), "2\n");
  rmSync(join(home, "run/checkpoints"), { recursive: true });
  expect(
    ["run/model.onnx", "run/metrics.jsonl", "run/checkpoints/4/state.json"].map((path) =>
      textOf(snapshot, path),
    ),
  ).toEqual([...["first", "1\n", "4"]]);
});

test("marks are the same where nothing has changed, and others where a log has grown or a file was replaced", async () => {
  put("run/a", "1");
  put("run/b.jsonl", "1\n");
  const look = async () =>
    snapshotMarks((await takeSnapshot(home, ["run"], join(into, String(Math.random()))))!);
  const first = await look();
  expect(await look()).toBe(first);
  appendFileSync(join(home, "run/b.jsonl"), "2\n");
  const second = await look();
  expect(second).not.toBe(first);
  put("run/new", "2");
  renameSync(join(home, "run/new"), join(home, "run/a"));
  expect(await look()).not.toBe(second);
});

test("a log and the event file of TensorBoard may both grow all the time", async () => {
  put("run/metrics.jsonl", "");
  let writing = true;
  const write = async () => {
    for (; writing; await new Promise(setImmediate))
      for (const name of ["metrics.jsonl", "tensorboard/events.out.tfevents.1700000000.statelab"])
        put(`run/${name}`, "1\n", "a");
  };
  const writer = write();
  const snapshot = await takeSnapshot(home, ["run"], into);
  writing = false;
  await writer;
  expect(snapshot?.files.size).toBe(2);
});

// The writer's order is: a line for each step, then at every fortieth a checkpoint of it, then the one before last is removed.
test("beside a writer every snapshot is a state that was: its log reaches the newest checkpoint, and there are one to three", async () => {
  let step = 0;
  let writing = true;
  const write = async () => {
    for (; writing; await new Promise((resolve) => setTimeout(resolve, 1))) {
      step++;
      appendFileSync(join(home, "run/metrics.jsonl"), `${step}\n`);
      if (step % 40 !== 0) continue;
      put(`run/checkpoints/.${step}.tmp/state.json`, String(step));
      renameSync(join(home, `run/checkpoints/.${step}.tmp`), join(home, `run/checkpoints/${step}`));
      if (step > 80) rmSync(join(home, `run/checkpoints/${step - 80}`), { recursive: true });
    }
  };
  const writer = write();
  const seen: [newest: number, lines: number, checkpoints: number][] = [];
  for (let i = 0; i < 15; i++) {
    const snapshot = await takeSnapshot(home, ["run"], into);
    if (snapshot === undefined) continue;
    const steps = [...snapshot.files.keys()]
      .flatMap((path) => /checkpoints\/(\d+)\//.exec(path)?.[1] ?? [])
      .map(Number);
    const lines = snapshot.files.has("run/metrics.jsonl")
      ? textOf(snapshot, "run/metrics.jsonl").split("\n").length - 1
      : 0;
    seen.push([Math.max(0, ...steps), lines, steps.length]);
    rmSync(snapshot.folder, { recursive: true });
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  writing = false;
  await writer;
  expect(seen.length).toBeGreaterThan(5);
  for (const [newest, lines, checkpoints] of seen) {
    expect(lines).toBeGreaterThanOrEqual(newest);
    expect(lines - newest).toBeLessThanOrEqual(40);
    expect(checkpoints).toBeLessThanOrEqual(3);
    if (newest >= 80) expect(checkpoints).toBeGreaterThanOrEqual(2);
  }
});
