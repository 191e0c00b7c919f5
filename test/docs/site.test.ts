import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { groups } from "../../site/.vitepress/sidebar.ts";
import { page, pages, project } from "./docs.test-helper.ts";

test("the site lists every page of docs/ once", () => {
  const listed = groups.flatMap(({ pages }) => pages.map(([path]) => `docs/${path}.md`));
  const written = pages().filter((path) => path.startsWith("docs/") && path !== "docs/index.md");
  expect(listed.toSorted()).toEqual(written.toSorted());
});

test("what the site is built with stays out of the package", () => {
  const { files } = JSON.parse(page("package.json"));
  expect(files.filter((entry: string) => entry.includes("site"))).toEqual([]);
  expect(page("site/package-lock.json")).not.toMatch(/"resolved"/);
});

test("every page that a message or a comment names exists", () => {
  const folders = ["src", "web", "experiments", "packages", "bench", "examples", "evidence"];
  const files = execFileSync("git", ["ls-files", ...folders], { cwd: project, encoding: "utf8" })
    .split("\n")
    .filter((path) => /\.(tsx?|mjs|py|html|yaml|md)$/.test(path));
  const named = files.flatMap((path) =>
    [...readFileSync(join(project, path), "utf8").matchAll(/(?<![\w/.-])docs\/[\w/-]+\.md/g)].map(
      ([name]) => ({ path, name }),
    ),
  );
  expect(named.length).toBeGreaterThan(40);
  const real = named.filter(({ name }) => !/[A-Z]+\.md$/.test(name));
  expect(real.filter(({ name }) => !existsSync(join(project, name)))).toEqual([]);
});
