/**
 * @file A worker without a shared folder: downloads a task into a scratch folder per attempt, publishes while its process works.
 *
 *     begin     as epoch 2: from now on earlier attempts cannot publish, dead or not
 *     bring     SCRATCH/statelab-NAME-17.2/      the files of the current manifest, the submission, the attempts so far
 *     publish   every few seconds, and at the end: new parts, a manifest, then the pointer (refs.ts)
 *     remove    objects that only the previous manifest had
 *
 * A lost machine loses work that was not saved, or saved and not published yet. Locks are not transferred: only this attempt writes to
 * its folder, and the pointer rejects stale attempts.
 */

import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { Redis } from "ioredis";
import { errorText, LabError } from "../../../src/core/error.ts";
import { attemptsPath, mostDeaths } from "../../../src/executors/attempts.ts";
import type { Submission } from "../../../src/executors/executor.ts";
import { openSubmission, readTask, submissionFiles } from "../../../src/executors/manifest.ts";
import { pause, within } from "../../../src/executors/timers.ts";
import type { Bringing, FileSource, Site } from "../task-files.ts";
import { getListing, type Listing, manifestParts, putListing } from "./manifest.ts";
import { begin, type Publication, publish, readPointer } from "./refs.ts";
import { snapshotMarks, takeSnapshot } from "./snapshot.ts";
import { type ObjectStore, StoreSilent } from "./store.ts";
import { digestIn, NotFoundError, restore, upload } from "./transfer.ts";

interface FileSourceOptions {
  readonly store: ObjectStore;
  /** Local to this machine. */
  readonly scratch: string;
  /** Interval between two publications of a running task. */
  readonly publishSeconds: number;
  readonly say: (sentence: string) => void;
}

/** How long to retry an unreachable store after the user has stopped the work. */
const partingMilliseconds = 20_000;
const againMilliseconds = 1000;
/** The first manifest shows that the attempt has begun. */
const firstMilliseconds = 1000;

