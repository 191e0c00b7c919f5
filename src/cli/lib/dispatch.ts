/**
 * @file From arguments to an exit code: finds the command, runs it, reports mistakes, handles Ctrl-C and closed pipes.
 *
 * Exit codes: 0 done; 1 to 7 by the kind of a LabError (core/error.ts); 130 and 143 interrupted by Ctrl-C and
 * SIGTERM; 70 a fault of the program itself (EX_SOFTWARE of sysexits.h), printed with its stack.
 */

import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { exitCodes, LabError } from "../../core/error.ts";
import { describeWriteError } from "../../storage/folder.ts";
import type { Command, Streams } from "./command.ts";
import { printing } from "./terminal.ts";

export type { Streams };

interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}
/** Commands that share their first word: `llm eval`, `llm score`. `statelab --help` lists the family in one line. */
interface CommandFamily {
  readonly summary: string;
  readonly family: Readonly<Record<string, CommandEntry>>;
}
/** Groups of commands and families by their titles. */
export type CommandTable = Readonly<Record<string, Readonly<Record<string, CommandEntry | CommandFamily>>>>;

const interruptCodes = { SIGINT: 130, SIGTERM: 143 } as const;
const faultCode = 70;
/** Node's exit code for an unsettled top-level await. */
const unsettledCode = 13;

/** The whole program: runs the command that the arguments name and sets the exit code of this process. */
export async function runProgram(commands: CommandTable, args: readonly string[]): Promise<void> {
  ignoreClosedPipes();
  setMaxListeners(0); // each concurrent request adds an abort listener; Node warns above ten
  const controller = new AbortController();
  let interrupted: number | undefined;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      // process.exit runs the exit handlers: locks are released, worker processes killed.
      if (interrupted !== undefined) process.exit(interruptCodes[name]);
      interrupted = interruptCodes[name];
      void import("./progress.ts").then(({ sayAbove }) => {
        sayAbove(process.stderr, "\nstatelab: stopping; press Ctrl-C again to stop at once");
        controller.abort();
      });
    });
  }
  const streams: Streams = {
    print: (text) => process.stdout.write(`${text}\n`),
    say: (text) => process.stderr.write(`${text}\n`),
  };
  // Node silently ends a process whose pending promises can never settle.
  process.once("exit", () => {
    if (process.exitCode !== unsettledCode) return;
    streams.say("statelab: internal error: the program waits forever; please report it");
    process.exitCode = faultCode;
  });
  const code = await attempt(commands, args, streams, controller.signal);
  // A command that returns 0 had finished before the signal.
  process.exitCode = code === exitCodes.ok ? code : (interrupted ?? code ?? exitCodes.ok);
}

/** Runs one command line and returns its exit code. Throws nothing: mistakes and faults go to `say`. */
export async function runCommandLine(...given: Parameters<typeof attempt>): Promise<number> {
  return (await attempt(...given)) ?? exitCodes.ok;
}

/** @returns undefined if the command returned no exit code */
async function attempt(
  commands: CommandTable,
  args: readonly string[],
  raw: Streams,
  signal: AbortSignal,
): Promise<number | undefined> {
  const streams = printing(raw);
  try {
    return await dispatch(commands, args, streams, signal);
  } catch (error) {
    if (error instanceof LabError) {
      streams.say(`statelab: ${error.message}`);
      return exitCodes[error.kind];
    }
    // An abort is not a fault; runProgram knows the signal.
    if (signal.aborted && (error === signal.reason || (error as Error)?.name === "AbortError")) {
      return exitCodes.finishedWithFailures;
    }
    const place = unusablePlace(error);
    if (place !== undefined) {
      streams.say(`statelab: ${place.message}`);
      return exitCodes[place.kind];
    }
    streams.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    streams.say("statelab: internal error; please report it with the lines above");
    return faultCode;
  }
}

/** A file or folder that the system refuses (no permission, no space, a file where a folder should be), in one sentence. */
function unusablePlace(error: unknown): LabError | undefined {
  const { code = "", path, message } = error as NodeJS.ErrnoException; // fs errors carry these
  const refused = ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "EIO", "EFBIG", "ESTALE"].includes(code);
  if (path === undefined || !(refused || ["ENOTDIR", "EISDIR", "ENAMETOOLONG"].includes(code))) {
    return undefined;
  }
  const sentence = `${path}: expected a place that can be read and written, got "${message.split(",")[0]}"`;
  return new LabError(sentence, refused ? "unwritable" : "usage");
}

async function dispatch(
  commands: CommandTable,
  args: readonly string[],
  streams: Streams,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { asksHelp, names } =
    args[0] === "help" ? { asksHelp: true, names: args.slice(1) } : { asksHelp: false, names: args };
  const [first] = names;
  if (first === undefined || isHelp(first)) {
    streams.print(overview(commands));
    return args.length === 0 ? exitCodes.usage : exitCodes.ok;
  }
  if (first === "--version" || first === "-V" || first === "-v") {
    const { labVersion } = await import("../../storage/version.ts");
    streams.print(labVersion());
    return exitCodes.ok;
  }
  const all = allCommands(commands);
  const name = [names.slice(0, 2).join(" "), first].find((each) => Object.hasOwn(all, each));
  if (name === undefined) {
    const family = familyOf(commands, first);
    if (family === undefined || (names.length > 1 && !isHelp(names[1])) || (names.length === 1 && !asksHelp))
      return unknownCommand(commands, names, family);
    streams.print(familyText(first, family));
    return exitCodes.ok;
  }
  const built = builtHelp(asksHelp ? [...names, "--help"] : names);
  if (built !== undefined) {
    streams.print(built);
    return exitCodes.ok;
  }
  const [{ command }, { helpText, parseCommandLine }] = await Promise.all([
    all[name].load(),
    import("./command.ts"),
  ]);
  const rest = names.slice(name.split(" ").length);
  if (asksHelp) {
    streams.print(helpText(command, rest[0]));
    return exitCodes.ok;
  }
  const { help, helpAll, trustCode: trusted, forceUnlock, ...parsed } = parseCommandLine(command, rest);
  if (help) {
    streams.print(helpText(command, parsed.positionals[0], helpAll));
    return exitCodes.ok;
  }
  if (forceUnlock) {
    // An environment variable, so that child processes inherit it.
    const { others, forceUnlockVariable } = await import("../../storage/lease.ts");
    process.env[forceUnlockVariable] = others;
  }
  const mayAsk = trusted ? "trusted" : parsed.json ? "refused" : "asked";
  return (await trusting(() => command.run({ ...parsed, ...streams, signal }), mayAsk, streams)) ?? undefined;
}

