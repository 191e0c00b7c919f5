/**
 * @file One writer at a time: a lock is a file that names its owner. Readers never look at it.
 *
 * Taking: write the owner's name to a temporary file, `link` it to the lock's path (atomic; fails if there is one).
 * A lock whose process is dead (same host) is replaced, and only by who holds the lock on *that* dead owner,
 * `PATH.<its nonce>`, so that two processes that see the same stale lock cannot both take it.
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
import { LabError } from "../records/error.ts";
import { writing } from "./refusal.ts";

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
}

export interface Lock {
  readonly path: string;
  /** Gives the lock back; a second call does nothing. Called on exit as well. */
  release(): void;
}

/**
 * Takes the lock at `path`, in an existing folder. Throws a LabError of kind "locked" that names its living owner.
 * `command` tells people what the owner is doing. A refusal of the disk is a LabError, too.
 */
export function takeLock(path: string, command = process.argv.slice(1).join(" ")): Lock {
  return writing(path, () => take(path, command));
}

function take(path: string, command: string): Lock {
  const owner: Owner = {
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
    command,
    nonce: randomUUID(),
    path: ownPath(path),
    processStart: processStart(process.pid),
  };
  const temporary = `${path}.${owner.nonce}.tmp`;
  try {
    writeFileSync(temporary, JSON.stringify(owner), { flag: "wx" });
    while (!linkNew(temporary, path)) {
      const holder = ownerAt(path);
      if (holder === undefined) continue; // released between the two looks
      if (isAlive(holder)) refuse(path, holder);
      replaceDead(path, holder, temporary, command);
    }
  } finally {
    rmSync(temporary, { force: true });
  }
  const release = () => {
    process.off("exit", release);
    if (ownerAt(path)?.nonce === owner.nonce) rmSync(path, { force: true });
  };
  process.on("exit", release);
  return { path, release };
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

/** Makes `to` a second name of `from`; false if `to` exists. Where there are no links, an exclusive copy. */
function linkNew(from: string, to: string): boolean {
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

/** Removes the lock of a dead owner, unless somebody else did so first. */
function replaceDead(path: string, dead: Owner, temporary: string, command: string): void {
  const claim = takeLock(`${path}.${dead.nonce}`, command);
  try {
    // Holding the claim, nobody but us may touch a lock that still bears the dead owner's nonce.
    if (ownerAt(path)?.nonce === dead.nonce) renameSync(path, `${temporary}.dead`);
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
  return owner.processStart === null || owner.processStart === processStart(owner.pid);
}

/** Field 22 of /proc/PID/stat; the name of the program before it may hold spaces and brackets. null elsewhere. */
function processStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return null;
  }
}

function refuse(path: string, { pid, host, since, command, path: taken }: Owner): never {
  const copied = taken !== undefined && taken !== ownPath(path);
  const hint = copied
    ? `. That process took the lock at ${String(taken).slice(0, 200)}: if this folder is a copy, delete ${path}`
    : host === hostname()
      ? ""
      : `. If that process is gone, delete ${path}`;
  // The file may be anybody's.
  const [where, when, what] = [host, since, command].map((text) => String(text).slice(0, 200));
  throw new LabError(
    `${path}: expected no other writer, got process ${pid} on ${where} since ${when} (${what})${hint}`,
    "locked",
  );
}
