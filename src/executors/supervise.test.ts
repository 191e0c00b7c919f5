import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { RunConfig } from "../schemas/run-config.ts";
import type { AttemptRecord } from "../schemas/submission.ts";
import { keepAttempt } from "./attempts.ts";
import type { Submission } from "./executor.ts";
import { keepTicket, readTasks } from "./manifest.ts";
import { type Scripted, scripted } from "./scripted.test-helper.ts";
import {
  collect,
  type PieceState,
  type SuperviseRequest,
  stateOfSubmission,
  superviseSubmission,
} from "./supervise.ts";

const scratch = tmpFolder("standing-by");
let home = "";
let engine: Scripted;
beforeEach(() => {
  home = mkdtempSync(join(scratch, "x-"));
  engine = scripted();
});

const config = (seed: number) =>
  RunConfig.parse({
    ...{ seed, task: { name: "parity", length: 4 }, model: { name: "deltanet" } },
    train: { steps: 3 },
  });
const pieces = (...seeds: number[]) =>
  seeds.map((seed) => ({
    folder: join(home, `seed-${seed}`),
    work: { kind: "run" as const, config: config(seed) },
  }));
const call = (own = pieces(0, 1, 2), options: Partial<SuperviseRequest> = {}) =>
  superviseSubmission(own, {
    ...{ home, engine, command: ["statelab", "sweep"], signal: new AbortController().signal },
    ...{ detach: true, everySeconds: 0.01, ...options },
  });
const kinds = (states: readonly PieceState[]) => states.map(({ kind }) => kind);

const at = "2026-01-01";
/** A task begins on another host, and what came of it. */
function attempt(submission: Submission, index: number, end?: "done" | "failed" | "stopped", step = 0) {
  const { folder } = readTasks(submission.folder)[index];
  mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, folder, "config.json"), "{}");
  keepAttempt(submission, index, { kind: "begun", at, host: "n1", job: "lab/1_0", epoch: 0, step });
  if (end === "failed") keepAttempt(submission, index, { kind: "failed", at, words: "no memory" });
  else if (end !== undefined) keepAttempt(submission, index, { kind: end, at } as AttemptRecord);
  if (end !== undefined) engine.has?.get(submission.name)?.delete(index);
}
const forgets = (submission: Submission, index: number) => engine.has?.get(submission.name)?.delete(index);

test("what is submitted once is not submitted again while the engine has it, whoever calls", async () => {
  await call();
  expect(kinds(await call())).toEqual(["pending", "pending", "pending"]);
  await call(pieces(0, 1, 2, 3)); // one seed more
  expect(engine.submissions.map(({ header }) => header.tasks)).toEqual([3, 1]);
});

test("an engine that does not answer has everything still", async () => {
  await call();
  engine.has = undefined;
  expect(kinds(await call())).toEqual(["pending", "pending", "pending"]);
  expect(engine.submissions).toHaveLength(1);
});

test("what died or was stopped is submitted again, what is done or failed is not; failed ones by the next call", async () => {
  await call();
  const [first] = engine.submissions;
  attempt(first, 0, "done");
  attempt(first, 1, "failed");
  attempt(first, 2);
  forgets(first, 2);
  await call();
  expect(engine.submissions.map(({ header }) => header.tasks)).toEqual([3, 1]);
  const [, second] = engine.submissions;
  expect(readTasks(second.folder)[0].folder).toBe("seed-2");
  attempt(second, 0, "done", 2);
  expect(await call()).toEqual([{ kind: "done" }, { kind: "failed", words: "no memory" }, { kind: "done" }]);
  expect(engine.submissions).toHaveLength(2);
  expect(await stateOfSubmission(first.folder, engine)).toMatchObject({
    ...{ tasks: 3, done: 1, failed: 1, left: 1, failures: [{ folder: "seed-1", words: "no memory" }] },
  });
  await call(); // its end was reported: now it is tried again
  expect(readTasks(engine.submissions[2].folder).map(({ folder }) => folder)).toEqual(["seed-1"]);
});

test("what dies three times without progress is not begun a fourth time; with steps it is, without end", async () => {
  for (let death = 0; death < 12; death++) {
    const states = await call(pieces(0));
    const advancing = death < 8;
    if (states[0].kind === "failed") {
      expect(death).toBe(7 + 3);
      expect(states[0].words).toBe("its worker died 3 times without progress");
      return;
    }
    const last = engine.submissions.at(-1)!;
    attempt(last, 0, undefined, advancing ? death : 7);
    forgets(last, 0);
  }
  throw new Error("it was begun for ever");
});

