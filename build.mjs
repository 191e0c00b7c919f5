/** @file The build: TypeScript to dist/, and beside it the files that are used as they are: Python, the child that hosts it, the attacks on it, the threads that read Parquet and run sessions, recipes; and the page. */

import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildPage } from "./web/build.mjs";

rmSync("dist", { recursive: true, force: true });
const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", import.meta.url));
const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
chmodSync("dist/src/cli/main.js", 0o755); // npm sets it where it links the program, once, and not after each build
const asTheyAre = /(?<!-helper)\.(py|mjs|css|txt)$/;
for (const folder of ["src/python", "src/storage/dataset", "src/tensor"]) {
  cpSync(folder, `dist/${folder}`, {
    recursive: true,
    filter: (path) => !path.includes("__pycache__") && (asTheyAre.test(path) || !/\.\w+$/.test(path)),
  });
}
const isFolderOrRecipes = (path) => path.endsWith(".recipes.yaml") || !/\.\w+$/.test(path);
cpSync("experiments", "dist/experiments", { recursive: true, filter: isFolderOrRecipes });
cpSync("evidence/headline/rows.jsonl", "dist/evidence/headline/rows.jsonl"); // shown by reproduce headline --budget quick
await buildPage("dist/web");
const { commands } = await import("./dist/src/cli/commands.js");
const { helpTexts } = await import("./dist/src/cli/lib/help-texts.js");
writeFileSync("dist/src/cli/help.json", JSON.stringify(await helpTexts(commands)));
