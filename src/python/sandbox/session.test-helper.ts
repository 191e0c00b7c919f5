/** @file Hostile cells put to the sessions of a host, one after the other, and what became of each. */

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolCall } from "../../schemas/agents.ts";
import { type HostileCell, hostileCells } from "./attacks/cells.ts";
import type { PythonHost } from "./host.ts";
import type { CellOutcome, PythonSession } from "./session.ts";

export interface CellFinding {
  readonly name: string;
  readonly outcome: CellOutcome;
  readonly seconds: number;
  /** What the next cell of the same session came to; undefined where it was over. */
  readonly next: CellOutcome | undefined;
  /** What was done outside, if anything. */
  readonly damage: string | undefined;
  readonly calls: readonly ToolCall[];
}

const limits = { wallSeconds: 0.25, memoryBytes: 160 * 2 ** 20 };
const secret = "not for programs";

/** The session is reused for the next cell until it ends; then another is opened. */
export async function* attackSessions(
  host: PythonHost,
  list: readonly HostileCell[] = hostileCells,
): AsyncGenerator<CellFinding> {
  const root = mkdtempSync(join(tmpdir(), "statelab-cells-"));
  const target = { file: join(root, "secret"), folder: join(root, "open"), variable: "STATELAB_SECRET_CELL" };
  writeFileSync(target.file, secret);
  process.env[target.variable] = secret;
  mkdirSync(target.folder);
  chmodSync(target.folder, 0o777);
  chmodSync(root, 0o755);
  let callers = 0;
  const server = createServer((socket) => {
    callers++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  let session: PythonSession | undefined;
  try {
    for (const { name, code, later } of list) {
      session = session?.alive ? session : await host.session(limits);
      const calls: ToolCall[] = [];
      const act = (call: ToolCall) => {
        if (calls.length < 1000) calls.push(call);
        return { value: 1 };
      };
      const started = performance.now();
      const outcome = await session.run({ code: code({ ...target, port }), tools: [["look", ["at"]]] }, act);
      const seconds = (performance.now() - started) / 1000;
      if (later) await new Promise((resolve) => setTimeout(resolve, 150)); // leftover threads may send meanwhile
      const next = session.alive ? await session.run({ code: "print(6 * 7)", tools: [] }, act) : undefined;
      if (!session.alive) await session.close();
      const damage =
        callers > 0
          ? "the network was reached"
          : readFileSync(target.file, "utf8") !== secret
            ? "a file outside was changed"
            : readdirSync(target.folder).length > 0
              ? `made outside: ${readdirSync(target.folder)}`
              : JSON.stringify([outcome, next, calls]).includes(secret)
                ? "the secret came out"
                : undefined;
      yield { name, outcome, seconds, next, damage, calls };
    }
  } finally {
    await session?.close();
    server.close();
    delete process.env[target.variable];
    rmSync(root, { recursive: true, force: true });
  }
}

/** What did not hold, a sentence each. */
export async function problemsOf(host: PythonHost, list: readonly HostileCell[]): Promise<string[]> {
  const problems: string[] = [];
  for await (const { name, outcome, seconds, next, damage, calls } of attackSessions(host, list)) {
    if (damage !== undefined) problems.push(`${name}: ${damage}`);
    if (seconds > 5) problems.push(`${name}: ended after ${seconds} s`);
    if (outcome.kind === "sandbox" || next?.kind === "sandbox") problems.push(`${name}: no sandbox`);
    const strange = calls.find((call) => call.name !== "look" && call.name !== "__proto__");
    if (strange !== undefined) problems.push(`${name}: called ${JSON.stringify(strange)}`);
  }
  return problems;
}
