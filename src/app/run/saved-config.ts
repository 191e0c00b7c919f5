/**
 * @file config.json of a run: its configuration as it is now, the version that made it, and what `resume --set` changed.
 *
 *     {"train": {"learningRate": 0.001, ...}, ..., "statelab": "0.1.0",
 *      "changes": [{"step": 400, "set": {"train.learningRate": {"from": 0.005, "to": 0.001}}}]}
 *
 * A checkpoint says by which configuration it was trained; that of the folder must be the same, but for changes since.
 */

import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { fail } from "../../core/error.ts";
import { applySettings, parseWith } from "../../core/settings.ts";
import { shellWord } from "../../core/shell-word.ts";
import { RunConfig, trainedBy } from "../../schemas/run-config.ts";
import { type Checkpoint, readConfig, runFiles } from "../../storage/index.ts";
import { labVersion } from "../../storage/version.ts";

const Change = z.strictObject({
  /** Steps that were done before it. */
  step: z.int().min(0),
  /** By key. What was not there has no `from`. */
  set: z.record(z.string(), z.strictObject({ from: z.unknown().optional(), to: z.unknown() })),
});
type Change = z.infer<typeof Change>;

export interface WrittenConfig {
  readonly config: RunConfig;
  readonly changes: readonly Change[];
}

/** Errors: LabError where the folder has no config.json, or a damaged one. */
export async function writtenConfig(folder: string): Promise<WrittenConfig> {
  const at = join(folder, runFiles.config);
  const written = parseWith(z.record(z.string(), z.unknown()), await readConfig(folder), at);
  const { statelab: _, changes = [], ...config } = written;
  return {
    config: parseWith(RunConfig, config, at),
    changes: parseWith(z.array(Change), changes, `${at}, changes`),
  };
}

/** The configuration in a run's folder. Errors: LabError where it is missing or damaged. */
export async function configOf(folder: string): Promise<RunConfig> {
  return (await writtenConfig(folder)).config;
}

/** What stands in config.json. */
export const asWritten = ({ config, changes }: WrittenConfig) => ({
  ...config,
  statelab: labVersion(),
  ...(changes.length > 0 && { changes }),
});

/** What a run that goes on may do otherwise than it began: all else would make it another run. */
const changeable = [
  "train.learningRate",
  "train.clip",
  "train.steps",
  "train.budgets",
  "train.patience",
  "checkpointEvery",
  "device",
  "threads",
] as const;

/** Settings over the configuration of a run that goes on after `step`. Errors: LabError for one that cannot be changed. */
export function withSettings(
  { config, changes }: WrittenConfig,
  settings: readonly string[],
  step: number,
): WrittenConfig {
  if (settings.length === 0) return { config, changes };
  const set: Change["set"] = {};
  for (const setting of settings) {
    const key = setting.split("=")[0];
    if (!(changeable as readonly string[]).includes(key)) {
      fail(
        `--set ${setting}`,
        `one of ${changeable.join(", ")}`,
        key,
        "With anything else it is another run: statelab train",
      );
    }
  }
  const after = parseWith(RunConfig, applySettings(config, settings), "--set");
  for (const key of settings.map((setting) => setting.split("=")[0])) {
    const [from, to] = [valueAt(config, key), valueAt(after, key)];
    if (!isDeepStrictEqual(from, to)) set[key] = { ...(from !== undefined && { from }), to };
  }
  if (after.train.steps < step)
    fail("--set train.steps", `at least the ${step} that are done`, after.train.steps);
  const change = Object.keys(set).length === 0 ? [] : [{ step, set }];
  return { config: after, changes: [...changes, ...change] };
}

/**
 * Refuses a checkpoint that was trained by another configuration than the folder's, naming the first field that differs.
 * What was changed since the checkpoint, and says so, does not count.
 */
export function refuseOther(
  folder: string,
  { config, changes }: WrittenConfig,
  checkpoint: Checkpoint,
): void {
  if (checkpoint.config === undefined) return; // of a version that kept none
  const was = trainedBy(parseWith(RunConfig, checkpoint.config, join(checkpoint.folder, "state.json")));
  let now: unknown = trainedBy(config);
  for (const change of changes.toReversed()) {
    if (change.step < checkpoint.step || isDeepStrictEqual(now, was)) break;
    for (const [key, { from }] of Object.entries(change.set)) {
      if (key.startsWith("train.")) now = withValue(now, key.split("."), from); // else it trains nothing
    }
  }
  const different = firstDifference(was, now, "");
  if (different === undefined) return;
  fail(
    join(folder, runFiles.config),
    `${different.key} to be ${JSON.stringify(different.wanted) ?? "absent"}, as the checkpoint of step ${checkpoint.step} was trained`,
    different.got ?? "nothing",
    `Put it back; of what may change while a run goes on say it by statelab resume ${shellWord(folder)} --set KEY=VALUE`,
  );
}

export interface Difference {
  readonly key: string;
  readonly wanted: unknown;
  readonly got: unknown;
}

/** The first place, in the order of the keys, where two plain values differ. */
export function firstDifference(wanted: unknown, got: unknown, key: string): Difference | undefined {
  if (isDeepStrictEqual(wanted, got)) return undefined;
  if (!isObject(wanted) || !isObject(got)) return { key, wanted, got };
  for (const name of new Set([...Object.keys(wanted), ...Object.keys(got)])) {
    const inner = firstDifference(wanted[name], got[name], key === "" ? name : `${key}.${name}`);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const valueAt = (value: unknown, key: string) =>
  key.split(".").reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);

/** A copy in which `path` holds `value`, or is absent where that is undefined. */
function withValue(target: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (!isObject(target)) return target;
  const { [name]: before, ...others } = target;
  const after = rest.length === 0 ? value : withValue(before, rest, value);
  return after === undefined ? others : { ...others, [name]: after };
}
