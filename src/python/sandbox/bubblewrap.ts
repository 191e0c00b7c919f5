/**
 * @file Bubblewrap: runs a process in Linux namespaces, without root.
 *
 *     bwrap --unshare-all --ro-bind /usr /usr --size 67108864 --tmpfs /tmp --remount-ro / ... python3 -I -c ...
 *
 * Inside there is no network, no other process, no environment, no files except the system's programs (read-only) and
 * listed paths, and one small writable folder in memory.
 */

import { spawnSync } from "node:child_process";
import { accessSync, constants, lstatSync, readlinkSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { Command } from "./sandboxed-process.ts";
import { systemCallFilter } from "./system-calls.ts";

/** The unprivileged user id that root switches to: limits on processes do not apply to root. */
export const nobody = 65_534;

export interface Wrapping {
  /** Paths visible inside, in addition to the system's programs. */
  readonly readable: readonly string[];
  /** Maximum size of /tmp. */
  readonly temporaryBytes: number;
  /** Whether to block the system calls of system-calls.ts. */
  readonly filtered?: boolean;
}

export interface Bubblewrap {
  readonly version: string;
  wrap(command: Command, wrapping: Wrapping): Command;
}

export type Found =
  | { readonly kind: "found"; readonly bubblewrap: Bubblewrap }
  | { readonly kind: "missing"; readonly reason: string };

let found: Found | undefined;

/** Whether bubblewrap is installed and works, determined once per process. */
export function findBubblewrap(): Found {
  found ??= lookForBubblewrap();
  return found;
}

function lookForBubblewrap(): Found {
  if (process.platform !== "linux")
    return { kind: "missing", reason: `bubblewrap is for Linux, this is ${process.platform}` };
  const path = programNamed("bwrap");
  if (path === undefined)
    return { kind: "missing", reason: "bwrap is not installed: it is in no folder of PATH" };
  const version = spawnSync(path, ["--version"], { encoding: "utf8" });
  if (version.error !== undefined)
    return { kind: "missing", reason: `${path} cannot be run: ${version.error.message}` };
  const help = spawnSync(path, ["--help"], { encoding: "utf8" }).stdout;
  // A process that may create namespaces is root inside them, which exposes more of the kernel.
  const hardening = help.includes("--disable-userns") ? ["--disable-userns"] : [];
  const filter = help.includes("--seccomp") ? systemCallFilter() : undefined;
  const ways: Hardening[] = [{ options: hardening, filter }, { options: hardening }, { options: [] }];
  for (const way of ways) {
    const bubblewrap = bubblewrapWith(path, version.stdout.trim().replace(/^bubblewrap /, ""), way);
    const { file, args, user, bytes } = bubblewrap.wrap(
      { file: "/usr/bin/env", args: ["true"], environment: {}, ...asNobody() },
      { readable: [], temporaryBytes: 4096, filtered: true },
    );
    const { status, stderr, error } = spawnSync(
      file,
      args.map((each, i) => (args[i - 1] === "--seccomp" ? "0" : each)),
      {
        ...{ env: {}, encoding: "utf8", input: bytes ?? "" },
        ...(user !== undefined && { uid: user, gid: user }),
      },
    );
    if (status === 0) return { kind: "found", bubblewrap };
    if (way === ways.at(-1))
      return { kind: "missing", reason: `bwrap does not work here: ${stderr?.trim() || error?.message}` };
  }
  throw new Error("the last of the ways above returns");
}

/**
 * Path of the program, searched in this process's PATH and the system's folders: it is started with an empty
 * environment and as another user, who may lack these folders.
 */
function programNamed(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/local/bin", "/usr/bin", "/bin"];
  return folders
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** As root: run as an unprivileged user. */
export function asNobody(): { user?: number } {
  return process.getuid?.() === 0 ? { user: nobody } : {};
}

interface Hardening {
  readonly options: readonly string[];
  readonly filter?: Buffer | undefined;
}

function bubblewrapWith(path: string, version: string, { options, filter }: Hardening): Bubblewrap {
  return {
    version,
    wrap: (command, { readable, temporaryBytes, filtered = false }) => ({
      ...command,
      ...(filtered && filter !== undefined && { bytes: filter }),
      file: path,
      environment: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
      args: [
        ...["--unshare-all", "--unshare-user", "--die-with-parent", "--cap-drop", "ALL", "--clearenv"],
        ...options,
        ...(filtered && filter !== undefined ? ["--seccomp", "4"] : []),
        ...["--uid", String(nobody), "--gid", String(nobody), "--hostname", "sandbox"],
        ...systemFolders(),
        ...["null", "zero", "random", "urandom"].flatMap((name) => [
          "--dev-bind",
          `/dev/${name}`,
          `/dev/${name}`,
        ]),
        ...["--size", String(temporaryBytes), "--tmpfs", "/tmp"],
        ...readable.filter((path) => !path.startsWith("/usr/")).flatMap((path) => ["--ro-bind", path, path]),
        ...["--remount-ro", "/", "--chdir", "/tmp"],
        ...Object.entries(command.environment).flatMap(([name, value]) => ["--setenv", name, value]),
        command.file,
        ...command.args,
      ],
    }),
  };
}

/** The system's programs and libraries, links as links. */
function systemFolders(): string[] {
  const folders = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store /etc/ld.so.cache".split(" ");
  return folders.flatMap((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    return stat.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
  });
}

/** Whether any user can read the file or enter the folder. */
export function readableByAll(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    const stat = statSync(at, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    const needed = stat.isDirectory() ? (at === path ? 0o5 : 0o1) : 0o4;
    if ((stat.mode & needed) !== needed) return false;
    if (at === dirname(at)) return true;
  }
}
