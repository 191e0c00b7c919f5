import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { experiments } from "../index.ts";
import { results } from "../results.ts";
import { evidencePages, knownExperiments } from "./evidence.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
const [docs, evidence] = [join(project, "docs"), join(project, "evidence")];
const all = Object.values(experiments);

test("the committed pages are what the committed evidence makes: if not, statelab reproduce --evidence", async () => {
  const known = await knownExperiments(all, results, evidence);
  const pages = await evidencePages(known, results, { docs, evidence }, all);
  expect([...pages.keys()].map((path) => path.slice(project.length).replaceAll("\\", "/"))).toEqual([
    "docs/results/index.md",
    "evidence/README.md",
    "docs/how-to/reproduce.md",
    ...results.pages.flatMap(({ page }) => [
      ...(page === "zoo" ? ["docs/figures/zoo.svg"] : []),
      `docs/results/${page}.md`,
    ]),
  ]);
  for (const [path, text] of pages) expect(readFileSync(path, "utf8"), path).toBe(text);
});

test("every page of results has a mark for its answer and for each of its experiments, once", () => {
  for (const { page, experiments: own } of results.pages) {
    const text = readFileSync(join(docs, "results", `${page}.md`), "utf8");
    for (const name of ["answer", ...own])
      expect(
        text.split(`<!-- ${name}: made by statelab reproduce --evidence -->`),
        `${page}, ${name}`,
      ).toHaveLength(2);
  }
  expect(readdirSync(join(docs, "results")).toSorted()).toEqual(
    ["index.md", ...results.pages.map(({ page }) => `${page}.md`)].toSorted(),
  );
});

test("every experiment has a verdict of at most 20 words, and so has every page an answer", async () => {
  const known = await knownExperiments(all, results, evidence);
  expect(Object.keys(results.verdicts).toSorted()).toEqual(Object.keys(experiments).toSorted());
  const pages = await evidencePages(known, results, { docs, evidence }, all);
  const answers = [...pages].flatMap(([, text]) => {
    const found = /<!-- answer: .* -->\n\n(.*)\n\n<!-- end -->/.exec(text);
    return found === null ? [] : [found[1]];
  });
  expect(answers).toHaveLength(results.pages.length);
  for (const sentence of [...answers, ...known.map(({ answer }) => answer)]) {
    expect(sentence).toMatch(/^[A-Z].*\.$/);
    expect(sentence).not.toMatch(/NaN|Infinity|undefined/);
    expect(
      sentence!
        .replaceAll("\u00A0", " ")
        .split(" ")
        .filter((word) => word !== "%").length,
      sentence,
    ).toBeLessThanOrEqual(20);
  }
});

test("a model that does not fit its training data decides nothing, but by what it can do", async () => {
  const known = await knownExperiments(all, results, evidence);
  const claims = known.flatMap(({ name, entries }) =>
    entries.flatMap((entry) => entry.claims.map((claim) => ({ name, entry, ...claim }))),
  );
  const unfit = claims.filter(
    ({ entry, models = [], setting, verdict }) =>
      verdict === "contradicts" &&
      entry.trained?.some(
        (each) =>
          models.includes(each.model) &&
          (setting ?? each.setting) === each.setting &&
          (each.stage < each.stages || (each.unlearned?.seeds ?? 0) > 0),
      ),
  );
  expect(unfit.map(({ statement }) => statement)).toEqual([
    "With full permutations Transformers fail under any sparsity",
  ]);
  const verdicts = (name: string, words: string) =>
    claims.flatMap((claim) =>
      claim.name === name && claim.statement.startsWith(words) ? [claim.verdict] : [],
    );
  expect(new Set(verdicts("olmo-table", "Accuracy of Transformer"))).toEqual(new Set(["inconclusive"]));
  expect(new Set(verdicts("parity-table", "Scaled accuracy of mLSTM"))).toEqual(new Set(["inconclusive"]));
});

test("the claims of the committed evidence are in the words of their experiments, in their order", async () => {
  for (const { name, claims, entries } of await knownExperiments(all, results, evidence)) {
    // Which models a claim is about is not in older evidence.
    const worded = claims.map(({ values: _, models: __, ...words }) => words);
    for (const entry of entries)
      expect(
        entry.claims.map(({ values: _, errors: __, models: ___, verdict: ____, ...words }) => words),
        name,
      ).toEqual(worded);
  }
});

test("every experiment has a log that opens with its name", () => {
  const folders = readdirSync(evidence).filter((name) => existsSync(join(evidence, name, "log.md")));
  for (const name of folders)
    expect(readFileSync(join(evidence, name, "log.md"), "utf8"), name).toMatch(
      new RegExp(`^${name in experiments ? "" : "(Deleted on .+\\n\\n)?"}# ${name}\\n\\n## .{20,}`),
    );
  expect(folders).toEqual(expect.arrayContaining(Object.keys(experiments)));
});

const wordsIn = (text: string) => text.trim().split(/\s+/).length;

test("questions, statements and figure titles are short", () => {
  for (const { name, question, published } of all) {
    expect(wordsIn(question), name).toBeLessThanOrEqual(20);
    expect(question, name).toMatch(/^[^.]+\?$/);
    for (const { statement, here = "", unlike = "" } of published)
      for (const text of [statement, here, unlike]) expect(wordsIn(text), text).toBeLessThanOrEqual(20);
  }
  const figures = readdirSync(join(docs, "figures")).filter((name) => name.endsWith(".svg"));
  for (const name of figures) {
    const [, title = ""] = /<title>([^<]*)<\/title>/.exec(readFileSync(join(docs, "figures", name), "utf8"))!;
    expect(wordsIn(title), name).toBeLessThanOrEqual(12);
  }
});

test("a page of results has at most 200 words by hand, the zoo 900, and the index 800", () => {
  for (const name of readdirSync(join(docs, "results"))) {
    const text = readFileSync(join(docs, "results", name), "utf8");
    const byHand = text.replaceAll(/<!-- [^>]* made by [\s\S]*?<!-- end -->/g, "");
    const prose = byHand.split("\n").filter((line) => !line.startsWith("|"));
    expect(wordsIn(prose.join("\n")), name).toBeLessThanOrEqual(
      { "index.md": 800, "zoo.md": 900 }[name] ?? 200,
    );
  }
});