/** Runs a command. If a run brings untrusted code, asks the user and runs the command again. */
async function trusting<Result>(
  work: () => Promise<Result>,
  decision: "trusted" | "refused" | "asked",
  { say }: Streams,
): Promise<Result> {
  for (;;) {
    try {
      return await work(); // folders are opened before anything else is done
    } catch (error) {
      if (!(error instanceof LabError) || decision === "refused") throw error;
      const { trustCode, UntrustedCode } = await import("../../app/own-code/trust.ts");
      if (!(error instanceof UntrustedCode)) throw error;
      if (decision === "asked" && !(await confirmed(error.message, say))) throw error;
      trustCode(error.sources);
    }
  }
}

/** Asks on a terminal; without one the answer is no. */
async function confirmed(what: string, say: Streams["say"]): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  say(`statelab: ${what}`);
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question("Trust this code? [y/N] ")).trim());
  } finally {
    terminal.close();
  }
}

/** The text that the build wrote (help-texts.ts), so that no command is loaded to print it. */
function builtHelp(words: readonly string[]): string | undefined {
  if (!isHelp(words.at(-1) ?? "")) return undefined;
  const call = words.map((word) => (word === "-h" ? "--help" : word)).join(" ");
  try {
    const texts: Record<string, string> = JSON.parse(
      readFileSync(new URL("../help.json", import.meta.url), "utf8"),
    );
    return Object.hasOwn(texts, call) ? texts[call] : undefined;
  } catch {
    return undefined; // not built
  }
}

const isHelp = (word: string) => word === "--help" || word === "-h" || word === "--help-all";

function familyOf(commands: CommandTable, first: string): CommandFamily | undefined {
  const entry = Object.values(commands).find((entries) => Object.hasOwn(entries, first))?.[first];
  return entry !== undefined && "family" in entry ? entry : undefined;
}

/** @throws LabError (usage) that suggests a command */
async function unknownCommand(
  commands: CommandTable,
  [first, second]: readonly string[],
  family: CommandFamily | undefined,
): Promise<never> {
  const [{ parseChoice, suggest }, { renamedCommands }] = await Promise.all([
    import("../../core/did-you-mean.ts"),
    import("./renamed.ts"),
  ]);
  if (family !== undefined) parseChoice(first, second ?? "nothing", Object.keys(family.family));
  const renamed = Object.hasOwn(renamedCommands, first) ? renamedCommands[first] : undefined;
  const hint =
    renamed === undefined
      ? suggest(first, Object.keys(allCommands(commands)), "See statelab --help")
      : `Did you mean ${renamed}?`;
  throw new LabError(`expected a command, got "${first}". ${hint}`);
}

/** Every command by its name, which is two words in a family: `llm eval`. */
export const allCommands = (commands: CommandTable): Readonly<Record<string, CommandEntry>> =>
  Object.fromEntries(
    Object.values(commands)
      .flatMap((entries) => Object.entries(entries))
      .flatMap(([name, entry]): [string, CommandEntry][] =>
        "family" in entry
          ? Object.entries(entry.family).map(([second, command]) => [`${name} ${second}`, command])
          : [[name, entry]],
      ),
  );

type Summaries = Readonly<Record<string, { readonly summary: string }>>;

const rowsOf = (entries: Summaries, width: number) =>
  Object.entries(entries).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);

function list(commands: CommandTable): string {
  const names = Object.values(commands).flatMap((entries) => Object.keys(entries));
  const width = Math.max(...names.map((name) => name.length));
  return Object.entries(commands)
    .map(([title, entries]) => [title, ...rowsOf(entries, width)].join("\n"))
    .join("\n\n");
}

function familyText(name: string, { summary, family }: CommandFamily): string {
  const width = Math.max(...Object.keys(family).map((second) => second.length));
  return `statelab ${name}: ${summary}

Usage: statelab ${name} COMMAND [ARGUMENTS]

Commands
${rowsOf(family, width).join("\n")}

Options: statelab ${name} ${Object.keys(family)[0]} --help`;
}

const overview = (
  commands: CommandTable,
) => `Statelab: train and test models that track the state of a program.

Usage: statelab COMMAND [ARGUMENTS]

${list(commands)}

Options
  -h, --help  show help; statelab COMMAND --help for one command
  --json      print one JSON document (every command)
  --version   print the version

Guide: docs/index.md     Tasks, models and settings: statelab list`;

/** `statelab generate ... | head` closes the pipe early, which is not an error; a full disk is reported. */
function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(exitCodes.ok);
      const refused = describeWriteError(stream === process.stdout ? "stdout" : "stderr", error);
      if (!(refused instanceof LabError)) throw error;
      if (stream === process.stdout) process.stderr.write(`statelab: ${refused.message}\n`);
      process.exit(exitCodes[refused.kind]);
    });
  }
}
