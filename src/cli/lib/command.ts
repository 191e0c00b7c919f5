/**
 * @file The interface of a command: a plain object with its flags and help, and one function that runs it.
 *
 *     export const command = defineCommand({
 *       name: "generate",
 *       summary: "print examples of a task",
 *       usage: "generate TASK [--count N] [--seed S]",
 *       positionals: { least: 1, most: 1 },
 *       options: {
 *         count: flag.integer("N", "number of examples", { default: 1, least: 0 }),
 *         seed: seedOption,
 *       },
 *       examples: ["generate repl --count 3 --seed 7"],
 *       async run({ positionals: [task], values, json, print, say, signal }) { ... },
 *     });
 *
 * `--help`, `--help-all` and `--json` belong to every command and are not listed in `options`. `--help` shows at most 15 options;
 * the others are `rare` and shown by `--help-all`. Results go to stdout by `print`, words about the work to stderr by `say`. This file is on the path of `--help`: it imports nothing heavy.
 */

import { parseArgs } from "node:util";
import { editDistance, nearest, suggest } from "../../core/did-you-mean.ts";
import { fail } from "../../core/error.ts";
import { type Flag, type Flags, flag, group, rare, type Values } from "./flags.ts";
import { renamedCalls, renamedFlags } from "./renamed.ts";

export interface Invocation<F extends Flags = Flags> {
  readonly positionals: readonly string[];
  readonly values: Values<F>;
  /** stdout must be one JSON document. */
  readonly json: boolean;
  /**
   * Aborted by the first Ctrl-C or SIGTERM: save, say how to resume, return. The exit code is then 130 or 143,
   * whatever was returned. A second one ends the process at once.
   */
  readonly signal: AbortSignal;
  /** One line (or a document) to stdout. */
  readonly print: (text: string) => void;
  /** One line to stderr. */
  readonly say: (text: string) => void;
}

/** One of several things that a command does: `data get`. */
export interface Action<Flag extends string = string> {
  readonly summary: string;
  /** The call without the leading `statelab`. */
  readonly usage: string;
  /** The subset of the command's flags that it accepts. */
  readonly flags: readonly Flag[];
  readonly examples: readonly string[];
  readonly notes?: string;
}

export interface Command<F extends Flags = Flags> {
  readonly name: string;
  /** At most 60 characters for the list of commands, without a full stop. */
  readonly summary: string;
  /** The call without the leading `statelab`. */
  readonly usage: string;
  readonly options: F;
  /** How many arguments that are not flags; default none. */
  readonly positionals?: { readonly least: number; readonly most: number };
  /** Chosen by the first argument: ANY by every other word, the first action by no argument if none is required. */
  readonly actions?: Readonly<Record<string, Action<Extract<keyof F, string>>>>;
  /** It opens run folders, which may contain code; adds `--trust-code`. */
  readonly opensRuns?: true;
  /** It locks folders; adds `--force-unlock` for stale locks of other machines. */
  readonly locks?: true;
  /** One to three calls without the leading `statelab`. */
  readonly examples: readonly string[];
  /** Words below the options: what is written, exit codes, and `More: ` with a page. */
  readonly notes?: string;
  /** The exit code, 0 when nothing is returned (docs/reference/commands.md). A 0 that is returned says: done, whatever signal came. */
  // A method, so that a command with its own options is assignable to Command<Flags>.
  // biome-ignore lint/suspicious/noConfusingVoidType: a command that only prints has nothing to return
  run(invocation: Invocation<F>): Promise<number | void>;
}

/** What `--help` and the error messages need of a command. */
type Described = Omit<Command, "run" | "actions"> & { readonly actions?: Readonly<Record<string, Action>> };

export function defineCommand<const F extends Flags>(command: Command<F>): Command<F> {
  return command;
}

const everywhere = group("Common", {
  help: { ...flag.toggle("show this text"), short: "h" },
  json: flag.toggle("print one JSON document"),
  ...rare({ "help-all": flag.toggle("show every option") }),
});

/** Commands that open runs. */
const trust = group("Common", {
  "trust-code": flag.toggle("trust the task and model files stored in this run"),
});

