/**
 * @file Flags: each declaration says how the text that a user types becomes a value.
 *
 *     options: { count: flag.integer("N", "how many examples", { default: 10, least: 0 }) }
 *     run({ values })      values.count is a number
 *
 * On the path of `--help`: this file imports nothing heavy.
 */

import { parseChoice } from "../../core/did-you-mean.ts";
import { fail } from "../../core/error.ts";
import { hostNames, longestSeconds } from "../../python/sandbox/host.ts";

/** One flag, as `--help` shows it and as `run` finds it. */
export interface Flag<Value = unknown> {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** The configuration key that an unknown flag may mean: `train.steps` for `--steps`. */
  readonly keyNamed?: (flag: string) => string | undefined;
  /** May be given several times. */
  readonly multiple?: boolean;
  /** Number of texts that follow it, default 1. */
  readonly count?: number;
  /** Placeholder for the value in `--help`: `N`, `DIR`, `KEY=VALUE`. */
  readonly value?: string;
  /** The default as `--help` shows it. */
  readonly default?: string;
  readonly description: string;
  /** The title under which `--help` shows it. */
  readonly group?: string;
  /** Shown by `--help-all` alone. */
  readonly rare?: true;
  /** The value of the given texts; `name` is the flag with its dashes. @throws LabError (usage) */
  read(texts: readonly string[], name: string): Value;
}
export type Flags = Readonly<Record<string, Flag>>;

/** The values of flags, as `run` finds them. */
export type Values<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends Flag<infer Value> ? Value : never;
};

/** The flags, shown under a title of their own by `--help`. */
export const group = <const F extends Flags>(title: string, flags: F): F =>
  Object.fromEntries(Object.entries(flags).map(([name, each]) => [name, { ...each, group: title }])) as F; // of the same flags

/** The flags, shown by `--help-all` alone. */
export const rare = <const F extends Flags>(flags: F): F =>
  Object.fromEntries(Object.entries(flags).map(([name, each]) => [name, { ...each, rare: true }])) as F; // of the same flags

type Parse<T> = (text: string, name: string) => T;
interface Default<D> {
  readonly default?: D;
}
interface Bounds {
  readonly least?: number;
  readonly most?: number;
}

/** A flag with one value, which `parse` makes from its text; without a default it may be undefined. */
function parsed<T, const D extends T | undefined = undefined>(
  value: string,
  description: string,
  parse: Parse<T>,
  options: Default<D> = {},
): Flag<T | D> {
  const { default: usual } = options;
  return {
    ...{ type: "string", value, description },
    ...(usual !== undefined && { default: String(usual) }),
    read: ([text], name) => (text === undefined ? (usual as D) : parse(text, name)), // D is undefined without a default
  };
}

/** `usual`: the device without it. */
export const deviceOption = (usual: string) =>
  flag.choice("DEVICE", `cpu, cuda or webgpu [${usual}]`, ["cpu", "cuda", "webgpu"]);

export const flag = {
  parsed,

  text: <const D extends string | undefined = undefined>(
    value: string,
    description: string,
    options: Default<D> = {},
  ) => parsed<string, D>(value, description, (text) => text, options),

  /** May be repeated; `count` texts follow it each time. */
  texts: (
    value: string,
    description: string,
    options: Pick<Flag, "count" | "keyNamed"> = {},
  ): Flag<readonly string[]> => ({
    ...{ type: "string", multiple: true, value, description, ...options },
    read: (texts) => texts,
  }),

  toggle: (description: string): Flag<boolean> => ({
    ...{ type: "boolean", description },
    read: (texts) => texts.length > 0,
  }),

  integer: <const D extends number | undefined = undefined>(
    value: string,
    description: string,
    { least, most, ...options }: Default<D> & Bounds = {},
  ) => parsed<number, D>(value, description, (text, name) => parseInteger(name, text, least, most), options),

  /** A decimal number without a sign or an exponent. */
  number: <const D extends number | undefined = undefined>(
    value: string,
    description: string,
    { least = 0, most = Number.POSITIVE_INFINITY, ...options }: Default<D> & Bounds = {},
  ) => parsed<number, D>(value, description, (text, name) => parseNumber(name, text, least, most), options),

  /** A time that a timer can wait; fractions are allowed. */
  seconds: <const D extends number | undefined = undefined>(description: string, options: Default<D> = {}) =>
    parsed<number, D>("N", description, parseSeconds, options),

  choice: <const T extends string, const D extends T | undefined = undefined>(
    value: string,
    description: string,
    choices: readonly T[],
    options: Default<D> = {},
  ) => parsed<T, D>(value, description, (text, name) => parseChoice(name, text, choices), options),

  /** Comma-separated, each word once; `parse` makes a value from each. */
  list: <T, const D extends readonly T[] | undefined = undefined>(
    value: string,
    description: string,
    parse: Parse<T>,
    options: Default<D> = {},
  ) =>
    parsed<readonly T[], D>(
      value,
      description,
      (text, name) =>
        [...new Set(text.split(",").map((word) => word.trim()))].map((word) => parse(word, name)),
      options,
    ),
};

