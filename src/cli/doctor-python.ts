/** @file What statelab doctor says of the Python hosts: each attacks its own sandbox, and what holds is listed. */

import type { Finding } from "../python/containment.ts";
import type { HostName } from "../python/host.ts";
import { textTable } from "../report/text-table.ts";
import type { ProgressDisplay } from "../work/progress.ts";
import type { Paint } from "./colour.ts";

export interface HostReport {
  readonly host: HostName;
  /** What a program is contained in. */
  readonly containment: string;
  /** Why there is no such host here. */
  readonly missing: string | null;
  /** Each attack in its turn; empty where they were not asked for. */
  readonly attacks: readonly Finding[];
}

/** Opens each host and, unless `quick`, attacks it; the hosts side by side. */
export async function examineHosts(
  names: readonly HostName[],
  quick: boolean,
  progress: ProgressDisplay,
  signal: AbortSignal,
): Promise<HostReport[]> {
  return Promise.all(names.map((name) => examineHost(name, quick, progress, signal)));
}

async function examineHost(
  name: HostName,
  quick: boolean,
  progress: ProgressDisplay,
  signal: AbortSignal,
): Promise<HostReport> {
  const [{ openHost }, { attackHost }, { attacks }] = await Promise.all([
    import("../python/open.ts"),
    import("../python/containment.ts"),
    import("../python/attacks.ts"),
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
      progress.update(name, { step: findings.length, steps: attacks.length, note: finding.attack });
      signal.throwIfAborted();
    }
    return { host: name, containment, missing, attacks: findings };
  } finally {
    await host.close();
  }
}

/** Whether every attack on every host was held. */
export function allHeld(reports: readonly HostReport[]): boolean {
  return reports.every(({ attacks }) => attacks.every(({ held }) => held));
}

/** One line a host, then one line an attack with how it ended on each. */
export function describeHosts(reports: readonly HostReport[], paint: Paint): string {
  const lines = reports.map(({ host, containment, missing, attacks }): string[] => {
    const held = attacks.filter((finding) => finding.held).length;
    const count = attacks.length === 0 ? "not attacked" : `${held} of ${attacks.length} attacks contained`;
    return [
      `python, ${host}`,
      missing === null ? containment : `none: ${missing}`,
      missing === null ? count : "",
    ];
  });
  const attacked = reports.filter(({ attacks }) => attacks.length > 0);
  const rows = (attacked[0]?.attacks ?? []).map(({ attack }, i) => [
    attack,
    ...attacked.map(({ attacks }) => endOf(attacks[i], paint)),
  ]);
  const table = { columns: ["attack", ...attacked.map(({ host }) => host)], rows };
  return [
    textTable({ columns: ["", "", ""], rows: lines }),
    ...(rows.length > 0 ? [textTable(table, paint)] : []),
  ].join("\n\n");
}

function endOf({ held, end, seconds, breach }: Finding, paint: Paint): string {
  return held ? `${end}, ${seconds.toFixed(2)} s` : paint("red", `NOT CONTAINED: ${breach}`);
}