/** Commands that take locks. */
const forceUnlock = rare(
  group("Common", {
    "force-unlock": flag.toggle("break a stale lock left by another machine"),
  }),
);

const optionsOf = ({
  options,
  opensRuns,
  locks,
}: Pick<Command, "options" | "opensRuns" | "locks">): Flags => ({
  ...options,
  ...(opensRuns && trust),
  ...(locks && forceUnlock),
  ...everywhere,
});

interface Parsed<F extends Flags> {
  readonly positionals: readonly string[];
  readonly values: Values<F>;
  readonly json: boolean;
  readonly help: boolean;
  readonly helpAll: boolean;
  readonly trustCode: boolean;
  readonly forceUnlock: boolean;
}

const longestGroup = 200;

/** Reads the arguments after the command's name. Throws a LabError of kind "usage" in one sentence. */
export function parseCommandLine<F extends Flags>(command: Command<F>, args: readonly string[]): Parsed<F> {
  const options = optionsOf(command);
  const at = command.name;
  const group = args.find((arg) => /^-[^-]/.test(arg) && arg.length > longestGroup);
  if (group !== undefined) fail(at, "a known flag", group); // Node looks at each of its letters for a long time
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(Object.entries(options).map(([name, option]) => [name, forNode(option)])),
    strict: false, // its messages name no alternatives; the checks are below
    allowPositionals: true,
    tokens: true,
  });
  const positionals: string[] = [];
  /** The texts of each flag that is given. */
  const given = new Map<string, string[]>();
  /** By their index, the arguments that are further values of a flag. */
  const expected = new Map<number, string>();
  for (const token of tokens) {
    const more = expected.get(token.index);
    if (token.kind === "positional" && more !== undefined) given.get(more)!.push(token.value);
    else if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined) {
      const known = Object.keys(options).map((name) => `--${name}`);
      const call = `${at} --${token.name}`;
      if (Object.hasOwn(renamedCalls, call))
        fail(at, "a known flag", token.rawName, `Did you mean statelab ${renamedCalls[call]}?`);
      const renamed = (Object.hasOwn(renamedFlags, token.name) ? renamedFlags[token.name] : []).find((name) =>
        Object.hasOwn(options, name),
      );
      if (renamed !== undefined) fail(at, "a known flag", token.rawName, `Did you mean --${renamed}?`);
      const key = options.set?.keyNamed?.(token.name);
      const close = nearest(`--${token.name}`, known);
      const steps = key?.split(".") ?? [];
      const edits = Math.min(...steps.map((step) => editDistance(token.name, step)));
      if (key !== undefined && (close === undefined || edits < editDistance(`--${token.name}`, close))) {
        const text = token.value ?? args[token.index + 1] ?? "VALUE";
        fail(at, "a known flag", token.rawName, `Did you mean --set ${key}=${text}?`);
      }
      fail(at, "a known flag", token.rawName, suggest(`--${token.name}`, known));
    }
    if (option.type === "string" && !option.multiple && given.has(token.name))
      fail(at, `${token.rawName} once`, token.value ?? "nothing", "Give it once");
    given.set(token.name, [...(given.get(token.name) ?? []), textIn(at, option, token)]);
    const next = token.index + (token.inlineValue === true ? 1 : 2);
    for (let i = 1; i < (option.count ?? 1); i++) expected.set(next + i - 1, token.name);
  }
  const helpAll = given.has("help-all");
  const help = helpAll || given.has("help");
  if (!help) {
    checkCount(command, at, positionals);
    checkAction(command, positionals[0], [...given.keys()]);
  }
  const read = ([name, option]: [string, Flag]) => [name, option.read(given.get(name) ?? [], `--${name}`)];
  return {
    positionals,
    values: Object.fromEntries(help ? [] : Object.entries(options).map(read)) as Values<F>, // of the same options
    json: given.has("json"),
    help,
    helpAll,
    trustCode: given.has("trust-code"),
    forceUnlock: given.has("force-unlock"),
  };
}

