/** @file The words of the pages, by textlint: what is written by hand, as made pages and parts are checked where they are made. Warnings (commas) do not fail. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const project = join(here, "..");
const copies = mkdtempSync(join(tmpdir(), "statelab-lint-"));
const pages = readdirSync(join(project, "docs"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/${file}`);

const read = [];
for (const path of ["README.md", ...pages]) {
  const text = readFileSync(join(project, path), "utf8");
  if (/generated/i.test(text.slice(0, 400)) || text.includes("` writes this page.")) continue;
  // Lines keep their numbers.
  const byHand = text.replaceAll(/<!-- [^>]*: made by .*?<!-- end -->/gs, (part) =>
    part.replaceAll(/[^\n]/g, ""),
  );
  mkdirSync(dirname(join(copies, path)), { recursive: true });
  writeFileSync(join(copies, path), byHand);
  read.push(join(copies, path));
}
const textlint = join(here, "node_modules/textlint/bin/textlint.js");
const { status, stdout, stderr } = spawnSync(process.execPath, [textlint, "--no-color", ...read], {
  cwd: here,
  encoding: "utf8",
});
rmSync(copies, { recursive: true });
process.stdout.write(`${stdout}${stderr}`.replaceAll(copies, project.replace(/\/$/, "")));
process.exitCode = status ?? 1;
