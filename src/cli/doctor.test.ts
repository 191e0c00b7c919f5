import { expect, test } from "vitest";
import { allPassed, type HostReport } from "../app/doctor/hosts.ts";
import { plain } from "../report/text-table.ts";
import { describeHosts } from "./doctor.ts";

const attack = (name: string, breach?: string) => ({
  ...{ attack: name, held: breach === undefined, end: "time", seconds: 0.5, ...(breach && { breach }) },
});
const embedded: HostReport = {
  ...{ host: "embedded", containment: "Pyodide in a box", missing: null },
  attacks: [attack("infinite loop"), attack("fork bomb")],
};
const native: HostReport = {
  ...{ host: "native", containment: "CPython in a box", missing: null },
  attacks: [attack("infinite loop"), attack("fork bomb", "expected time, got passed")],
};
const none: HostReport = { ...native, containment: "none", missing: "bwrap is not installed", attacks: [] };

test("each host has a line, and so has each attack that was not contained; what is not there, or was not attacked, says so", () => {
  expect(describeHosts([embedded, native], plain).split("\n")).toEqual([
    "python, embedded  Pyodide in a box  2 of 2 attacks blocked",
    "python, native    CPython in a box  1 of 2 attacks blocked",
    "",
    "host    attack",
    "native  fork bomb  NOT BLOCKED: expected time, got passed",
  ]);
  expect(describeHosts([{ ...embedded, attacks: [] }, none], plain).split("\n")).toEqual([
    "python, embedded  Pyodide in a box              not attacked",
    "python, native    none: bwrap is not installed",
  ]);
});

test("one attack that was not contained is enough for all not to be held", () => {
  expect([allPassed([embedded, none]), allPassed([embedded, native])]).toEqual([true, false]);
});