/** The action that a call's first argument names, with the name of it; undefined where there is none. */
function actionOf({ actions = {}, positionals }: Described, first: string | undefined) {
  const [usual] = Object.keys(actions);
  const named = first ?? (positionals?.least === 0 ? usual : undefined);
  const key = named !== undefined && Object.hasOwn(actions, named) && named !== ANY ? named : ANY;
  const action: Action | undefined = first === undefined && key === ANY ? undefined : actions[key];
  return action && { name: key, action };
}

/** Every word that is no other action's name: a file, say. */
export const ANY = "ANY";

/** `data get`, or by its usage `belief FILE`. */
const callOf = ({ name }: Described, action: string, { usage }: Action) =>
  action === ANY ? usage.split(" ", 2).join(" ") : `${name} ${action}`;

function checkAction(command: Described, first: string | undefined, given: readonly string[]): void {
  const found = actionOf(command, first);
  if (found === undefined) return;
  const { name, action } = found;
  const call = callOf(command, name, action);
  const known = [...action.flags, ...Object.keys(optionsOf({ ...command, options: {} }))];
  const foreign = given.find((flag) => !known.includes(flag));
  if (foreign === undefined) return;
  const owners = Object.entries(command.actions ?? {}).filter(([, { flags }]) => flags.includes(foreign));
  const hint =
    owners.length === 0
      ? undefined
      : `It is a flag of ${owners.map(([owner, each]) => callOf(command, owner, each)).join(" and ")}`;
  fail(call, `a flag of ${call} (${known.map((flag) => `--${flag}`).join(", ")})`, `--${foreign}`, hint);
}

type OptionToken = {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
};

/** The text after a flag. @throws LabError (usage) for a missing or superfluous value */
function textIn(at: string, option: Flag, { rawName, value, inlineValue }: OptionToken): string {
  if (option.type === "boolean") {
    if (value !== undefined) fail(at, `${rawName} without a value`, `${rawName}=${value}`);
    return "";
  }
  // A flag in the place of a value is a forgotten value; -1 is a number.
  if (value !== undefined && (inlineValue === true || !/^-(?!\d|$)/.test(value))) return value;
  return fail(
    at,
    `a value after ${rawName}`,
    value ?? "nothing",
    `Write ${rawName} ${option.value ?? "VALUE"}`,
  );
}

function checkCount(command: Described, at: string, positionals: readonly string[]): void {
  const { least, most } = command.positionals ?? { least: 0, most: 0 };
  if (positionals.length >= least && positionals.length <= most) return;
  const expected =
    most === 0
      ? "flags only"
      : least === most
        ? `${most} argument${most === 1 ? "" : "s"}`
        : most === Number.POSITIVE_INFINITY
          ? `at least ${least} argument${least === 1 ? "" : "s"}`
          : `${least} to ${most} arguments`;
  const got = positionals.length === 0 ? "none" : positionals.join(" ");
  fail(at, expected, got, `Usage: statelab ${command.usage}`);
}

function forNode({ type, short, multiple }: Flag) {
  return { type, ...(short !== undefined && { short }), ...(multiple === true && { multiple }) };
}

/** The text of `statelab COMMAND --help`, or with its first argument of `statelab COMMAND ACTION --help`. `all` shows rare options, too. */
export function helpText(command: Described, first?: string, all = false): string {
  const { actions, examples } = command;
  if (actions === undefined) return textOf(command.name, command, optionsOf(command), all);
  const found = first === undefined ? undefined : actionOf(command, first);
  if (found !== undefined) {
    const { action } = found;
    const own = Object.entries(command.options).filter(([name]) => action.flags.includes(name));
    const options = optionsOf({ ...command, options: Object.fromEntries(own) });
    return textOf(callOf(command, found.name, action), action, options, all);
  }
  const list = Object.values(actions).map(({ usage, summary }): [string, string] => [usage, summary]);
  return [
    wrapped(`statelab ${command.name}: ${command.summary}`),
    wrapped(`\nUsage: statelab ${command.usage}`, -1, 9),
    examplesText(examples),
    `\nActions\n${list.map(([usage, summary]) => `  ${wrapped(usage, 2, 4)}\n      ${wrapped(summary, 6, 6)}`).join("\n")}`,
    `\nOptions: statelab ${command.name} ${Object.keys(actions)[0]} --help`,
    ...(command.notes === undefined ? [] : [`\n${filled(command.notes)}`]),
  ].join("\n");
}