test("the engine's word names the locks of its own jobs that it has no more, and no others", async () => {
  await call();
  const [first] = engine.submissions;
  const claims = [
    { engine: "scripted", job: "lab/1_0", epoch: 0 },
    { engine: "other", job: "lab/1_1", epoch: 0 },
    { engine: "scripted", job: "lab/9_2", epoch: 0 }, // not submitted from here
  ];
  for (const [index, claim] of claims.entries()) {
    attempt(first, index);
    forgets(first, index);
    const owner = { pid: 1, host: `not-${hostname()}`, since: "", command: "", processStart: null };
    const lock = { ...owner, nonce: `nonce-${index}`, claim };
    writeFileSync(join(home, `seed-${index}`, "run.lock"), JSON.stringify(lock));
  }
  await call();
  expect(engine.submissions[1].header.gone).toEqual(["nonce-0"]);
});

test("a run that the engine works at with another configuration is refused, naming what to do", async () => {
  await call(pieces(0));
  const [piece] = pieces(0);
  const other = { ...piece, work: { kind: "run" as const, config: config(8) } };
  await expect(call([other])).rejects.toThrow(
    /seed-0: expected the configuration .* statelab cluster cancel /,
  );
});

test("what the engine has not taken yet waits and is handed over again; what it refuses whole is not kept", async () => {
  const { submit } = engine;
  engine.submit = async (submission) => {
    engine.submissions.push(submission);
    engine.has?.set(submission.name, new Map([[0, { kind: "running", note: "" }]]));
    keepTicket(submission, { engine: "scripted", job: "1", first: 0, last: 0, pack: 1, at });
  };
  await call();
  engine.submit = async (submission) => {
    engine.submissions.push(submission);
  };
  expect((await call()).map((state) => [state.kind, "note" in state && state.note])).toEqual([
    ["running", ""],
    ...[1, 2].map(() => ["pending", "not taken yet"]),
  ]);
  expect(engine.submissions[1].name).toBe(engine.submissions[0].name);
  engine.submit = async () => {
    throw new Error("no such partition");
  };
  await expect(call(pieces(7))).rejects.toThrow("no such partition"); // also the first one's rest
  engine.submit = submit;
  home = mkdtempSync(join(scratch, "x-"));
  engine.submit = async () => {
    throw new Error("no such partition");
  };
  await expect(call(pieces(7))).rejects.toThrow("no such partition");
  engine.submit = submit;
  await call(pieces(7));
  await call(pieces(7));
  expect(engine.submissions.filter((each) => each.home === home)).toHaveLength(1);
});

test("what the engine would refuse leaves no manifest", async () => {
  engine.check = async () => {
    throw new Error("appendonly no");
  };
  await expect(call()).rejects.toThrow("appendonly no");
  expect(existsSync(join(home, "submissions"))).toBe(false);
  expect(engine.submissions).toEqual([]);
});

test("beside an engine that works at runs no other one begins them, until that is ended", async () => {
  await call();
  const other = scripted("other");
  await expect(call(pieces(0, 1, 2), { engine: other })).rejects.toThrow(
    /expected runs that are submitted to other alone, got "some of scripted". Use --executor scripted, or cancel it: statelab cluster cancel .*$/,
  );
  expect(other.submissions).toEqual([]);
  await collect(engine.submissions[0]);
  expect(kinds(await call(pieces(0, 1, 2), { engine: other }))).toEqual(["left", "left", "left"]);
  expect(other.submissions).toHaveLength(1);
});

test("a finished run that was removed is made anew", async () => {
  await call(pieces(0));
  attempt(engine.submissions[0], 0, "done");
  expect(kinds(await call(pieces(0)))).toEqual(["done"]);
  rmSync(join(home, "seed-0"), { recursive: true });
  expect(kinds(await call(pieces(0)))).toEqual(["left"]);
  expect(engine.submissions).toHaveLength(2);
});

test("it stands by until all has come to an end, and leaves an engine that outlives it alone when it is stopped", async () => {
  const looks: string[] = [];
  const states = await call(pieces(0, 1), {
    detach: false,
    onLook: (seen) => {
      looks.push(kinds(seen).join());
      const [only] = engine.submissions;
      if (looks.length === 2) attempt(only, 0, "done");
      if (looks.length === 3) attempt(only, 1, "done");
    },
  });
  expect(kinds(states)).toEqual(["done", "done"]);
  expect(looks).toEqual(["left,left", "pending,pending", "done,pending", "done,done"]);
  const stop = new AbortController();
  const stopping = { detach: false, signal: stop.signal, onLook: () => stop.abort() };
  expect(kinds(await call(pieces(5), stopping))).toEqual(["left"]);
  expect([engine.cancelled, engine.submissions.length]).toEqual([0, 1]); // nothing is submitted any more
});
