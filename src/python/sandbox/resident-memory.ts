/**
 * @file Current memory of a process and its descendants (Linux).
 *
 *     private pages          RssAnon and VmSwap of each process of the tree
 *     shared regions         anonymous, each once by its size: if the process that filled it is gone, its pages are not mapped
 *     files in memory        each memfd once, and the contents of the sandbox's /tmp
 *     pipes and sockets      each once by its capacity: the used part is unknown
 *
 * Includes the children of every thread: the kernel lists a child with the thread that created it.
 */

import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from "node:fs";

/** Default capacity of a pipe; system-calls.ts blocks raising it. */
const pipeBytes = 65_536;
const blockBytes = 512;

/** Bytes counted once for the whole tree, by identity. */
type Shared = Map<string, number>;

/** The sum over the tree below `pid`, private pages counted for each process; 0 where unknown. */
export function residentBytes(pid: number): number {
  let total = 0;
  const shared: Shared = new Map();
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    total += privateBytes(next);
    noteRegions(next, shared);
    noteOpenFiles(next, shared);
    noteFolder(`/proc/${next}/root/tmp`, shared);
    waiting.push(...childrenOf(next));
  }
  for (const bytes of shared.values()) total += bytes;
  return total;
}

function privateBytes(pid: number): number {
  const kibibytes = read(`/proc/${pid}/status`).matchAll(/^(?:RssAnon|VmSwap):\s+(\d+) kB$/gm);
  return [...kibibytes].reduce((sum, [, count]) => sum + Number(count) * 1024, 0);
}

const sharedRegion =
  /^([\da-f]+)-([\da-f]+) [r-][w-][x-]s ([\da-f]+) \S+ (\d+) +\/(?:dev\/zero|memfd:|SYSV)/gm;

/** Skips mapped files, including the program: they are shared with other processes. */
function noteRegions(pid: number, shared: Shared): void {
  for (const [, from, to, offset, inode] of read(`/proc/${pid}/maps`).matchAll(sharedRegion))
    note(shared, `memory ${inode}`, Number(`0x${to}`) - Number(`0x${from}`) + Number(`0x${offset}`));
}

function noteOpenFiles(pid: number, shared: Shared): void {
  let network: ReadonlySet<string> | undefined;
  for (const file of list(`/proc/${pid}/fd`)) {
    const path = `/proc/${pid}/fd/${file}`;
    const name = linkAt(path);
    if (name.startsWith("pipe:")) note(shared, name, pipeBytes);
    else if (name.startsWith("socket:")) {
      network ??= networkSockets(pid);
      const kind = network.has(name.slice("socket:[".length, -1)) ? "network" : "local";
      note(shared, name, waitingBytes()[kind]);
    } else if (name.startsWith("/memfd:")) {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found !== undefined) note(shared, `memory ${found.ino}`, found.blocks * blockBytes);
    }
  }
}

/** Adds the size of a sandbox's in-memory folder, unless it is on this process's /tmp. */
function noteFolder(path: string, shared: Shared): void {
  try {
    const { dev } = statSync(path);
    if (dev === statSync("/tmp").dev) return;
    const { blocks, bfree, bsize } = statfsSync(path);
    note(shared, `folder ${dev}`, (blocks - bfree) * bsize);
  } catch {
    // it is gone, or may not be seen
  }
}

function note(shared: Shared, name: string, bytes: number): void {
  shared.set(name, Math.max(bytes, shared.get(name) ?? 0));
}

const namespaceOf = (pid: number | "self") => linkAt(`/proc/${pid}/ns/net`);
let ownNamespace: string | undefined;

/** The inodes of the sockets of a sandbox's own network. */
function networkSockets(pid: number): ReadonlySet<string> {
  ownNamespace ??= namespaceOf("self");
  if (namespaceOf(pid) === ownNamespace || !hasNetworkSockets(pid)) return new Set();
  const rows = ["tcp", "tcp6", "udp", "udp6"].flatMap((name) =>
    read(`/proc/${pid}/net/${name}`).split("\n").slice(1),
  );
  return new Set(rows.map((row) => row.trim().split(/\s+/)[9]));
}

/** From the kernel's counts: the tables of sockets below take 5 ms each to read, because the kernel searches those of all networks. */
function hasNetworkSockets(pid: number): boolean {
  const counts = ["sockstat", "sockstat6"].flatMap((name) => [
    ...read(`/proc/${pid}/net/${name}`).matchAll(/^(?:TCP|UDP)6?: inuse (\d+)/gm),
  ]);
  return counts.length === 0 || counts.some(([, inUse]) => inUse !== "0");
}

/** The last number of a setting of the kernel, in bytes: the most there is of three. */
const setting = (name: string, otherwise: number) =>
  Number(read(`/proc/sys/net/${name}`).trim().split(/\s+/).at(-1)) || otherwise;
let most: { readonly local: number; readonly network: number } | undefined;

/** Maximum bytes queued in a socket: between processes, and over the network. */
function waitingBytes() {
  most ??= {
    local: setting("core/wmem_default", 212_992),
    network: setting("ipv4/tcp_wmem", 4 * 2 ** 20) + setting("ipv4/tcp_rmem", 6 * 2 ** 20),
  };
  return most;
}

function childrenOf(pid: number): number[] {
  return list(`/proc/${pid}/task`).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(" ").filter(Boolean).map(Number),
  );
}

/** Nothing for a process that is gone, or whose descriptors may not be seen. */
function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** "" if the link is gone. */
function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** "" if the process is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
