/**
 * @file Locks: a file that names its owner ensures one writer at a time. Readers ignore it.
 *
 * Taking: write the owner's name to a temporary file, `link` it to the lock's path (atomic; fails if there is one).
 * A lock whose process is dead (same host) is replaced, but only by the holder of the lock on *that* dead owner, `PATH.<its nonce>`, so
 * that two processes that see the same stale lock cannot both take it.
 *
 * The liveness of a process on another host is not observable. Its lock is taken over by the rights in lease.ts: a later epoch of the
 * same job, or the statement of an executor or a user that it is dead. That may be wrong, or the process may wake up. So an owner
 * verifies its ownership (`check`) before it publishes anything, and stops if it has lost it:
 *
 *     old owner   1 creates .NAME.ATTEMPT.tmp   2 check()                     3 renames it to NAME
 *     new owner   a takes the lock              b removes others' temp files  c reads the folder
 *
 * If 2 succeeded, 1 was before a; if 3 is after b, its file is gone and 3 fails. So nothing appears after b that c has not seen.
 * Logs: b replaces the log by a copy (log.ts), so that the old owner appends to an unlinked file.
 */

import { randomUUID } from "node:crypto";
import {
  constants,
  copyFileSync,
  linkSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { LabError } from "../core/error.ts";
import { writing } from "./folder.ts";
import { type Claim, later, leaseFromEnvironment, type Standing } from "./lease.ts";

/** The owner of a lock. */
export interface Owner {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
  readonly command: string;
  readonly nonce: string;
  /** The lock's own absolute path: the lock in a copied folder is invalid. */
  readonly path?: string;
  /** Start time of the process in kernel units (Linux): detects a reused pid. */
  readonly processStart: string | null;
  /** The lease of the executor's job that it works for. */
  readonly claim?: Claim;
}

export interface Lock {
  readonly path: string;
  /** Part of the owner's temporary names: 32 hexadecimal digits. */
  readonly attempt: string;
  /** The previous owner, dead or assumed dead, if the lock was taken over. */
  readonly before: Owner | undefined;
  /** Throws Superseded if the lock has another owner. Call before publishing or appending anything. */
  check(): void;
  /** Releases the lock; idempotent. Also called on exit. */
  release(): void;
}

const successorMilliseconds = 50;

/** Another process has taken over this lock: the former owner must stop. Waiting does not help. */
export class LockLostError extends LabError {}

/**
 * Takes the lock at `path`, in an existing folder. Throws a LabError of kind "locked" that names its living owner. `command` describes
 * the owner's work; `standing` says which locks it may break. Disk errors are LabErrors.
 */
export function takeLock(
  path: string,
  command = process.argv.slice(1).join(" "),
  standing = leaseFromEnvironment(process.env),
): Lock {
  return writing(path, () => take(path, command, standing));
}

function take(path: string, command: string, standing: Standing): Lock {
  const { claim } = standing;
  const owner: Owner = {
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
    command,
    nonce: randomUUID(),
    path: ownPath(path),
    processStart: processState(process.pid).start,
    ...(claim && { claim }),
  };
  const temporary = `${path}.${owner.nonce}.tmp`;
  let before: Owner | undefined;
  try {
    writeFileSync(temporary, JSON.stringify(owner), { flag: "wx" });
    while (!linkNew(temporary, path)) {
      const holder = ownerAt(path);
      if (holder === undefined) continue; // released between the two reads
      if (!mayReplace(holder, standing, isAlive)) refuse(path, holder);
      replaceHolder(path, holder, temporary, command);
      before = holder;
    }
  } finally {
    rmSync(temporary, { force: true });
  }
  const release = () => {
    process.off("exit", release);
    if (ownerAt(path)?.nonce === owner.nonce) rmSync(path, { force: true });
  };
  process.on("exit", release);
  const check = () => {
    const now = ownerAt(path);
    if (now?.nonce === owner.nonce) return;
    // Between removal and the next lock there is none: report the new owner.
    if (now === undefined)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, successorMilliseconds);
    superseded(path, now ?? ownerAt(path));
  };
  return { path, attempt: owner.nonce.replaceAll("-", ""), before, check, release };
}

/** Whether temporary names belong to a lock owner: other writers of the same folder have shorter ones. */
export const isAttempt = (name: string): boolean => /^\..+\.[0-9a-f]{32}\.tmp$/.test(name);

/** `alive`: whether a holder lives, true if that is not observable here. */
export function mayReplace(
  holder: Owner,
  { claim, gone }: Standing,
  alive: (holder: Owner) => boolean,
): boolean {
  const order = later(claim, holder.claim);
  // An earlier process of the same job, assumed dead, has woken up.
  if (order !== undefined && order < 0) return false;
  return !alive(holder) || (order !== undefined && order > 0) || gone(holder);
}