/** @throws LabError (usage) if the text is not an integer from `least` to `most` */
export function parseInteger(
  name: string,
  text: string,
  least = Number.MIN_SAFE_INTEGER,
  most = Number.MAX_SAFE_INTEGER,
): number {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  if (value > most && most < Number.MAX_SAFE_INTEGER) fail(name, `an integer of at most ${most}`, text);
  return fail(
    name,
    least === Number.MIN_SAFE_INTEGER ? "an integer" : `an integer of at least ${least}`,
    text,
  );
}

/** @throws LabError (usage) if the text is not a plain decimal number from `least` to `most` */
export function parseNumber(
  name: string,
  text: string,
  least: number,
  most = Number.POSITIVE_INFINITY,
): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  const upTo = Number.isFinite(most) ? ` and at most ${most}` : "";
  const fits = Number.isFinite(value) && value >= least && value <= most; // 400 digits are infinite
  return fits ? value : fail(name, `a number of at least ${least}${upTo}`, text);
}

function parseSeconds(text: string, name: string): number {
  const value = Number(text);
  return text.trim() !== "" && value > 0 && value <= longestSeconds
    ? value
    : fail(name, `a number of seconds above 0, at most ${longestSeconds} (24 days)`, text);
}

/** `--seed` of every command: it determines all randomness. */
export const seedOption = flag.integer("S", "random seed", { default: 0 });

/** `--seed` of commands whose seeds are numbered from 0. */
export const naturalSeedOption = flag.integer("S", seedOption.description, { default: 0, least: 0 });

/** `--set`; `applySettings` of core/settings.ts applies it. */
export const setOption = flag.texts("KEY=VALUE", "change a setting, e.g. task.commands=48; may be repeated");

export const checkpointOption = flag.parsed(
  "STEP",
  "a step, best (highest held-out accuracy), or an average, ema or mean [the newest]",
  (text, name) => {
    if (text === "best" || text === "ema" || text === "mean") return text;
    return /^\d/.test(text) ? parseInteger(name, text, 0) : fail(name, "a step, best, ema or mean", text);
  },
);

export const portOption = <const D extends number | undefined>(usual: D) =>
  flag.parsed<number, D>(
    "N",
    "port; 0 chooses a free one",
    (text, name) => {
      const port = parseInteger(name, text, 0);
      return port <= 65_535 ? port : fail(name, "a port up to 65535", text);
    },
    { default: usual },
  );

/** Commands that run Python programs. */
export const hostOptions = group("Sandbox", {
  python: flag.choice("HOST", "embedded (WebAssembly) or native (CPython, Linux)", hostNames, {
    default: "embedded",
  }),
  timeout: flag.seconds("seconds after which a program is stopped", { default: 10 }),
});

/** Commands that run the code in answers. */
export const sandboxOptions = group("Sandbox", {
  python: flag.choice(
    "HOST",
    "embedded (WebAssembly), native (CPython, Linux) or auto",
    ["auto", ...hostNames],
    { default: "auto" },
  ),
});
