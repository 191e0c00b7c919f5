/** @file Attacks a Python host with the programs of attacks/ and says what held. */

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { type Attack, attacks, type Target } from "./attacks/index.ts";
import { defaultLimits, type Outcome, type PythonHost, type PythonRequest } from "./host.ts";

export interface Finding {
  readonly attack: string;
  readonly held: boolean;
  /** How the program ended. */
  readonly end: string;
  readonly seconds: number;
  /** The reason if the attack was not contained. */
  readonly breach?: string;
}

/** Grace period after the time limit, in addition to the current time for ending an honest program on this machine. */
export const graceSeconds = 0.5;

/** Runs the attacks one after the other, each on the host that the one before has left. */
export async function* attackHost(
  host: PythonHost,
  list: readonly Attack[] = attacks,
): AsyncGenerator<Finding, void> {
  const site = await makeTarget();
  try {
    for (const attack of list) yield await findingOf(host, attack, site);
  } finally {
    site.remove();
  }
}

async function findingOf(host: PythonHost, attack: Attack, site: Site): Promise<Finding> {
  await host.ready();
  const started = performance.now();
  const outcome = await host.run(requestOf(attack, site.target), attack.limits ?? {});
  const seconds = (performance.now() - started) / 1000;
  const end = attackEnd(outcome);
  const breach = site.damage() ?? judge(attack, host, outcome) ?? (await lateness(attack, host, seconds));
  return {
    attack: attack.name,
    held: breach === undefined,
    end,
    seconds,
    ...(breach !== undefined && { breach }),
  };
}

function requestOf({ code, trace }: Attack, target: Target): PythonRequest {
  return trace === undefined
    ? { operation: "execute", code: code(target) }
    : { operation: "trace", source: code(target), call: trace, options: {} };
}

/** "time", "forged", ..., or of a program that is done "passed", "assertion", "raised ZeroDivisionError". */
export function attackEnd(outcome: Outcome): string {
  if (outcome.kind !== "done") return outcome.kind;
  // The answers of execute.py and of trace.py.
  const {
    outcome: end,
    exception,
    proven,
  } = outcome.value as {
    outcome: string;
    exception?: string;
    proven?: boolean;
  };
  if (proven !== undefined) return proven ? "proven" : "not proven";
  return end === "raised" ? `raised ${exception}` : end;
}

function judge(attack: Attack, host: PythonHost, outcome: Outcome): string | undefined {
  const right = "native" in attack.right ? attack.right[host.name] : attack.right;
  const end = attackEnd(outcome);
  if (!right.includes(end)) {
    const words = outcome.kind === "done" ? JSON.stringify(outcome.value) : outcome.words;
    return `expected ${right.join(" or ")}, got ${end} (${words})`;
  }
  return undefined;
}

/** On a busy machine a kill is slow: allow for the measured time of an honest program. */
async function lateness({ limits }: Attack, host: PythonHost, seconds: number): Promise<string | undefined> {
  const most = (limits?.wallSeconds ?? defaultLimits.wallSeconds) + graceSeconds;
  if (seconds <= most) return undefined;
  const started = performance.now();
  await host.run({ operation: "execute", code: "pass" });
  const honest = (performance.now() - started) / 1000;
  return seconds > most + 2 * honest
    ? `expected an end within ${most} s, got one after ${seconds.toFixed(2)} s, where an honest program took ${honest.toFixed(2)} s`
    : undefined;
}

interface Site {
  readonly target: Target;
  /** Damage outside of the sandbox, if any; and whether the texts that came out have the secret. */
  damage(...texts: readonly string[]): string | undefined;
  remove(): void;
}

/** What attacks are aimed at, outside of the sandbox. */
export async function makeTarget(): Promise<Site> {
  const root = mkdtempSync(join(tmpdir(), "statelab-attacked-"));
  const [file, folder, variable] = [join(root, "secret"), join(root, "open"), "STATELAB_SECRET"];
  const secret = "not for programs";
  writeFileSync(file, secret);
  process.env[variable] = secret;
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  chmodSync(root, 0o755);
  let callers = 0;
  const server = createServer((socket) => {
    callers++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    target: { file, folder, port, variable },
    damage(...texts) {
      if (callers > 0) return "the network was reached";
      if (readFileSync(file, "utf8") !== secret) return "a file outside was changed";
      if (readdirSync(folder).length > 0) return `a file was made outside: ${readdirSync(folder).join(", ")}`;
      return texts.some((text) => text.includes(secret)) ? "the secret came out" : undefined;
    },
    remove() {
      server.close();
      delete process.env[variable];
      rmSync(root, { recursive: true, force: true });
    },
  };
}
