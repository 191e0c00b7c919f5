/**
 * @file Provenance of a run, kept in its folder: copies of the user's own files (own/task.mjs, own/model.mjs, own/tokenizer.json), and
 * origin.json with the versions, machine and command line of each process that trained it.
 */

import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fail } from "../../core/error.ts";
import { commandVariable } from "../../executors/execute-task.ts";
import { type KeptFile, Origin, type Session } from "../../schemas/provenance.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { type Lock, readInput, readRecord, runFiles, sha256, writeFileAtomic } from "../../storage/index.ts";
import { labCommit, labVersion } from "../../storage/version.ts";
import { onnxRuntime } from "../../tensor/onnx-runtime-node.ts";
import { thisMachine } from "../doctor/machine.ts";
import type { Placement } from "../doctor/placement.ts";
import {
  bundleSource,
  isModulePath,
  type OwnKind,
  type OwnSource,
  type OwnSources,
} from "../own-code/load.ts";
import { requireTrust, trustCode } from "../own-code/trust.ts";
import { configOf } from "./config.ts";

/** undefined if the version that made the run wrote none. Errors: LabError (corrupt) for a damaged file. */
export async function readProvenance(folder: string): Promise<Origin | undefined> {
  const path = join(folder, runFiles.origin);
  return existsSync(path) ? readRecord(path, Origin, "The file is damaged") : undefined;
}

/** The kept copies. Errors: LabError (corrupt) if a copy has changed. */
function keptSources(folder: string, { own }: Origin): OwnSources {
  const read = ({ path, file, sha256: digest, sources }: KeptFile): OwnSource => {
    const at = join(folder, file);
    const code = readInput(at).toString("utf8");
    if (sha256(code) !== digest)
      fail(at, "the text that the run was made with (SHA-256)", "another", undefined, "corrupt");
    return { path, code, sources };
  };
  return Object.fromEntries(Object.entries(own).map(([kind, kept]) => [kind, read(kept)]));
}

/** Adds a session, and copies the own files if there are no copies yet. */
export async function saveProvenance(
  folder: string,
  own: OwnSources,
  session: Session,
  lock?: Lock,
): Promise<void> {
  const before = await readProvenance(folder);
  const kept: Origin["own"] = before?.own ?? (await keepOwn(folder, own, lock));
  const origin: Origin = { version: 1, own: kept, sessions: [...(before?.sessions ?? []), session] };
  await writeFileAtomic(join(folder, runFiles.origin), `${JSON.stringify(origin, null, 2)}\n`, lock);
}

async function keepOwn(folder: string, own: OwnSources, lock: Lock | undefined): Promise<Origin["own"]> {
  const kept: { -readonly [Kind in keyof OwnSources]: KeptFile } = {};
  for (const [kind, { path, code, sources }] of Object.entries(own) as [keyof OwnSources, OwnSource][]) {
    const file = `${runFiles.own}/${kind}.${kind === "tokenizer" ? "json" : "mjs"}`;
    await writeFileAtomic(join(folder, file), code, lock);
    kept[kind] = { path, file, sha256: sha256(code), sources: [...sources] };
  }
  return kept;
}

/** One sentence for each own file on the disk that was edited since it was copied. */
export function changedSince(folder: string, { own }: Origin): string[] {
  return Object.values(own).flatMap(({ path, file, sources }) => {
    if (!existsSync(path)) return [];
    const edited = sources.filter((source) => digestOf(source.path) !== source.sha256);
    if (edited.length === 0) return [];
    const names = edited.map((source) => basename(source.path)).join(", ");
    return [
      `${path} has changed since ${folder} was made (${names}): the copy ${join(folder, file)} is used`,
    ];
  });
}

function digestOf(path: string): string | undefined {
  try {
    return sha256(readFileSync(path));
  } catch {
    return undefined; // deleted, or a folder now
  }
}