function textOf(
  name: string,
  { summary, usage, notes, examples }: Pick<Action, "summary" | "usage" | "notes" | "examples">,
  options: Flags,
  all: boolean,
): string {
  const visible = Object.entries(options).filter(([, option]) => all || option.rare !== true);
  const rows = visible.map(([name, option]) => {
    const short = option.short === undefined ? "" : `-${option.short}, `;
    const value = option.type === "string" ? ` ${option.value ?? "VALUE"}` : "";
    const byDefault = option.default === undefined ? "" : ` [${option.default}]`;
    const row: [string, string] = [`${short}--${name}${value}`, `${option.description}${byDefault}`];
    return { title: option.group ?? "Options", row };
  });
  const titles = [...new Set(rows.map(({ title }) => title))];
  return [
    wrapped(`statelab ${name}: ${summary}`),
    wrapped(`\nUsage: statelab ${usage}`, -1, 9),
    ...(examples.length === 0 ? [] : [examplesText(examples)]),
    ...titles.map((title) => {
      const own = rows.filter((each) => each.title === title).map(({ row }) => row);
      return `\n${title}\n${twoColumns(own)}`;
    }),
    ...(all ? [] : hiddenText(name, options)),
    ...(notes === undefined ? [] : [`\n${filled(notes)}`]),
  ].join("\n");
}

/** `Cluster options: statelab sweep --help-all`, by the titles of the rare options. */
function hiddenText(name: string, options: Flags): string[] {
  const hidden = Object.entries(options).flatMap(([flag, option]) =>
    option.rare === true && flag !== "help-all" ? [option] : [],
  );
  if (hidden.length === 0) return [];
  const titles = [...new Set(hidden.map(({ group }) => group ?? "Options"))].filter(
    (title) => title !== "Common",
  );
  const words = titles.length === 1 && titles[0] !== "Options" ? `${titles[0]} options` : "All options";
  return [`\n${words}: statelab ${name} --help-all`];
}

const examplesText = (examples: readonly string[]) =>
  `\nExamples\n${examples.map((example) => `  ${exampleText(`statelab ${example}`)}`).join("\n")}`;

/** A call that is wider than the help is continued in the next line, before a flag. */
function exampleText(call: string): string {
  const lines = [""];
  for (const part of call.split(/ (?=--[a-z])/)) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = part;
    else if (line.length + part.length + 8 <= helpWidth) lines[lines.length - 1] = `${line} ${part}`;
    else lines.push(part);
  }
  return lines.join(" \\\n      ");
}

/** Lines of `left   right`, indented, the right column aligned and at most 80 columns of the terminal wide. */
export function twoColumns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows
    .map(([left, right]) => `  ${left.padEnd(width)}  ${wrapped(right, width + 4, width + 4)}`)
    .join("\n");
}

const helpWidth = 80;

/** Words in lines of at most 80 columns; the first begins at column `at`, the others are indented. A longer word is not cut. */
export function wrapped(text: string, at = 0, indent = 0): string {
  let column = at;
  return text
    .split(" ")
    .map((word, i) => {
      const breaks = i > 0 && column + 1 + word.length > helpWidth;
      column = breaks ? indent + word.length : column + word.length + (i > 0 ? 1 : 0);
      return i === 0 ? word : `${breaks ? `\n${" ".repeat(indent)}` : " "}${word}`;
    })
    .join("");
}

/** Refills the lines of a note to the width; a line that ends a sentence ends a paragraph. */
const filled = (notes: string) =>
  notes
    .replaceAll(/(?<![.:])\n(?=\S)/g, " ")
    .split("\n")
    .map((line) => wrapped(line))
    .join("\n");

/** Output streams, which a test replaces. */
export interface Streams {
  readonly print: (text: string) => void;
  readonly say: (text: string) => void;
}
