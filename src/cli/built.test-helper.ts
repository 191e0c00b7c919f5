/** @file The built program as a user calls it, for end-to-end tests: `npm test` builds it first. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { until } from "../../test/kit/until.ts";

/** Not the source by tsx: each start would compile it anew. */
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

/** Starts `statelab ARGS` in a folder. */
export function startStatelab(folder: string, ...args: string[]): Running {
  if (!existsSync(main)) throw new Error(`${main} does not exist: run npm run build first`);
  const child = spawn(process.execPath, [main, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, ...texts })));
  return { process: child, ended };
}

/** Runs `statelab ARGS` in a folder to its end. */
export function statelab(folder: string, ...args: string[]): Promise<Ended> {
  return startStatelab(folder, ...args).ended;
}

/** Resolves when a growing file has more than `lines` whole lines. */
export async function untilLonger(file: string, lines: number): Promise<void> {
  const length = () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0);
  await until(() => length() > lines, `more than ${lines} lines of ${file}`, { seconds: 30, saw: length });
}