/** Describes this process, which trains from step `from` on. */
export function thisSession(
  { device, threads }: Pick<RunConfig, "device" | "threads">,
  from: number,
  { set = [], placement }: { set?: readonly string[]; placement?: Placement | undefined } = {},
): Session {
  const { node, platform, processor, cores } = thisMachine();
  const commit = labCommit();
  const { versions } = onnxRuntime().env;
  return {
    ...{ from, started: new Date().toISOString(), command: thisCommand(), statelab: labVersion() },
    ...(commit !== undefined && { commit }),
    onnxRuntime: versions.node ?? versions.common,
    ...{ node, platform, processor, cores, device, threads, set: [...set] },
    ...placement,
  };
}

/** The command that the user typed; in a worker, that of its sweep or experiment. */
export function thisCommand(): string[] {
  const given = process.env[commandVariable];
  if (given !== undefined) return JSON.parse(given) as string[]; // set by the parent process
  const [, program = "", ...rest] = process.argv;
  return [/^(main\.[jt]s|statelab)$/.test(basename(program)) ? "statelab" : program, ...rest];
}

/** What a configuration says of its task, model and tokenizer. */
export type NamedParts = Pick<RunConfig, "task" | "model" | "tokenizer">;

/** Reads own files: the task, model and tokenizer named by a path, from the copies in `kept` or else from the disk. Executes nothing. */
export async function ownOf(named: NamedParts, kept: OwnSources): Promise<OwnSources> {
  const sourceOf = async (kind: OwnKind) => {
    const { name } = named[kind];
    return isModulePath(name) ? { [kind]: kept[kind] ?? (await bundleSource(name)) } : {};
  };
  return {
    ...{ ...(await sourceOf("task")), ...(await sourceOf("model")) },
    ...(typeof named.tokenizer === "object" && {
      tokenizer: kept.tokenizer ?? fileSource(named.tokenizer.file),
    }),
  };
}

function fileSource(file: string): OwnSource {
  const path = resolve(file);
  const code = readInput(path, { regular: true }).toString("utf8");
  return { path, code, sources: [{ path, sha256: sha256(code) }] };
}

/** Throws unless own files may be executed. */
export type Permit = (own: OwnSources) => void;

interface KeptParts {
  /** Copies of the own files that the run was made with. */
  readonly kept: OwnSources;
  /** Whether every own file has a copy. */
  readonly pinned: boolean;
  /** One sentence for each own file that was edited since, or was not copied. */
  readonly remarks: readonly string[];
  /** Refuses code that this user has not trusted. */
  readonly permit: Permit;
}

/** The own files of a run: its copies, or with `useCurrentCode` the files on the disk. */
export async function keptParts(
  folder: string,
  { task, model }: Pick<NamedParts, "task" | "model">,
  useCurrentCode = false,
): Promise<KeptParts> {
  const onDisk = (own: OwnSources) => requireTrust(own, ({ path }) => path, useCurrentCode);
  if (useCurrentCode) return { kept: {}, pinned: false, remarks: [], permit: onDisk };
  const origin = await readProvenance(folder);
  if (origin !== undefined) {
    const fileOf = (path: string) => Object.values(origin.own).find((kept) => kept.path === path)?.file;
    const permit = (own: OwnSources) =>
      requireTrust(own, ({ path }) => join(folder, fileOf(path) ?? path), false);
    return {
      ...{ kept: keptSources(folder, origin), pinned: true, permit },
      remarks: changedSince(folder, origin),
    };
  }
  const paths = [task.name, model.name].filter(isModulePath);
  const remarks = paths.map((path) => `${folder} keeps no copy of ${path}: it is used as it is now`);
  return { kept: {}, pinned: paths.length === 0, remarks, permit: onDisk };
}

/**
 * Trusts the own code of a run, as `--trust-code` does: its copies, or else the files on the disk. Trust is stored by hash.
 * Errors: LabError if there is no run, or a file cannot be read.
 */
export async function trustRun(folder: string): Promise<void> {
  const config = await configOf(folder);
  trustCode(await ownOf(config, (await keptParts(folder, config)).kept));
}
