/**
 * @file How much memory a process and all that came from it hold right now, where the system says so (Linux).
 *
 *     private pages          RssAnon and VmSwap of each process of the tree
 *     shared regions         without a file, each once and by its size: what filled it may be gone, and then its pages are mapped nowhere
 *     files in memory        each memfd once, and what the sandbox's own /tmp holds
 *     pipes and sockets      each once, as much as may wait in it: nothing tells how much does
 *
 * Children are those of every thread: the kernel lists a child with the thread that made it.
 */

import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from "node:fs";

/** What a pipe holds unless it is asked to hold more, which system-calls.ts closes. */
const pipeBytes = 65_536;
const blockBytes = 512;

/** Bytes that are counted once for the whole tree, by what tells them from others. */
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

/** Files that are mapped are left out, the program's own as well: others share those. */
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

/** What is in a sandbox's own folder in memory; nothing of one that is this process's as well. */
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
  if (namespaceOf(pid) === ownNamespace) return new Set();
  const rows = ["tcp", "tcp6", "udp", "udp6"].flatMap((name) =>
    read(`/proc/${pid}/net/${name}`).split("\n").slice(1),
  );
  return new Set(rows.map((row) => row.trim().split(/\s+/)[9]));
}

/** The last number of a setting of the kernel, in bytes: the most there is of three. */
const setting = (name: string, otherwise: number) =>
  Number(read(`/proc/sys/net/${name}`).trim().split(/\s+/).at(-1)) || otherwise;
let most: { readonly local: number; readonly network: number } | undefined;

/** What the system lets wait in a socket: one between processes, and one of the network. */
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

/** "" for a link that is gone. */
function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** "" for a process that is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
