/**
 * @file Checks whether a Redis and its workers can execute tasks: by queries, and with one small task. With an object store, also
 * whether it can put, get, list and remove objects.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { Seen } from "../../src/app/executor/job-handlers.ts";
import { errorText } from "../../src/core/error.ts";
import { readAttempts, taskState } from "../../src/executors/attempts.ts";
import {
  collectFindings,
  type ExamineOptions,
  type Finding,
  mostClockSeconds,
  waitFor,
} from "../../src/executors/examine.ts";
import { outputsByKind, taskFiles } from "../../src/executors/job-outputs.ts";
import { submissionFiles, writeManifest } from "../../src/executors/manifest.ts";
import { makeFolder, readRecord } from "../../src/storage/index.ts";
import { bullmq } from "./bullmq.ts";
import { openStore, tryStore } from "./object-store/store.ts";
import { keys, parseRedisAddress, queueing, readPersistence, withRedis } from "./redis.ts";

/** Stops at the first failed check that makes the others pointless. */
export async function examineRedis(
  given: string,
  options: Omit<ExamineOptions, "partition" | "program" | "call">,
): Promise<Finding[]> {
  const { version, waitSeconds, signal } = options;
  const { name: engineName, address, objects } = parseRedisAddress(given);
  const { findings, found } = collectFindings(options.onFinding);
  try {
    await queueing();
    found("packages", true, "bullmq, ioredis");
  } catch (error) {
    found("packages", false, errorText(error));
    return findings;
  }
  let keeping: Awaited<ReturnType<typeof readPersistence>>;
  let workers: string[];
  try {
    [keeping, workers] = await withRedis(address, async (redis) => {
      const names = await redis.keys(keys.worker("*"));
      const texts = names.length === 0 ? [] : await redis.mget(names);
      return [await readPersistence(redis), texts.filter((text) => text !== null)] as const;
    }).then(([kept, texts]) => [kept, [...texts]]);
  } catch (error) {
    found("connection", false, errorText(error));
    return findings;
  }
  found("connection", true, `Redis ${keeping.version}`);
  found("append-only log", keeping.appends, keeping.appends ? "appendonly yes" : "set appendonly yes");
  found("no eviction", keeping.policy === "noeviction", `maxmemory-policy ${keeping.policy}`);
  if (objects !== undefined) {
    try {
      const store = await openStore(objects);
      found("object store access", true, objects);
      await tryStore(store, (what) => found(`object store: ${what}`, true, "an object of 9 bytes"));
    } catch (error) {
      found("object store", false, errorText(error));
      return findings;
    }
  }
  // A worker without a store, or with another one, takes no part.
  const lent = workers
    .map((text) => workerOf(text))
    .filter(({ folder }) => folder === objects || (objects === undefined && !folder.startsWith("s3://")));
  const all = lent
    .map(
      ({ host, slots, folder }) => `${host}: ${slots} ${objects === undefined ? "below" : "with"} ${folder}`,
    )
    .join("; ");
  const lending =
    objects === undefined
      ? `none; run statelab cluster worker --redis ${address} on a machine that sees this folder`
      : `none; run statelab cluster worker --redis ${address} --object-store ${objects}`;
  if (!found("workers", lent.length > 0, all || lending)) return findings;
  if (!keeping.appends || keeping.policy !== "noeviction") return findings; // nothing would be submitted

  const folder = mkdtempSync(join(resolve(options.folder), ".statelab-doctor-"));
  const engine = bullmq({ address: engineName, filesOf: taskFiles, atMost: 1 });
  const work = [{ folder: "probe", work: { kind: "probe" as const, seconds: 0 } }];
  const about = { statelab: version, engine: engineName, command: ["statelab", "doctor"], gone: [] };
  const submission = await writeManifest(folder, { created: new Date().toISOString(), ...about, work });
  try {
    await makeFolder(join(submission.folder, submissionFiles.tasks));
    await engine.submit(submission);
    const end = await waitFor(async () => {
      if (objects !== undefined) await engine.poll(submission); // which downloads its results
      const state = taskState(readAttempts(submission, 0));
      return state.kind === "done" || state.kind === "failed" ? state : undefined;
    }, options);
    const late =
      objects !== undefined
        ? `nothing in ${objects} after ${waitSeconds} s; does a worker have a free slot?`
        : `nothing in ${folder} after ${waitSeconds} s; does a worker with a free slot see this path?`;
    if (
      !found(
        objects === undefined ? "a task runs and sees this folder" : "a task runs and its files return",
        end?.kind === "done",
        end?.kind === "failed" ? end.words : (end?.kind ?? late),
      )
    )
      return findings;
    const seen = await readRecord(join(folder, "probe", outputsByKind.probe.proof), Seen, "Try again");
    const apart = Math.abs(seen.at - Date.now()) / 1000;
    found(
      "clocks",
      apart < mostClockSeconds,
      `${seen.host} and ${hostname()} are at most ${Math.ceil(apart)} s apart`,
    );
    const same = seen.statelab === version;
    found(
      "same version of Statelab",
      same,
      same ? `${version}, Node ${seen.node}` : `${seen.statelab}, expected ${version}`,
    );
    return findings;
  } finally {
    await engine.cancel(submission).catch(() => {});
    rmSync(folder, { recursive: true, force: true });
    signal.throwIfAborted();
  }
}

/** What a worker reports about itself; "?" for missing fields. */
function workerOf(text: string) {
  let said: Record<string, unknown> = {};
  try {
    said = JSON.parse(text) as Record<string, unknown>; // each field is converted to text
  } catch {}
  const of = (key: string) => String(said[key] ?? "?").slice(0, 200);
  return { host: of("host"), slots: of("slots"), folder: of("folder") };
}
