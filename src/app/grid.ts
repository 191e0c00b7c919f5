/**
 * @file What a sweep runs: every combination of some settings, each in a folder whose name says it.
 *
 *     model.betaMax=1,2   train.learningRate=0.001,0.01
 *     betaMax=1,learningRate=0.001   betaMax=1,learningRate=0.01   betaMax=2,learningRate=0.001   ...
 *
 * A name depends on its own combination and on which keys are varied, never on the other values: a value added later
 * leaves the folders of the others where they are.
 */

import { fail, LabError } from "../core/error.ts";
import { parseYaml } from "../core/settings.ts";
import { sha256 } from "../storage/index.ts";

/** A key of the configuration (`model.betaMax`) and the values that it takes. */
export interface Axis {
  readonly key: string;
  readonly values: readonly unknown[];
}

export interface Setting {
  /** Its folder; "" where nothing is varied. */
  readonly name: string;
  readonly changes: Readonly<Record<string, unknown>>;
}

/** Longer names are cut: file systems allow 255 bytes, and temporary files add to it. */
const longestName = 120;

/** `KEY=V1,V2`, the values in YAML as after --set. Errors: LabError of kind "usage". */
export function parseAxis(text: string): Axis {
  const at = `--grid ${text}`;
  const equals = text.indexOf("=");
  const key = text.slice(0, equals).trim();
  if (equals < 1 || key.split(".").some((part) => part.trim() === "")) {
    fail(at, "KEY=V1,V2, such as model.betaMax=1,2", text);
  }
  if (key === "seed")
    fail(at, "a setting other than the seed", key, "Seeds are varied by --seeds and --seed");
  const list = text.slice(equals + 1);
  if (list.trim() === "") fail(at, "at least one value after =", "");
  // A trailing comma is no value in YAML; here it is a forgotten one.
  const values = /,\s*$/.test(list) ? fail(at, "a value after each comma", list) : parseYaml(`[${list}]`, at);
  const texts = (values as unknown[]).map((value) => JSON.stringify(value)); // [...] is a list, or parseYaml throws
  const twice = texts.find((value, i) => texts.indexOf(value) !== i);
  if (twice !== undefined) fail(at, "different values", `${twice} twice`);
  return { key, values: values as unknown[] };
}

/** Every combination, the last axis changing fastest. Errors: LabError for a key given twice, and equal names. */
export function combine(axes: readonly Axis[]): Setting[] {
  const keys = axes.map(({ key }) => key);
  const twice = keys.find((key, i) => keys.indexOf(key) !== i);
  if (twice !== undefined) fail("--grid", "each key once", twice, `Write --grid ${twice}=V1,V2,...`);
  const shown = keys.map((key) => shortName(key, keys));
  let all: Readonly<Record<string, unknown>>[] = [{}];
  for (const { key, values } of axes) {
    all = all.flatMap((changes) => values.map((value) => ({ ...changes, [key]: value })));
  }
  const settings = all.map((changes) => ({
    name: cut(keys.map((key, i) => `${shown[i]}=${plain(changes[key])}`).join(",")),
    changes,
  }));
  // Some file systems take upper and lower case for the same.
  const names = settings.map(({ name }) => name.toLowerCase());
  const clash = settings.find(({ name }, i) => names.indexOf(name.toLowerCase()) !== i);
  if (clash !== undefined) fail("--grid", "values that give different folder names", clash.name);
  return settings;
}

/** Reads a configuration with the changes of a setting, as --set takes them; its errors say which they were. */
export async function withChanges<T>(
  changes: Setting["changes"],
  read: (changed: readonly string[]) => T | Promise<T>,
): Promise<T> {
  const changed = Object.entries(changes).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  try {
    return await read(changed);
  } catch (error) {
    if (!(error instanceof LabError) || changed.length === 0) throw error;
    throw new LabError(`with ${changed.join(", ")}: ${error.message}`, error.kind);
  }
}

/** The end of a key's path, as much of it as no other key ends in. */
function shortName(key: string, keys: readonly string[]): string {
  const parts = key.split(".");
  for (let length = 1; length < parts.length; length++) {
    const end = parts.slice(-length).join(".");
    if (keys.filter((other) => other === end || other.endsWith(`.${end}`)).length === 1) return end;
  }
  return key;
}

/** `{ name: "lstm", width: [1, -2] }` is `name-lstm-width-1-neg2`: nothing that a shell or a file system minds. */
function plain(value: unknown): string {
  if (typeof value === "number") return String(value);
  return (typeof value === "string" ? value : JSON.stringify(value))
    .replaceAll(/(?<![\w.])-(?=\d)/g, "neg")
    .replaceAll(/[^\w.]+/g, "-")
    .replaceAll(/^[-.]+|-+$/g, "");
}

function cut(name: string): string {
  if (name.length <= longestName) return name;
  const digest = sha256(name).slice(0, 8);
  return `${name.slice(0, longestName - 9)}-${digest}`;
}
