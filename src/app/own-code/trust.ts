/**
 * @file Trust in the own code of a run. A run folder may contain a task or model of its maker; that code is executed only if this
 * user has trusted it: by training with the file, or once with `--trust-code` (`trustRun`).
 *
 *     ~/.local/state/statelab/trusted.jsonl      {"sha256": "3f2a…", "path": "/home/me/mine.ts", "date": "2026-11-23T09:…"}
 *
 * Trust applies to the SHA-256 of the whole text, whatever the records of the run say. A trusted path counts only for `--use-current-code`,
 * where the user requests the current file.
 */

import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { LabError } from "../../core/error.ts";
import { sha256 } from "../../storage/index.ts";
import type { OwnSource, OwnSources } from "./load.ts";

const Trusted = z.object({ sha256: z.string(), path: z.string() });

/** Code that this user has not trusted. `sources` are the texts, so that a caller can ask the user and trust them. */
export class UntrustedCode extends LabError {
  readonly sources: OwnSources;

  constructor(message: string, sources: OwnSources) {
    super(message);
    this.sources = sources;
  }
}

/** Trust of this process, including entries that could not be written to the file. */
const here: z.infer<typeof Trusted>[] = [];

/** The file of trusted texts, in $XDG_STATE_HOME, by default ~/.local/state. */
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
    return here; // missing or unreadable: the user is asked again
  }
  const lines = text.split("\n").flatMap((line) => {
    try {
      return [Trusted.parse(JSON.parse(line))];
    } catch {
      return []; // a line cut by a crash
    }
  });
  return [...here, ...lines];
}

/** Trusts these texts. If the file cannot be written, the trust lasts until this process ends. */
export function trustCode({ tokenizer: _, ...own }: OwnSources): void {
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
 * Errors: UntrustedCode if a text is not trusted; `at` gives the location of each. With `byPath`, a file that the user has trusted
 * before is trusted in its current version.
 */
export function requireTrust(
  { tokenizer: _, ...own }: OwnSources,
  at: (source: OwnSource) => string,
  byPath: boolean,
): void {
  if (Object.keys(own).length === 0) return;
  const entries = trusted();
  const digests = new Set(entries.map((each) => each.sha256));
  const paths = new Set(entries.map(({ path }) => path));
  for (const source of Object.values(own)) {
    const digest = sha256(source.code);
    if (digests.has(digest) || (byPath && paths.has(source.path))) continue;
    throw new UntrustedCode(
      `${at(source)}: expected code that you have trained with or trusted, got other code (SHA-256 ${digest.slice(0, 12)}...). ` +
        "Read it: it would run with all your rights. To run it, pass --trust-code; it is then remembered",
      own,
    );
  }
}
