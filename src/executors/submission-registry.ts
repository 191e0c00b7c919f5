/**
 * @file Where this user has submitted something, so that `statelab jobs` finds it from any folder.
 *
 *     ~/.local/state/statelab/submissions.jsonl      {"home":"/shared/runs/beta"}
 */

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { submissionFiles } from "./manifest.ts";

/** A file of this user's own: below $XDG_STATE_HOME, by default ~/.local/state. */
export function stateFile(name: string): string {
  const { XDG_STATE_HOME: given = "" } = process.env;
  const state = isAbsolute(given) ? given : join(homedir(), ".local", "state");
  return join(state, "statelab", name);
}

const file = () => stateFile("submissions.jsonl");

/** A list that cannot be written is no error: `jobs DIR` finds it all the same. */
export function remember(home: string): void {
  if (remembered().includes(home)) return;
  try {
    mkdirSync(dirname(file()), { recursive: true, mode: 0o700 });
    appendFileSync(file(), `${JSON.stringify({ home })}\n`, { mode: 0o600 });
  } catch {}
}

/** Folders with submissions that are still there. */
export function remembered(): string[] {
  let text: string;
  try {
    text = readFileSync(file(), "utf8");
  } catch {
    return [];
  }
  const homes = text.split("\n").flatMap((line): string[] => {
    try {
      const { home } = JSON.parse(line) as { home?: unknown }; // looked at in the next line
      return typeof home === "string" ? [home] : [];
    } catch {
      return []; // cut by a crash
    }
  });
  return [...new Set(homes)].filter((home) => existsSync(join(home, submissionFiles.all)));
}
