/** @file The words of the pages that are written by hand, by textlint. Warnings (commas) do not fail. */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const docs = readdirSync(join(here, "../docs"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .map((file) => `../docs/${file}`);
const byHand = ["../README.md", ...docs].filter(
  (path) => !/generated/i.test(readFileSync(join(here, path), "utf8").slice(0, 400)),
);
const textlint = join(here, "node_modules/textlint/bin/textlint.js");
const { status } = spawnSync(process.execPath, [textlint, ...byHand], { cwd: here, stdio: "inherit" });
process.exitCode = status ?? 1;
