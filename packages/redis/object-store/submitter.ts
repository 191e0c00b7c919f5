/**
 * @file The submitter's side: uploads the tasks' files, and downloads a task's results into its folder when it has left the queue, so
 * that the folder looks as if it were shared.
 *
 *     offer       NAME/manifest.jsonl, the existing files of each task, a pointer for each
 *     collect     for finished, failed and dead tasks: downloads files under the folder's lock, then the attempts, then
 *                 removes the pointer and the objects. If interrupted, the next poll repeats it
 */

import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Redis } from "ioredis";
import { fail, LabError } from "../../../src/core/error.ts";
import { attemptsPath, keepAttempt } from "../../../src/executors/attempts.ts";
import type { Submission, TaskFiles } from "../../../src/executors/executor.ts";
import { readTasks, submissionFiles } from "../../../src/executors/manifest.ts";
import { pause } from "../../../src/executors/timers.ts";
import type { ManifestTask } from "../../../src/schemas/submission.ts";
import { type Lock, takeLock, writeFileAtomic, writing } from "../../../src/storage/index.ts";
import type { FileTransport } from "../task-files.ts";
import { getListing, isInside, Listing, manifestParts, putListing } from "./manifest.ts";
import { forgetPointers, offer, type Pointer, readPointer, readPointers } from "./refs.ts";
import { takeSnapshot } from "./snapshot.ts";
import { type ObjectStore, openStore, StoreSilent, storeAddress } from "./store.ts";
import { NotFoundError, restore, serialize, upload } from "./transfer.ts";

/** One process collects; concurrent collection by another process is noticed at the next poll. */
function collecting({ folder }: Submission): Lock {
  try {
    return takeLock(join(folder, "collect.lock"));
  } catch (error) {
    if (error instanceof LabError && error.kind === "locked") throw new StoreSilent(error.message, "locked");
    throw error;
  }
}

/** After a cancellation: how long to wait for running tasks to save and publish. */
const partingMilliseconds = 40_000;
const lookMilliseconds = 500;
/** The manifest was replaced while it was read; impossible for a closed one. */
const mostReadings = 5;

