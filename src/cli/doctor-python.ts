/** @file What statelab doctor says of the Python hosts: each attacks its own sandbox, and what holds is listed. */

import type { Finding } from "../python/containment.ts";
import { textTable } from "../report/text-table.ts";
import type { HostReport } from "../work/doctor/hosts.ts";
import type { Paint } from "./colour.ts";

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
  return held ? `contained (${end}), ${seconds.toFixed(2)} s` : paint("red", `NOT CONTAINED: ${breach}`);
}
