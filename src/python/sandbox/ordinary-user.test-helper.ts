/** @file Runs `statelab doctor` as a user without any rights, from tests that root runs. */

import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nobody, readableByAll } from "./bubblewrap.ts";
import type { HostName } from "./host.ts";
import type { Finding } from "./sandbox-audit.ts";

const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));

/** Why this cannot be tried here; undefined where it can. */
export function whyNotAsOrdinaryUser(): string | undefined {
  if (process.getuid?.() !== 0) return "the other tests are run by an ordinary user already";
  if (![main, process.execPath].every(readableByAll)) return "an ordinary user cannot read these files";
  return undefined;
}

/** Findings of `doctor` for one host as an unprivileged user with an empty home. */
export async function doctorAsOrdinaryUser(
  host: HostName,
): Promise<{ code: number | null; findings: Finding[] }> {
  const home = mkdtempSync(join(tmpdir(), "statelab-nobody-"));
  chmodSync(home, 0o777);
  try {
    const args = ["--import", "tsx", main, "doctor", "--host", host, "--json"];
    const child = spawn(process.execPath, args, {
      uid: nobody,
      gid: nobody,
      env: { PATH: process.env.PATH, HOME: home },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    return { code, findings: JSON.parse(text).python[0].attacks };
  } finally {
    rmSync(home, { recursive: true });
  }
}
