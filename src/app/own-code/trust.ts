/**
 * @file The folder of a run is data until its own code is trusted. A run may bring a task or a model of its maker's own; that
 * text runs only where this user has trusted it: by training with the file, or once by `--trust-run` (`trustRun`).
 *
 *     ~/.local/state/statelab/trusted.jsonl      {"sha256": "3f2a…", "path": "/home/me/mine.ts", "date": "2026-11-23T09:…"}
 *
 * What counts is the SHA-256 of the whole text, whatever the run's own records say of it. A path counts only for `--as-edited`:
 * there the user asks for the file as it is now.
 */

import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { LabError } from "../../core/error.ts";
import { sha256 } from "../../storage/index.ts";
import type { OwnSource } from "./bundle.ts";
import type { OwnSources } from "./load.ts";

const Trusted = z.object({ sha256: z.string(), path: z.string() });

/** Code that this user has not trusted. `sources` are the texts, for who decides that they may run after all. */
export class UntrustedCode extends LabError {
  readonly sources: OwnSources;

  constructor(message: string, sources: OwnSources) {
    super(message);
    this.sources = sources;
  }
}

/** Of this process: what could not be written down is still trusted until it ends. */
const here: z.infer<typeof Trusted>[] = [];

/** Where the user's decisions are kept: $XDG_STATE_HOME, by default ~/.local/state. */
function trustFile(): string {
  const { XDG_STATE_HOME: given = "" } = process.env;
  const state = isAbsolute(given) ? given : join(homedir(), ".local", "state");
  return join(state, "statelab", "trusted.jsonl");
}

function trusted(): z.infer<typeof Trusted>[] {
  let text: string;
  try {
    text = readFileSync(trustFile(), "utf8");
  } catch {
    return here; // nothing was trusted yet, or nobody may read it: then it is asked again
  }
  const lines = text.split("\n").flatMap((line) => {
    try {
      return [Trusted.parse(JSON.parse(line))];
    } catch {
      return []; // cut by a crash: trusts nothing
    }
  });
  return [...here, ...lines];
}

/** Remembers these texts as trusted. A folder that cannot be written is no error: it holds for this process then. */
export function trustCode(own: OwnSources): void {
  const known = new Set(trusted().map((each) => each.sha256));
  for (const { path, code } of Object.values(own)) {
    const entry = { sha256: sha256(code), path };
    if (known.has(entry.sha256)) continue;
    here.push(entry);
    try {
      const file = trustFile();
      mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
      appendFileSync(file, `${JSON.stringify({ ...entry, date: new Date().toISOString() })}\n`, {
        mode: 0o600,
      });
    } catch {}
  }
}

/**
 * Errors: UntrustedCode where one of the texts is not trusted; `at` says where each stands. With `byPath` a file that the user has
 * named before is trusted as it is now.
 */
export function requireTrust(own: OwnSources, at: (source: OwnSource) => string, byPath: boolean): void {
  if (Object.keys(own).length === 0) return;
  const entries = trusted();
  const digests = new Set(entries.map((each) => each.sha256));
  const paths = new Set(entries.map(({ path }) => path));
  for (const source of Object.values(own)) {
    const digest = sha256(source.code);
    if (digests.has(digest) || (byPath && paths.has(source.path))) continue;
    throw new UntrustedCode(
      `${at(source)}: expected code that you have trained with or trusted, got other code (SHA-256 ${digest.slice(0, 12)}...). ` +
        "Read it: it would run with all your rights. To run it, pass --trust-run; it is then remembered",
      own,
    );
  }
}
