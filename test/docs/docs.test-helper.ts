/** @file The project's pages as tests read them: their tables, their links, their headings. */

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

export const project = fileURLToPath(new URL("../..", import.meta.url));

/** The text of a page, by its path from the project's root. */
export const page = (path: string) => readFileSync(join(project, path), "utf8");

/** Every page there is. */
export function pages(): string[] {
  const docs = readdirSync(join(project, "docs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => relative(project, join(entry.parentPath, entry.name)));
  return ["README.md", "bench/README.md", ...docs.toSorted()];
}

/** The rows of the table whose head begins with these cells, as cells. */
export function tableOf(text: string, ...head: readonly string[]): string[][] {
  const start = text.indexOf(`| ${head.join(" | ")} |`);
  if (start < 0) throw new Error(`no table ${head.join(", ")}`);
  const [table] = text.slice(start).split(/\n(?!\|)/);
  const cells = (row: string) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
  return table.split("\n").slice(2).map(cells);
}

/** The slips of site/prh.yml, each with the words to write. */
export const slips = (
  parse(page("site/prh.yml")) as { readonly rules: readonly Record<"expected" | "pattern", string>[] }
).rules.map(({ expected, pattern }) => {
  const [, source, flags] = /^\/(.*)\/(\w*)$/s.exec(pattern)!; // as prh writes them
  return { expected, form: new RegExp(source, flags.replace("g", "")) };
});

/** What stands between backticks. */
export const inCode = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code);

/** Names that the package may be imported by, each with its file, and whether docs/how-to/library.md says that it reaches no module of Node. */
export const subpaths = tableOf(page("docs/how-to/library.md"), "import from").map(([cell, , free]) => {
  const [name] = inCode(cell);
  const { exports } = JSON.parse(page("package.json"));
  const file: string = exports[name.replace("statelab", ".")].default;
  return [name, { file: file.replace("./dist/", "").replace(/js$/, "ts"), free: free === "yes" }] as const;
});
