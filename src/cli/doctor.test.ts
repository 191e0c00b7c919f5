import { expect, test } from "vitest";
import { allPassed, type HostReport } from "../app/doctor/hosts.ts";
import { plain } from "../report/text-table.ts";
import { describeHosts } from "./doctor.ts";

const embedded: HostReport = {
  host: "embedded",
  containment: "Pyodide in a box",
  missing: null,
  attacks: [
    { attack: "infinite loop", held: true, end: "time", seconds: 0.51 },
    { attack: "fork bomb", held: true, end: "raised OSError", seconds: 0.02 },
  ],
};
const native: HostReport = {
  host: "native",
  containment: "CPython in a box",
  missing: null,
  attacks: [
    { attack: "infinite loop", held: true, end: "time", seconds: 0.52 },
    { attack: "fork bomb", held: false, end: "passed", seconds: 0.1, breach: "expected time, got passed" },
  ],
};
const none: HostReport = {
  host: "native",
  containment: "none",
  missing: "bwrap is not installed",
  attacks: [],
};

test("each host has a line, and so has each attack that was not contained", () => {
  expect(describeHosts([embedded, native], plain)).toBe(
    [
      "python, embedded  Pyodide in a box  2 of 2 attacks blocked",
      "python, native    CPython in a box  1 of 2 attacks blocked",
      "",
      "host    attack",
      "native  fork bomb  NOT BLOCKED: expected time, got passed",
    ].join("\n"),
  );
});

test("a host that is not there, and one that was not attacked, say so", () => {
  expect(describeHosts([{ ...embedded, attacks: [] }, none], plain)).toBe(
    [
      "python, embedded  Pyodide in a box              not attacked",
      "python, native    none: bwrap is not installed",
    ].join("\n"),
  );
});

test("one attack that was not contained is enough for all not to be held", () => {
  expect([allPassed([embedded, none]), allPassed([embedded, native])]).toEqual([true, false]);
});
