/** @file What a user of the package does, for tests: runs Node in a folder, and checks the types of his files. */

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const project = fileURLToPath(new URL("..", import.meta.url));

export function node(cwd: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  return { status, stdout, stderr };
}

/**
 * What is wrong with the types of all .ts files of a folder, for a strict user; our own declarations are checked as well.
 * (Those of onnxruntime-common name types of a page, which not every user has.) The files become js/NAME.js.
 */
export function typeCheck(path: string): string {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, verbatimModuleSyntax: true },
    ...{ module: "nodenext", target: "es2023", lib: ["es2023"], types: ["node"], outDir: "js" },
  };
  writeFileSync(join(path, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const tsc = join(project, "node_modules", "typescript", "bin", "tsc");
  const { stdout, stderr } = node(path, tsc, "-p", ".", "--checkers", "1");
  return `${stdout}${stderr}`
    .split("\n")
    .filter((line) => !/node_modules\/(?!statelab\/)/.test(line))
    .join("\n");
}
