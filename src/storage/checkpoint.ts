/**
 * @file Checkpoints: atomically published folders, verified by checksums.
 *
 *     checkpoints/1200/model.safetensors       the weights
 *                      optimizer.safetensors   the optimizer's state, where there is one
 *                      state.json              {version, step, config, state}: all else that a resumed run needs
 *                      SHA256SUMS              checked on reading, and by `sha256sum -c`
 *
 * Written as `checkpoints/.1200.ATTEMPT.tmp`, flushed, renamed; the newest two are kept, so that a good checkpoint is on the disk at
 * every moment, even if the process is killed. Non-finite numbers are neither saved nor read.
 */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fail, LabError } from "../core/error.ts";
import { jsonText, notFinite } from "../core/json.ts";
import {
  decodeSafetensors,
  encodeSafetensors,
  type Safetensors,
  type StoredTensor,
} from "../schemas/formats/safetensors.ts";
import { renameOver, syncFolder, writeFileDurably } from "./atomic.ts";
import { makeFolder, writing } from "./folder.ts";
import type { Lock } from "./lock.ts";
import { sha256 } from "./record.ts";
import { runFiles } from "./run-files.ts";

export interface CheckpointContent {
  readonly model: Readonly<Record<string, StoredTensor>>;
  /** Optimizer state; the optimizer's name is in the metadata. */
  readonly optimizer?: Safetensors;
  /** JSON: step counts, random streams, the stage of a curriculum. */
  readonly state: unknown;
  /** JSON: the configuration of the training. */
  readonly config?: unknown;
  /** Steps of older checkpoints to keep besides the newest. */
  readonly keep?: readonly number[];
}

export interface Checkpoint {
  readonly folder: string;
  readonly step: number;
  readonly model: Safetensors["tensors"];
  readonly optimizer: Safetensors | undefined;
  readonly state: unknown;
  /** undefined for checkpoints without one. */
  readonly config: unknown;
  /** One message for each newer checkpoint that was skipped because it is damaged. */
  readonly passedOver: readonly string[];
}

const kept = 2;
const sums = "SHA256SUMS";

/**
 * Saves a checkpoint of a run and returns its folder; replaces an existing one of the same step. One writer at a time: throws
 * Superseded if its lock has another owner by now. Disk errors are LabErrors and leave existing checkpoints intact.
 */
export function saveCheckpoint(
  runFolder: string,
  step: number,
  content: CheckpointContent,
  lock?: Lock,
): Promise<string> {
  const parent = join(runFolder, runFiles.checkpoints);
  return writing(join(parent, String(step)), () => save(parent, step, content, lock));
}

async function save(
  parent: string,
  step: number,
  content: CheckpointContent,
  lock: Lock | undefined,
): Promise<string> {
  for (const [name, tensors] of Object.entries({
    model: content.model,
    optimizer: content.optimizer?.tensors ?? {},
  })) {
    const bad = firstNotFinite(tensors);
    if (bad !== undefined)
      fail(join(parent, String(step)), `finite numbers in ${bad.path} (${name})`, String(bad.value));
  }
  lock?.check();
  await makeFolder(parent);
  // With a lock they were removed when it was taken; removing them now could delete files that a new owner is writing.
  if (lock === undefined) await removeLeftovers(parent);
  const files: Record<string, Uint8Array> = {
    "model.safetensors": encodeSafetensors(content.model, { format: "pt" }), // as Hugging Face marks them
    ...(content.optimizer && {
      "optimizer.safetensors": encodeSafetensors(content.optimizer.tensors, content.optimizer.metadata),
    }),
    "state.json": Buffer.from(
      `${jsonText({ version: 1, step, config: content.config, state: content.state }, join(parent, "state.json"), 2)}\n`,
    ),
  };
  const list = Object.entries(files).map(([name, bytes]) => `${sha256(bytes)}  ${name}\n`);
  const attempt = lock === undefined ? "" : `.${lock.attempt}`;
  const temporary = join(parent, `.${step}${attempt}.tmp`);
  try {
    await mkdir(temporary);
    for (const [name, bytes] of Object.entries({ ...files, [sums]: Buffer.from(list.join("")) })) {
      await writeFileDurably(join(temporary, name), bytes);
    }
    await syncFolder(temporary);
    lock?.check(); // after the temporary folder is made: lock.ts says why
  } catch (error) {
    // On a full disk, free the space of the partial checkpoint.
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
    lock?.check(); // a superseded writer finds its files removed: report that, not the missing file
    throw error;
  }

  const folder = join(parent, String(step));
  const replaced = join(parent, `${step}.replaced`);
  // A folder cannot be renamed over another: the old one keeps a name that readers accept until the new one is in place.
  if (existsSync(folder)) {
    await discard(parent, `${step}.replaced`, attempt);
    await renameOver(folder, replaced);
  }
  await renameOver(temporary, folder).catch((error: unknown) => {
    lock?.check();
    throw error;
  });
  await syncFolder(parent);
  await prune(parent, step, content.keep, attempt);
  return folder;
}

