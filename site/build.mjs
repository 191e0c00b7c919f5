/** @file `npm run site`: the pages of docs/, the reference of the library, and Studio, in one folder. The lab is built before. */

import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { relocate } from "./.vitepress/base.mjs";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** A program of Node; what it says is shown if it fails. */
function run(path, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [at(path), ...args], {
    cwd: at("."),
    encoding: "utf8",
  });
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}`);
  process.exit(status ?? 1);
}

rmSync(at("api"), { recursive: true, force: true });
run("node_modules/typedoc/bin/typedoc", "--options", "typedoc.mjs");
run("node_modules/vitepress/bin/vitepress.js", "build");
relocate(at("dist"));
run("../dist/src/cli/main.js", "studio", "--build", at("dist/studio"));
process.stdout.write("Wrote the site to site/dist. Any web server can serve it, from any path.\n");
