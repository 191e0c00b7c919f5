import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { experiments } from "../../experiments/index.ts";
import { neighbors } from "../../experiments/neighbors.ts";
import { entryAt } from "../../experiments/runner/evidence.ts";
import { neighborsTable } from "../../experiments/runner/neighbors.ts";
import { rows as zooRows } from "../../experiments/zoo/data.ts";
import { commands } from "../../src/cli/commands.ts";
import { parseCommandLine } from "../../src/cli/lib/command.ts";
import { allCommands } from "../../src/cli/lib/dispatch.ts";
import { words } from "../kit/cli.ts";
import { inCode, page, project, tableOf } from "./docs.test-helper.ts";

const path = "docs/results/neighbors.md";
const rows = tableOf(page(path), "system", "kernel", "published", "ours");
const evidence = join(project, "evidence");
const entries = new Map(
  await Promise.all(
    Object.keys(experiments).map(
      async (name) => [name, await entryAt(join(evidence, name, "laptop.json"))] as const,
    ),
  ),
);
const sources = {
  entry: (name: string) => entries.get(name),
  cells: readFileSync(join(evidence, "zoo/laptop-cells.json"), "utf8"),
  log: readFileSync(join(evidence, "neighbors/log.md"), "utf8"),
};

test("the table has 44 systems, each once", () => {
  expect(rows.map(([system]) => /^\*\*(.+)\*\* \(/.exec(system)?.[1])).toEqual(
    neighbors.map(({ system }) => system),
  );
  expect(new Set(neighbors.map(({ system }) => system)).size).toBe(44);
});

test("a row has a number with its evidence, seeds, command and minutes, or a reason", () => {
  for (const [system, kernel, published, ours, ...cost] of rows) {
    expect(kernel, system).toMatch(/^[A-Z][^.]+\.$/);
    expect(published, system).not.toBe("");
    if (ours.startsWith("Left out: ")) {
      expect(ours, system).toMatch(/ \S.{20,}\.$/);
      expect(cost, system).toEqual(["\u2013", "\u2013", "\u2013"]);
      continue;
    }
    const [, number, source] = /^(.*\d.*) \[(?:values|cells|log)\]\(([^)]+)\)/.exec(ours) ?? [];
    expect(number, system).not.toMatch(/NaN|Infinity|undefined|\$\d/);
    expect(existsSync(join(project, dirname(path), source)), system).toBe(true);
    expect(cost[0], system).toMatch(/^\d+(, \d+)*$/);
    expect(cost[2], system).toMatch(/^(\\<1|\d+)$/);
  }
});

test("each command of the table parses, and names experiments and architectures that exist", async () => {
  const known = allCommands(commands);
  const shown = rows.flatMap(([, , , , , command]) => inCode(command));
  expect(shown.length).toBeGreaterThanOrEqual(neighbors.filter(({ ours }) => ours !== undefined).length);
  for (const line of shown) {
    const [program, ...args] = words(line.replace(/ > .*/, ""));
    const taken = args.slice(0, 2).join(" ") in known ? 2 : 1;
    const { command } = await known[args.slice(0, taken).join(" ")].load();
    expect(program).toBe("statelab");
    const { positionals, values } = parseCommandLine(command, args.slice(taken));
    if (args[0] !== "reproduce") continue;
    expect(Object.keys(experiments)).toContain(positionals[0]);
    if (typeof values.only === "string")
      expect(Object.keys(zooRows)).toEqual(expect.arrayContaining(values.only.split(",")));
  }
});

test("numbers are read from the evidence: another value shows, and a lost one is named", () => {
  const of = (system: string) => neighbors.filter((each) => each.system === system);
  const entry = entries.get("lact-chunks")!;
  const claims = entry.claims.map((claim) => ({ ...claim, values: [0.125, 0.125] }));
  const changed = { ...sources, entry: () => ({ ...entry, claims }) };
  expect(neighborsTable(of("LaCT"), changed)).toContain("recall inside the chunk: 12.5 %; after it: 12.5 %");
  const log = sources.log.replaceAll(/ 21\.4 /g, " 17.5 ");
  expect(neighborsTable(of("RefactorBench"), { ...sources, log })).toContain("17.5 with the last turn alone");
  expect(() => neighborsTable(of("LaCT"), { ...sources, entry: () => ({ ...entry, claims: [] }) })).toThrow(
    'evidence/lact-chunks/laptop.json has no value for "Recall inside',
  );
  expect(() => neighborsTable(of("LDB"), { ...sources, log: "" })).toThrow("has no line");
  expect(() => neighborsTable(of("PD-SSM"), { ...sources, cells: '{"version":1,"cells":[]}' })).toThrow(
    "has no cell pd-ssm of a4",
  );
});