/**
 * The newest valid checkpoint of a run (`before` a step); undefined if there is none at all.
 * Throws a LabError of kind "corrupt" if all are damaged.
 */
export async function latestCheckpoint(
  runFolder: string,
  { before = Number.POSITIVE_INFINITY }: { readonly before?: number } = {},
): Promise<Checkpoint | undefined> {
  const parent = join(runFolder, runFiles.checkpoints);
  const look = async () => (await candidates(parent)).filter(({ step }) => step < before);
  let passedOver: string[] = [];
  let names = await look();
  for (let i = 0; i < names.length; i++) {
    const folder = join(parent, names[i].name);
    try {
      return { ...(await readCheckpoint(folder)), passedOver };
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      if (existsSync(folder)) passedOver.push(error.message);
      else {
        // Not damaged: a writer has pruned it after saving newer ones. List again.
        [passedOver, names, i] = [[], await look(), -1];
      }
    }
  }
  if (passedOver.length === 0) return undefined;
  throw new LabError(`${parent}: expected a good checkpoint, got none: ${passedOver.join("; ")}`, "corrupt");
}

/**
 * The checkpoint of one step. Throws a LabError of kind "usage" that lists the existing steps if there is none, "corrupt" if it is
 * damaged.
 */
export async function checkpointAt(runFolder: string, step: number): Promise<Checkpoint> {
  const parent = join(runFolder, runFiles.checkpoints);
  const all = await candidates(parent);
  const found = all.find((each) => each.step === step);
  if (found !== undefined) return { ...(await readCheckpoint(join(parent, found.name))), passedOver: [] };
  const steps = [...new Set(all.map((each) => each.step))].reverse();
  if (steps.length === 0) fail(parent, `a checkpoint of step ${step}`, "none");
  return fail(parent, `a checkpoint of step ${steps.join(" or ")}`, step);
}

/** One checkpoint by its folder, verified. Throws a LabError of kind "corrupt" that names the damaged file. */
export async function readCheckpoint(folder: string): Promise<Omit<Checkpoint, "passedOver">> {
  const listed = new Map<string, string>();
  const lines = (await readPart(folder, sums)).toString("utf8").split("\n");
  if (lines.pop() !== "") damaged(folder, sums, "a newline at the end");
  for (const line of lines) {
    const [, digest, name] =
      /^([0-9a-f]{64}) {2}([\w.]+)$/.exec(line) ?? damaged(folder, sums, "checksum lines");
    listed.set(name, digest);
  }
  const parts = new Map<string, Buffer>();
  for (const [name, digest] of listed) {
    const bytes = await readPart(folder, name);
    if (sha256(bytes) !== digest) damaged(folder, name, "the bytes that were saved (SHA-256)");
    parts.set(name, bytes);
  }
  const read = (name: string) => {
    const bytes = parts.get(name);
    const decoded = bytes && decodeSafetensors(bytes, join(folder, name));
    const bad = firstNotFinite(decoded?.tensors ?? {});
    if (bad !== undefined) damaged(folder, name, `finite numbers in ${bad.path}`, String(bad.value));
    return decoded;
  };
  const { tensors: model } =
    read("model.safetensors") ?? damaged(folder, sums, "model.safetensors to be listed");
  const stateBytes = parts.get("state.json") ?? damaged(folder, sums, "state.json to be listed");
  // The checksum proves integrity, not origin: the folder may come from somebody else.
  const { version, step, config, state } =
    stateOf(stateBytes) ?? damaged(folder, "state.json", "a JSON object");
  if (!Number.isSafeInteger(step)) damaged(folder, "state.json", "a step");
  if (version !== 1) damaged(folder, "state.json", `version 1, not ${version},`);
  return { folder, step, model, optimizer: read("optimizer.safetensors"), config, state };
}

