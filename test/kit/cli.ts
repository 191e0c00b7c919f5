/** @file The program `statelab` as tests call it: the build in a new process, or the sources in this process. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { commands } from "../../src/cli/commands.ts";
import { runCommandLine, type Streams } from "../../src/cli/lib/dispatch.ts";
import { until } from "./until.ts";

/** `npm test` builds it first. The sources by tsx would be compiled at each start. */
export const main = fileURLToPath(new URL("../../dist/src/cli/main.js", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
}

export interface Place {
  readonly folder: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly gid?: number;
}

/** Splits a command line at spaces outside of quotes. */
export const words = (line: string): string[] =>
  [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"),
  );

/** Starts `statelab ARGS` in a folder. The first argument may be several words; each of the others is one. */
export function startStatelab(place: string | Place, ...args: readonly string[]): Running {
  if (!existsSync(main)) throw new Error(`${main} does not exist: run npm run build first`);
  const [first = "", ...rest] = args;
  const { folder, env, ...user }: Place = typeof place === "string" ? { folder: place } : place;
  const child = spawn(process.execPath, [main, ...words(first), ...rest], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", ...env },
    ...user,
  });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, ...texts })));
  return { process: child, ended };
}

/** Runs `statelab ARGS` in a folder to its end. */
export function statelab(place: string | Place, ...args: readonly string[]): Promise<Ended> {
  return startStatelab(place, ...args).ended;
}

/** Runs it to its end and throws unless it succeeds. */
export async function succeed(place: string | Place, ...args: readonly string[]): Promise<Ended> {
  const ended = await statelab(place, ...args);
  if (ended.code === 0) return ended;
  throw new Error(`statelab ${args.join(" ")}: ${ended.code}\n${ended.stdout}\n${ended.stderr}`);
}

/** The lines that a command printed; the last one has no line end. */
export class Texts implements Streams {
  readonly out: string[] = [];
  readonly err: string[] = [];
  print = (text: string) => void this.out.push(text);
  say = (text: string) => void this.err.push(text);
}

/** `statelab ARGS` from the sources in this process: milliseconds where a start takes half a second. Its first argument may be several words. */
export async function callStatelab(
  [first = "", ...rest]: readonly string[],
  { signal = new AbortController().signal, texts = new Texts() } = {},
): Promise<Ended> {
  const code = await runCommandLine(commands, [...words(first), ...rest], texts, signal);
  return { code, stdout: texts.out.join("\n"), stderr: texts.err.join("\n") };
}

/** The same from the build: files of one's own get the lab that runs them from Node itself, as where it is installed. */
export async function callBuilt([first = "", ...rest]: readonly string[]): Promise<Ended> {
  const texts = new Texts();
  const load = createRequire(main);
  const code: number = await load("./lib/dispatch.js").runCommandLine(
    ...[load("./commands.js").commands, [...words(first), ...rest], texts, new AbortController().signal],
  );
  return { code, stdout: texts.out.join("\n"), stderr: texts.err.join("\n") };
}

/** Resolves when a growing file has more than `lines` whole lines. */
export async function untilLonger(file: string, lines: number): Promise<void> {
  await until(() => linesIn(file) > lines, `more than ${lines} lines of ${file}`, {
    seconds: 30,
    saw: () => linesIn(file),
  });
}

/** The number of whole lines of a file; 0 where there is none. */
export const linesIn = (file: string): number =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