export function throughObjects(given: string, filesOf: (task: ManifestTask) => TaskFiles): FileTransport {
  const address = storeAddress(given);
  let opened: Promise<ObjectStore> | undefined;
  const open = () => {
    opened ??= openStore(address);
    return opened;
  };

  /** Paths uploaded with the task: only these may be deleted locally, never the user's own files. */
  const offeredPath = ({ folder }: Submission, index: number) => join(folder, "offered", `${index}.json`);

  const collectTask = (redis: Redis, submission: Submission, task: ManifestTask): Promise<void> =>
    writing(submission.home, () => collected(redis, submission, task));

  const collected = async (redis: Redis, submission: Submission, task: ManifestTask): Promise<void> => {
    const { name, home } = submission;
    const { index } = task;
    const store = await open();
    for (let reading = 1; ; reading++) {
      const pointer = await readPointer(redis, name, index);
      if (pointer === undefined) return;
      try {
        const listing = await getListing(store, name, pointer.listing);
        if (listing === undefined)
          throw new NotFoundError(`${address}/${name}/${pointer.listing} is not there`);
        await intoFolder(store, submission, task, listing, pointer);
        break;
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        if (reading === mostReadings)
          fail(home, "the files of a task in its store", error.message, "It cannot be collected", "corrupt");
        await pause(lookMilliseconds);
      }
    }
    await forgetPointers(redis, name, [index]);
    const left = await store.list(`${name}/${index}.`);
    await serialize(left, (object) => store.remove(object));
  };

  const intoFolder = async (
    store: ObjectStore,
    submission: Submission,
    task: ManifestTask,
    listing: Listing,
    pointer: Pointer,
  ): Promise<void> => {
    const { name, home, folder: own } = submission;
    const folder = join(home, task.folder);
    const attempts = relative(home, attemptsPath(submission, task.index)).split("\\").join("/");
    const inFolder = (path: string) => path.startsWith(`${task.folder}/`);
    if (Object.keys(listing.files).some(inFolder)) {
      await mkdir(folder, { recursive: true });
      const lock = takeLock(join(folder, filesOf(task).lock));
      try {
        await restore(store, name, listing, home, inFolder);
        for (const path of await offered(submission, task.index)) {
          lock.check();
          if (!Object.hasOwn(listing.files, path)) await rm(join(home, path), { force: true });
        }
      } finally {
        lock.release();
      }
    }
    await mkdir(join(own, submissionFiles.tasks), { recursive: true });
    await restore(store, name, listing, home, (path) => path === attempts);
    if (pointer.words !== undefined)
      keepAttempt(submission, task.index, {
        ...{ kind: "failed", at: new Date().toISOString() },
        words: pointer.words.slice(0, 2000),
      });
  };

  const offered = async (submission: Submission, index: number): Promise<string[]> => {
    const path = offeredPath(submission, index);
    if (!existsSync(path)) return [];
    const { files } = Listing.parse(JSON.parse(await readFile(path, "utf8"))); // written by this module, below
    return Object.keys(files).filter(
      (each) => each.includes("/") && !each.startsWith(`${submissionFiles.all}/`),
    );
  };

  const removeAll = async (store: ObjectStore, { name }: Submission): Promise<void> => {
    await serialize(await store.list(`${name}/`), (object) => store.remove(object));
  };

  return {
    placeOf: () => address,

    async offer(redis, submission) {
      const { name, home, folder } = submission;
      const store = await open();
      const tasks = readTasks(folder);
      for (const task of tasks) {
        if (!isInside(task.folder))
          fail(
            task.folder,
            `a folder inside ${home} with --object-store`,
            "one outside",
            "Use a shared folder instead",
          );
      }
      await store.put(
        `${name}/${submissionFiles.manifest}`,
        await readFile(join(folder, submissionFiles.manifest)),
      );
      const staged = join(folder, ".staged");
      const shared = new Map<string, string>();
      const listings = new Map<number, string>();
      try {
        for (const task of tasks) {
          const { index } = task;
          const { lock: lockName, beside } = filesOf(task);
          const own = join(home, task.folder);
          const attempts = relative(home, attemptsPath(submission, index)).split("\\").join("/");
          const there = [...beside, task.folder, attempts].filter((path) => existsSync(join(home, path)));
          listings.set(index, "");
          if (there.length === 0) continue;
          // Another process that writes there would collide with the task.
          const lock = existsSync(own) ? takeLock(join(own, lockName)) : undefined;
          try {
            const take = async (roots: readonly string[], under: string, known: Map<string, string>) => {
              const snapshot = await takeSnapshot(home, roots, staged);
              const listing = snapshot && (await upload(snapshot, { store, name, under, known }));
              return listing ?? fail(own, "files that do not change during the upload", "some that change");
            };
            const common = await take(beside, "all", shared);
            const mine = await take([task.folder, attempts], `${index}.0`, new Map());
            const listing: Listing = { version: 1, files: { ...common.files, ...mine.files } };
            if (manifestParts(listing).length === 0 && Object.keys(listing.files).length === 0) continue;
            await writeFileAtomic(offeredPath(submission, index), `${JSON.stringify(mine)}\n`);
            listings.set(index, await putListing(store, name, `${index}.0`, listing));
          } finally {
            lock?.release();
          }
        }
      } finally {
        await rm(staged, { recursive: true, force: true });
      }
      await offer(redis, name, listings);
      const begun = [...(await readPointers(redis, name))].filter(([, { epoch }]) => epoch > 0);
      return new Set(begun.map(([index]) => index));
    },

    async collect(redis, submission, hasEnded) {
      const pointers = await readPointers(redis, submission.name);
      const ended: number[] = [];
      for (const index of pointers.keys()) if (await hasEnded(index)) ended.push(index);
      if (ended.length === 0) return;
      const lock = collecting(submission);
      try {
        const tasks = readTasks(submission.folder);
        for (const index of ended) await collectTask(redis, submission, tasks[index]);
        if (ended.length === pointers.size) await removeAll(await open(), submission);
      } finally {
        lock.release();
      }
    },

    async part(redis, submission) {
      const deadline = performance.now() + partingMilliseconds;
      for (;;) {
        const open = [...(await readPointers(redis, submission.name)).values()].filter((each) => each.open);
        if (open.length === 0 || performance.now() > deadline) break;
        await pause(lookMilliseconds);
      }
    },
  };
}