function firstNotFinite(tensors: Safetensors["tensors"]) {
  for (const [path, { data }] of Object.entries(tensors)) {
    const value = notFinite(data);
    if (value !== undefined) return { path, value };
  }
  return undefined;
}

function stateOf(
  bytes: Buffer,
): { version: unknown; step: number; config: unknown; state: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as ReturnType<typeof stateOf>) : undefined; // the caller validates its fields
  } catch {
    return undefined;
  }
}

/** Whether an error means damage; a missing permission does not. */
const unreadable: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EISDIR: "a folder",
  ENOTDIR: "a checkpoint that is no folder",
  EIO: "an input/output error",
};

/** Largest read that Node supports. */
const longestPart = 2 ** 31 - 1;

async function readPart(folder: string, name: string): Promise<Buffer> {
  try {
    const path = join(folder, name);
    const { size } = await stat(path);
    if (size > longestPart) damaged(folder, name, `at most ${longestPart} bytes`, String(size));
    return await readFile(path);
  } catch (error) {
    const got = unreadable[(error as NodeJS.ErrnoException).code ?? ""]; // fs errors carry a code
    if (got === undefined) throw error;
    return damaged(folder, name, "a file", got);
  }
}

function damaged(folder: string, name: string, expected: string, got = "others"): never {
  throw new LabError(
    `${join(folder, name)}: expected ${expected}, got ${got}. The checkpoint is damaged`,
    "corrupt",
  );
}

/** Checkpoint folders, newest step first; a replaced one after its replacement. */
async function candidates(parent: string): Promise<{ name: string; step: number }[]> {
  if (!existsSync(parent)) return [];
  return (await readdir(parent))
    .filter((name) => /^\d+(\.replaced)?$/.test(name))
    .map((name) => {
      const step = Number.parseInt(name, 10);
      if (Number.isSafeInteger(step)) return { name, step };
      return fail(join(parent, name), "a checkpoint named by its step", name, "Remove it", "corrupt");
    })
    .sort((a, b) => b.step - a.step || a.name.length - b.name.length);
}

/** Keeps the newest `kept` up to this step. Later ones, from before a rollback, are kept only if valid. */
async function prune(
  parent: string,
  step: number,
  keep: readonly number[] | undefined,
  attempt: string,
): Promise<void> {
  let seen = 0;
  for (const { name, step: other } of await candidates(parent)) {
    if (name.endsWith(".replaced") && existsSync(join(parent, String(other))))
      await discard(parent, name, attempt);
    else if (other <= step && ++seen > kept && !keep?.includes(other)) await discard(parent, name, attempt);
    else if (other > step && !(await isGood(join(parent, name)))) await discard(parent, name, attempt);
  }
}

async function isGood(folder: string): Promise<boolean> {
  return readCheckpoint(folder).then(
    () => true,
    (error) => (error instanceof LabError ? false : Promise.reject(error)),
  );
}

/** Renames a checkpoint before removing it, so that a half-removed one never looks like a checkpoint. */
async function discard(parent: string, name: string, attempt: string): Promise<void> {
  const folder = join(parent, name);
  if (!existsSync(folder)) return;
  const temporary = join(parent, `.${name}${attempt}.old.tmp`);
  try {
    await renameOver(folder, temporary);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return; // a superseded writer was removing it at the same time
    throw error;
  }
  await rm(temporary, { recursive: true, force: true });
}

/**
 * Removes temporary folders of killed writers. We hold the run's lock, so no other process may publish; a superseded writer may still
 * be writing, so its folder is renamed first, which makes its writes fail.
 */
export async function removeLeftovers(parent: string): Promise<void> {
  if (!existsSync(parent)) return;
  for (const name of await readdir(parent)) {
    if (!/^\..*\.tmp$/.test(name)) continue;
    const nameless = join(parent, `.${randomBytes(6).toString("hex")}.gone.tmp`);
    try {
      await renameOver(join(parent, name), nameless);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") continue; // its writer has removed or published it in the meantime
      throw error;
    }
    await rm(nameless, { recursive: true, force: true, maxRetries: 3 });
  }
}
