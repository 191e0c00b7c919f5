/**
 * @file One writer at a time: a lock is a file that names its owner. Readers never look at it.
 *
 * Taking: write the owner's name to a temporary file, `link` it to the lock's path (atomic; fails if there is one).
 * A lock whose process is dead (same host) is replaced, and only by who holds the lock on *that* dead owner,
 * `PATH.<its nonce>`, so that two processes that see the same stale lock cannot both take it.
 *
 * Of a process on another host nobody can see from here whether it lives. Its lock is taken over by the right that claim.ts
 * tells: a later epoch of the same job, or the word of an engine or a user that it is gone. That word may be wrong, or the
 * process may wake up. So an owner looks whether it still is one (`check`) before it publishes anything, and stops when not:
 *
 *     the one before   1 makes .NAME.ATTEMPT.tmp   2 check()           3 renames it to NAME
 *     the one after    a takes the lock            b removes every temporary name of others      c reads what is there
 *
 * If 2 found nothing, 1 was before a; if 3 is after b, its file is gone and 3 fails. So nothing appears after b that c has not seen.
 * Logs: b puts a copy into the place of the log (log.ts), so that the one before appends to a file without a name.
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
import { type Claim, later, type Standing, standingOf } from "./lease.ts";

/** Who holds a lock. */
export interface Owner {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
  readonly command: string;
  readonly nonce: string;
  /** The lock's own path, absolute: a folder that is copied takes a lock along that is nobody's. */
  readonly path?: string;
  /** When the process began, as the kernel counts it (Linux): a pid that was given anew is another process. */
  readonly processStart: string | null;
  /** The job of an engine that it works for. */
  readonly claim?: Claim;
}

export interface Lock {
  readonly path: string;
  /** What stands in the temporary names of this owner: 32 hexadecimal digits. */
  readonly attempt: string;
  /** Whose lock it was, where it was not free: dead, or thought to be. */
  readonly before: Owner | undefined;
  /** Throws Superseded where the lock is another's now. Called before anything is published or appended. */
  check(): void;
  /** Gives the lock back; a second call does nothing. Called on exit as well. */
  release(): void;
}

const successorMilliseconds = 50;

/** Another process has the lock that this one held: it must stop. Waiting does not help. */
export class Superseded extends LabError {}

/**
 * Takes the lock at `path`, in an existing folder. Throws a LabError of kind "locked" that names its living owner.
 * `command` tells people what the owner is doing; `standing` says over whom it may take. A refusal of the disk is a LabError, too.
 */
export function takeLock(
  path: string,
  command = process.argv.slice(1).join(" "),
  standing = standingOf(process.env),
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
      if (holder === undefined) continue; // released between the two looks
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
    // Between the removal of this lock and the next one there is none: who takes over is to be named.
    if (now === undefined)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, successorMilliseconds);
    superseded(path, now ?? ownerAt(path));
  };
  return { path, attempt: owner.nonce.replaceAll("-", ""), before, check, release };
}

/** Whether the names of temporary files are those of an owner of a lock: other writers of the same folder have shorter ones. */
export const isAttempt = (name: string): boolean => /^\..+\.[0-9a-f]{32}\.tmp$/.test(name);

/** `alive`: whether a holder lives, true where that cannot be known from here. */
export function mayReplace(
  holder: Owner,
  { claim, gone }: Standing,
  alive: (holder: Owner) => boolean,
): boolean {
  const order = later(claim, holder.claim);
  // An earlier process of the same job, that was thought dead and wakes up.
  if (order !== undefined && order < 0) return false;
  return !alive(holder) || (order !== undefined && order > 0) || gone(holder);
}

/** Absolute, links followed: by whichever name a folder is called, its lock is one. */
const ownPath = (path: string) => join(realpathSync(dirname(path)), basename(path));

/** Who holds the lock at `path`; undefined when nobody does. */
export function ownerAt(path: string): Owner | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined; // fs errors carry a code
    throw error;
  }
  try {
    const owner = JSON.parse(text) as Owner; // checked in the next line; the file is written by this module alone
    if (Number.isInteger(owner.pid) && typeof owner.nonce === "string") return owner;
  } catch {
    // falls through: no owner can be read
  }
  throw new LabError(
    `${path}: expected the name of a lock's owner, got other text. Delete the file if nothing runs`,
    "locked",
  );
}

/** Whether `takeLock` would be refused: by one look, so that whoever waits for it may ask often. */
export function isHeld(path: string, standing = standingOf(process.env)): boolean {
  const holder = ownerAt(path);
  return holder !== undefined && !mayReplace(holder, standing, isAlive);
}

/** Who holds the lock at `path`, if that is a process of this host and lives. */
export function livingOwner(path: string): Owner | undefined {
  const owner = ownerAt(path);
  return owner !== undefined && owner.host === hostname() && isAlive(owner) ? owner : undefined;
}

/** Makes `to` a second name of `from`; false if `to` exists. Where there are no links, an exclusive copy. */
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

/** On the lock of an owner who is replaced: neither epochs nor words count, so that one alone replaces it. */
const nobody: Standing = { claim: undefined, gone: () => false };

/** Removes the lock of an owner who is dead or superseded, unless somebody else did so first. */
function replaceHolder(path: string, { nonce }: Owner, temporary: string, command: string): void {
  const claim = takeLock(`${path}.${nonce}`, command, nobody);
  try {
    // Holding the claim, nobody but us, and an owner that lives after all, may touch a lock that still bears this nonce.
    if (ownerAt(path)?.nonce !== nonce) return;
    renameSync(path, `${temporary}.dead`);
    // That owner has released it in this moment, and somebody took it: it is theirs.
    if (ownerAt(`${temporary}.dead`)?.nonce !== nonce) linkNew(`${temporary}.dead`, path);
  } finally {
    rmSync(`${temporary}.dead`, { force: true });
    claim.release();
  }
}

function isAlive(owner: Owner): boolean {
  if (owner.host !== hostname()) return true; // cannot be known from here
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // alive, another user's
  }
  const now = processState(owner.pid);
  // A process that ended and whose parent has not asked how keeps its number: in a container without init, for good.
  if (now.state === "Z" || now.state === "X") return false;
  return owner.processStart === null || owner.processStart === now.start;
}

/** Fields 3 and 22 of /proc/PID/stat; the name of the program before them may hold spaces and brackets. null elsewhere. */
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
      : `. If that process is gone, delete ${path} or say --take-over`;
  throw new LabError(`${path}: expected no other writer, got ${nameOf(holder)}${hint}`, "locked");
}

function superseded(path: string, now: Owner | undefined): never {
  const got = now === undefined ? "none: it was removed" : `that of ${nameOf(now)}`;
  throw new Superseded(
    `${path}: expected the lock that this process took, got ${got}. It stops; what it saved before is whole`,
    "locked",
  );
}

function nameOf({ pid, host, since, command, claim }: Owner): string {
  // The file may be anybody's.
  const [where, when, what] = [host, since, command].map((text) => String(text).slice(0, 200));
  const work = claim === undefined ? "" : `, job ${claim.job} of ${claim.engine}, epoch ${claim.epoch}`;
  return `process ${pid} on ${where} since ${when} (${what}${work.slice(0, 200)})`;
}

const orphansEndMilliseconds = 15_000;
const lookEveryMilliseconds = 200;

/** Tries again for a while when something is locked. */
export async function patiently<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + orphansEndMilliseconds;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const locked = error instanceof LabError && error.kind === "locked" && !(error instanceof Superseded);
      if (!locked || signal.aborted || performance.now() > deadline) throw error;
      await pause(lookEveryMilliseconds);
    }
  }
}
