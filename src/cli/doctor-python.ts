/** @file What statelab doctor says of the Python hosts: each attacks its own sandbox, and what is not contained is listed. */

import type { HostReport } from "../app/doctor/hosts.ts";
import { textTable } from "../report/text-table.ts";
import type { Paint } from "./colour.ts";

/** One line a host, then one line an attack that was not contained. */
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
  const rows = attacked.flatMap(({ host, attacks }) =>
    attacks.flatMap(({ attack, held, breach }) =>
      held ? [] : [[host, attack, paint("red", `NOT CONTAINED: ${breach}`)]],
    ),
  );
  const table = { columns: ["host", "attack", ""], rows };
  return [
    textTable({ columns: ["", "", ""], rows: lines }),
    ...(rows.length > 0 ? [textTable(table, paint)] : []),
  ].join("\n\n");
}
