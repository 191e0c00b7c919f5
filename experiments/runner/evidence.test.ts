import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { experiments } from "../index.ts";
import { evidencePages, knownExperiments } from "./evidence.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
const [docs, evidence] = [join(project, "docs"), join(project, "evidence")];

test("the committed pages are what the committed evidence makes: if not, statelab reproduce --evidence", async () => {
  const all = Object.values(experiments);
  const pages = await evidencePages(await knownExperiments(all, evidence), { docs, evidence }, all);
  expect([...pages.keys()].map((path) => path.slice(project.length).replaceAll("\\", "/"))).toEqual([
    "docs/results/index.md",
    "evidence/README.md",
    "docs/how-to/reproduce.md",
    "docs/results/zoo.md",
  ]);
  for (const [path, text] of pages) expect(readFileSync(path, "utf8"), path).toBe(text);
});

test("the claims of the committed evidence are in the words of their experiments, in their order", async () => {
  for (const { name, claims, entries } of await knownExperiments(Object.values(experiments), evidence)) {
    // Which models a claim is about is not in evidence of before.
    const worded = claims.map(({ values: _, models: __, ...words }) => words);
    for (const entry of entries)
      expect(
        entry.claims.map(({ values: _, errors: __, models: ___, ...words }) => words),
        name,
      ).toEqual(worded);
  }
});

test("every experiment has a log that opens with its name, and every log a verdict", () => {
  const folders = readdirSync(evidence).filter((name) => existsSync(join(evidence, name, "log.md")));
  for (const name of folders)
    expect(readFileSync(join(evidence, name, "log.md"), "utf8"), name).toMatch(
      new RegExp(`^${name in experiments ? "" : "(Deleted on .+\\n\\n)?"}# ${name}\\n\\n## .{20,}`),
    );
  expect(folders).toEqual(expect.arrayContaining(Object.keys(experiments)));
});
