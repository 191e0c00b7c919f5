/** @file Hostile cells put to the sessions of a host, one after the other. */

import type { ToolCall } from "../../schemas/agents.ts";
import type { HostileCell } from "./attacks/index.ts";
import type { PythonHost, PythonSession } from "./host.ts";
import { makeTarget } from "./sandbox-audit.ts";

const limits = { wallSeconds: 0.25, memoryBytes: 160 * 2 ** 20 };

/** What did not hold, a sentence each. A session is reused for the next cell until it ends; then another is opened. */
export async function problemsOf(host: PythonHost, list: readonly HostileCell[]): Promise<string[]> {
  const problems: string[] = [];
  const site = await makeTarget();
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
      const outcome = await session.run({ code: code(site.target), tools: [["look", ["at"]]] }, act);
      const seconds = (performance.now() - started) / 1000;
      if (later) await new Promise((resolve) => setTimeout(resolve, 150)); // leftover threads may send meanwhile
      const next = session.alive ? await session.run({ code: "print(6 * 7)", tools: [] }, act) : undefined;
      if (!session.alive) await session.close();
      const damage = site.damage(JSON.stringify([outcome, next, calls]));
      if (damage !== undefined) problems.push(`${name}: ${damage}`);
      if (seconds > 5) problems.push(`${name}: ended after ${seconds} s`);
      if (outcome.kind === "sandbox" || next?.kind === "sandbox") problems.push(`${name}: no sandbox`);
      const strange = calls.find((call) => call.name !== "look" && call.name !== "__proto__");
      if (strange !== undefined) problems.push(`${name}: called ${JSON.stringify(strange)}`);
    }
  } finally {
    await session?.close();
    site.remove();
  }
  return problems;
}