/** Absolute, with links resolved: a folder has one lock, whatever path leads to it. */
const ownPath = (path: string) => join(realpathSync(dirname(path)), basename(path));

/** The owner of the lock at `path`; undefined if it is free. */
export function ownerAt(path: string): Owner | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined; // fs errors carry a code
    throw error;
  }
  try {
    const owner = JSON.parse(text) as Owner; // checked in the next line; only this module writes the file
    if (Number.isInteger(owner.pid) && typeof owner.nonce === "string") return owner;
  } catch {
    // falls through: the owner is unreadable
  }
  throw new LabError(
    `${path}: expected the name of a lock's owner, got other text. Delete the file if nothing runs`,
    "locked",
  );
}

/** True if `takeLock` would fail now. One stat call, cheap enough to poll. */
export function isHeld(path: string, standing = leaseFromEnvironment(process.env)): boolean {
  const holder = ownerAt(path);
  return holder !== undefined && !mayReplace(holder, standing, isAlive);
}

/** The owner of the lock at `path`, if it is a living process of this host. */
export function livingOwner(path: string): Owner | undefined {
  const owner = ownerAt(path);
  return owner !== undefined && owner.host === hostname() && isAlive(owner) ? owner : undefined;
}

/** Hard link from `to` to `from`; false if `to` exists. Falls back to an exclusive copy on file systems without links. */
export function linkNew(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // fs errors carry a code
    if (code === "EEXIST") return false;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS" && code !== "EMLINK") throw error;
  }
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** On the lock of a replaced owner: neither epochs nor statements count, so that only one process replaces it. */
const nobody: Standing = { claim: undefined, gone: () => false };

/** Removes the lock of a dead or superseded owner, unless another process did so first. */
function replaceHolder(path: string, { nonce }: Owner, temporary: string, command: string): void {
  const claim = takeLock(`${path}.${nonce}`, command, nobody);
  try {
    // With this lock only we, and an owner that lives after all, may touch a lock with this nonce.
    if (ownerAt(path)?.nonce !== nonce) return;
    renameSync(path, `${temporary}.dead`);
    // The owner has just released it and another process has taken it: leave it alone.
    if (ownerAt(`${temporary}.dead`)?.nonce !== nonce) linkNew(`${temporary}.dead`, path);
  } finally {
    rmSync(`${temporary}.dead`, { force: true });
    claim.release();
  }
}

function isAlive(owner: Owner): boolean {
  if (owner.host !== hostname()) return true; // unknown
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // alive, owned by another user
  }
  const now = processState(owner.pid);
  // A zombie process keeps its pid until its parent reaps it: in a container without init, forever.
  if (now.state === "Z" || now.state === "X") return false;
  return owner.processStart === null || owner.processStart === now.start;
}

/** Fields 3 and 22 of /proc/PID/stat; the program name before them may include spaces and brackets. null elsewhere. */
function processState(pid: number): { readonly state: string | null; readonly start: string | null } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0], start: fields[19] };
  } catch {
    return { state: null, start: null };
  }
}

function refuse(path: string, holder: Owner): never {
  const { host, path: taken } = holder;
  const copied = taken !== undefined && taken !== ownPath(path);
  const hint = copied
    ? `. That process took the lock at ${String(taken).slice(0, 200)}: if this folder is a copy, delete ${path}`
    : host === hostname()
      ? ""
      : `. If that process is gone, add --force-unlock`;
  throw new LabError(`${path}: expected no other writer, got ${nameOf(holder)}${hint}`, "locked");
}

function superseded(path: string, now: Owner | undefined): never {
  const got = now === undefined ? "none: it was removed" : `that of ${nameOf(now)}`;
  throw new LockLostError(
    `${path}: expected the lock that this process took, got ${got}. It stops; earlier saves are intact`,
    "locked",
  );
}

function nameOf({ pid, host, since, command, claim }: Owner): string {
  // The contents are untrusted.
  const [where, when, what] = [host, since, command].map((text) => String(text).slice(0, 200));
  const work = claim === undefined ? "" : `, job ${claim.job} of ${claim.engine}, epoch ${claim.epoch}`;
  return `process ${pid} on ${where} since ${when} (${what}${work.slice(0, 200)})`;
}

const orphansEndMilliseconds = 15_000;
const lookEveryMilliseconds = 200;

/** Retries for a while if something is locked: workers of a killed program save before they exit. */
export async function retryWhileLocked<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + orphansEndMilliseconds;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const locked =
        error instanceof LabError && error.kind === "locked" && !(error instanceof LockLostError);
      if (!locked || signal.aborted || performance.now() > deadline) throw error;
      await pause(lookEveryMilliseconds);
    }
  }
}