export function fromObjects(
  { store: asked, scratch, publishSeconds, say }: FileSourceOptions,
  redis: Redis,
): FileSource {
  const store = told(asked, say);
  const homeOf = (name: string, attempt: string) => resolve(scratch, `statelab-${name}${attempt}`);
  /** Workers on several machines may share one scratch folder. */
  const own = randomBytes(4).toString("hex");
  const made = new Set<string>();
  process.on("exit", () => {
    for (const home of made) rmSync(home, { recursive: true, force: true });
  });

  /** An empty home with the manifest. */
  const makeHome = async (home: string, name: string, manifest: Uint8Array): Promise<Submission> => {
    const folder = join(home, submissionFiles.all, name);
    made.add(home);
    await rm(home, { recursive: true, force: true });
    await mkdir(join(folder, submissionFiles.tasks), { recursive: true });
    await writeFile(join(folder, submissionFiles.manifest), manifest);
    return openSubmission(folder);
  };
  const manifests = new Map<string, Uint8Array>();

  return {
    words: store.address,

    async open(name, place) {
      if (place !== store.address) throw new Error(`its files are not in ${store.address}`);
      const manifest = await store.get(`${name}/${submissionFiles.manifest}`);
      if (manifest === undefined) throw new Error(`${store.address} has no manifest of it`);
      const submission = await makeHome(homeOf(name, `.${own}`), name, manifest);
      manifests.set(name, manifest);
      return submission;
    },

    async bring({ submission: { name }, index, claim, signal, onLost }) {
      const attempt = { index, epoch: claim.epoch };
      const pointer = await within(begin(redis, name, index, claim.epoch), signal);
      if (pointer === "gone" || pointer === "later") return "lost";
      const giveUp = async (words: string) => {
        const said = await publish(redis, name, attempt, { words, close: true });
        return said === "published" ? ("given up" as const) : ("lost" as const);
      };
      if (pointer.silent > mostDeaths)
        return giveUp(`it died ${mostDeaths} times before it saved anything in ${store.address}`);
      const home = homeOf(name, `-${index}.${claim.epoch}`);
      let submission: Submission;
      let listing: Listing | undefined;
      for (;;) {
        try {
          submission = await makeHome(home, name, manifests.get(name)!); // opened before its tasks are taken
          listing = await getListing(store, name, pointer.listing);
          if (listing === undefined)
            throw new NotFoundError(`${store.address}/${name}/${pointer.listing} is not there`);
          await restore(store, name, listing, home);
          break;
        } catch (error) {
          if (error instanceof StoreSilent && !signal.aborted) {
            await pause(againMilliseconds, signal);
            continue;
          }
          await rm(home, { recursive: true, force: true });
          if (error instanceof StoreSilent) {
            const said = await publish(redis, name, attempt, { close: true });
            return said === "published" ? "put back" : "lost";
          }
          // Do not remove what the counting attempt lists: check that this is not the one.
          if (
            error instanceof NotFoundError &&
            (await readPointer(redis, name, index))?.epoch !== claim.epoch
          )
            return "lost";
          if (error instanceof LabError || error instanceof NotFoundError) return giveUp(error.message);
          throw error;
        }
      }
      return publishing({ submission, index, claim, signal, onLost }, home, pointer.listing, listing);
    },
  };

  function publishing(
    { submission, index, claim, signal, onLost }: Bringing,
    home: string,
    from: string,
    brought: Listing,
  ): Site {
    const { name } = submission;
    const { epoch } = claim;
    const { task } = readTask(submission.folder, index);
    const roots = [task.folder, relative(home, attemptsPath(submission, index))];
    const isOurs = (path: string) => roots.some((root) => path === root || path.startsWith(`${root}/`));
    // Shared input files stay in each manifest.
    const beside = Object.entries(brought.files).filter(([path]) => !isOurs(path));
    const known = new Map(manifestParts(brought).map((part) => [digestIn(part), part]));
    /** Existing manifests of this task. */
    const listings = new Set(from === "" ? [] : [from]);
    const staged = join(home, ".staged");
    const point = (publication: Publication) =>
      within(publish(redis, name, { index, epoch }, publication), signal);
    let marks = "";
    let lost = false;

    /** unkept: the files kept changing; retry. */
    const publishOnce = async (close: boolean): Promise<"kept" | "unkept" | "lost"> => {
      if (lost) return "lost";
      const snapshot = await takeSnapshot(home, roots, staged);
      if (snapshot === undefined) return "unkept";
      try {
        const now = snapshotMarks(snapshot);
        if (now === marks) return close ? pointed(await point({ close })) : "kept";
        const ours = await upload(snapshot, { store, name, under: `${index}.${epoch}`, known });
        if (ours === undefined) return "unkept";
        const whole: Listing = { version: 1, files: { ...Object.fromEntries(beside), ...ours.files } };
        const listing = await putListing(store, name, `${index}.${epoch}`, whole);
        const said = pointed(await point({ listing, close }));
        if (said === "lost") return said;
        marks = now;
        await removeBut(whole, listing).catch(() => {}); // removed with the submission
        return said;
      } finally {
        await rm(snapshot.folder, { recursive: true, force: true });
      }
    };
    const pointed = (said: Awaited<ReturnType<typeof publish>>) => {
      if (said === "published") return "kept";
      lost = true;
      onLost();
      return "lost";
    };
    /** The next attempt resumes from this manifest or a newer one; objects referenced by neither can be deleted. */
    const removeBut = async (whole: Listing, listing: string) => {
      const needed = new Set(manifestParts(whole));
      const isTasks = (part: string) => part.startsWith(`${index}.`);
      for (const [digest, part] of [...known]) {
        if (needed.has(part) || !isTasks(part)) continue;
        known.delete(digest);
        await store.remove(`${name}/${part}`);
      }
      for (const before of [...listings]) {
        if (before === listing) continue;
        listings.delete(before);
        await store.remove(`${name}/${before}`);
      }
      listings.add(listing);
    };

    let told = false;
    const trouble = (error: unknown) => {
      if (error instanceof StoreSilent || told) return;
      told = true;
      say(`task ${index}: upload failed: ${errorText(error)}`);
    };

    const ended = new AbortController();
    const working = (async () => {
      await pause(Math.min(firstMilliseconds, publishSeconds * 1000), ended.signal);
      while (!ended.signal.aborted && !lost) {
        await publishOnce(false).catch(trouble);
        await pause(publishSeconds * 1000, ended.signal);
      }
    })();
    return {
      submission,
      async close() {
        ended.abort();
        await working;
        try {
          const partingFrom = performance.now();
          for (;;) {
            const said = await publishOnce(true).catch((error: unknown) => {
              trouble(error);
              return "unkept" as const;
            });
            const late = signal.aborted && performance.now() - partingFrom > partingMilliseconds;
            if (said !== "unkept") return said;
            if (late) {
              const closed = await point({ close: true }).catch(() => "published" as const);
              return pointed(closed) === "lost" ? "lost" : "unkept";
            }
            await pause(againMilliseconds);
          }
        } finally {
          await rm(home, { recursive: true, force: true });
          made.delete(home);
        }
      },
    };
  }
}

/** Reports once that the store is unreachable, and once that it is back. */
function told(store: ObjectStore, say: FileSourceOptions["say"]): ObjectStore {
  let silent = false;
  const heard = async <T>(work: Promise<T>): Promise<T> => {
    try {
      const result = await work;
      if (silent) say("the object store is reachable again");
      silent = false;
      return result;
    } catch (error) {
      if (error instanceof StoreSilent && !silent) {
        say(`${error.message}; running tasks continue`);
        silent = true;
      }
      throw error;
    }
  };
  return {
    address: store.address,
    put: (name, bytes) => heard(store.put(name, bytes)),
    get: (name) => heard(store.get(name)),
    list: (beginning) => heard(store.list(beginning)),
    remove: (name) => heard(store.remove(name)),
  };
}
