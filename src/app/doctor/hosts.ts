/** @file Checks the Python hosts of this machine: whether each opens and contains its attacks. */

import type { HostName } from "../../python/sandbox/host.ts";
import type { Finding } from "../../python/sandbox/sandbox-audit.ts";

export interface HostReport {
  readonly host: HostName;
  /** What a program is contained in. */
  readonly containment: string;
  /** Why there is no such host here. */
  readonly missing: string | null;
  /** Each attack in its turn; empty where they were not asked for. */
  readonly attacks: readonly Finding[];
}

interface ExamineHostOptions {
  /** Whether it is only opened, and not attacked. */
  readonly quick?: boolean;
  readonly signal?: AbortSignal;
  readonly onFinding?: (finding: Finding, done: number, all: number) => void;
}

export async function examineHost(name: HostName, options: ExamineHostOptions = {}): Promise<HostReport> {
  const { quick = false, signal, onFinding } = options;
  const [{ openHost }, { attackHost }, { attacks }] = await Promise.all([
    import("../../python/sandbox/open.ts"),
    import("../../python/sandbox/sandbox-audit.ts"),
    import("../../python/sandbox/attacks/index.ts"),
  ]);
  const host = await openHost(name);
  try {
    const { containment } = host;
    const first = await host.run({ operation: "execute", code: "" }, {}, signal);
    const missing = first.kind === "done" ? null : first.words;
    const findings: Finding[] = [];
    if (missing !== null || quick) return { host: name, containment, missing, attacks: findings };
    for await (const finding of attackHost(host, attacks)) {
      findings.push(finding);
      onFinding?.(finding, findings.length, attacks.length);
      signal?.throwIfAborted();
    }
    return { host: name, containment, missing, attacks: findings };
  } finally {
    await host.close();
  }
}

/** Whether every attack on every host was held. */
export function allPassed(reports: readonly HostReport[]): boolean {
  return reports.every(({ attacks }) => attacks.every(({ held }) => held));
}
