/**
 * @file What made a run, kept in its folder: own files as they ran (own/task.mjs, own/model.mjs), and origin.json with
 * versions, machine and command line of each process that trained it.
 */

import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fail } from "../../core/error.ts";
import { commandVariable } from "../../executors/execute-task.ts";
import { type KeptFile, Origin, type Session } from "../../schemas/provenance.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { type Lock, readInput, readRecord, runFiles, sha256, writeFileAtomic } from "../../storage/index.ts";
import { labCommit, labVersion } from "../../storage/version.ts";
import { onnxRuntime } from "../../tensor/onnx-runtime-node.ts";
import { thisMachine } from "../doctor/machine.ts";
import type { OwnSource } from "../own-code/bundle.ts";
import type { OwnKind, OwnSources } from "../own-code/load.ts";

/** undefined where a version of the lab made the run that kept none. Errors: LabError (corrupt) for a damaged file. */
export async function readOrigin(folder: string): Promise<Origin | undefined> {
  const path = join(folder, runFiles.origin);
  return existsSync(path) ? readRecord(path, Origin, "The file is damaged") : undefined;
}

/** The own files as they are kept. Errors: LabError (corrupt) where one is not what ran. */
export function keptSources(folder: string, { own }: Origin): OwnSources {
  const read = ({ path, file, sha256: digest, sources }: KeptFile): OwnSource => {
    const at = join(folder, file);
    const code = readInput(at).toString("utf8");
    if (sha256(code) !== digest)
      fail(at, "the text that the run was made with (SHA-256)", "another", undefined, "corrupt");
    return { path, code, sources };
  };
  return Object.fromEntries(Object.entries(own).map(([kind, kept]) => [kind, read(kept)]));
}

/** Adds a session, and keeps the own files where they are not kept yet. */
export async function keepOrigin(
  folder: string,
  own: OwnSources,
  session: Session,
  lock?: Lock,
): Promise<void> {
  const before = await readOrigin(folder);
  const kept: Origin["own"] = before?.own ?? (await keepOwn(folder, own, lock));
  const origin: Origin = { version: 1, own: kept, sessions: [...(before?.sessions ?? []), session] };
  await writeFileAtomic(join(folder, runFiles.origin), `${JSON.stringify(origin, null, 2)}\n`, lock);
}

async function keepOwn(folder: string, own: OwnSources, lock: Lock | undefined): Promise<Origin["own"]> {
  const kept: { -readonly [Kind in OwnKind]?: KeptFile } = {};
  for (const [kind, { path, code, sources }] of Object.entries(own) as [OwnKind, OwnSource][]) {
    const file = `${runFiles.own}/${kind}.mjs`;
    await writeFileAtomic(join(folder, file), code, lock);
    kept[kind] = { path, file, sha256: sha256(code), sources: [...sources] };
  }
  return kept;
}

/** One sentence for each own file that is on the disk and not as it was when it was kept. */
export function editedSince(folder: string, { own }: Origin): string[] {
  return Object.values(own).flatMap(({ path, file, sources }) => {
    if (!existsSync(path)) return [];
    const edited = sources.filter((source) => digestOf(source.path) !== source.sha256);
    if (edited.length === 0) return [];
    const names = edited.map((source) => basename(source.path)).join(", ");
    return [
      `${path} is not as it was when ${folder} was made (${names}): the copy ${join(folder, file)} is used`,
    ];
  });
}

function digestOf(path: string): string | undefined {
  try {
    return sha256(readFileSync(path));
  } catch {
    return undefined; // gone, or a folder now: not what it was
  }
}

/** Of ONNX Runtime, as it says itself. */
function runtimeVersion(): string {
  const { versions } = onnxRuntime().env;
  return versions.node ?? versions.common;
}

/** This process, from a step on. */
export function thisSession(
  { device, threads }: RunConfig,
  from: number,
  set: readonly string[] = [],
): Session {
  const { node, platform, processor, cores } = thisMachine();
  const commit = labCommit();
  return {
    ...{ from, started: new Date().toISOString(), command: thisCommand(), statelab: labVersion() },
    ...(commit !== undefined && { commit }),
    onnxRuntime: runtimeVersion(),
    ...{ node, platform, processor, cores, device, threads, set: [...set] },
  };
}

/** As a user typed it; of a worker that of the sweep or the experiment. */
export function thisCommand(): string[] {
  const given = process.env[commandVariable];
  if (given !== undefined) return JSON.parse(given) as string[]; // written by the line below in the parent
  const [, program = "", ...rest] = process.argv;
  return [/^(main\.[jt]s|statelab)$/.test(basename(program)) ? "statelab" : program, ...rest];
}
