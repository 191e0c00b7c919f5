/**
 * @file The README's commands in a fresh clone, and the package as a user gets it: `npm pack` there, `npm install` elsewhere.
 *
 * It needs the npm registry, as CI has; other hosts are refused, as by a firewall. It clones the last commit.
 */

import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tmpFolder } from "./kit/tmp.ts";
import { node, project } from "./package.test-helper.ts";

const root = tmpFolder("install");
const clone = join(root, "clone");
const user = join(root, "user");

/** In CI the package alone is tried, made with the dependencies that are installed, and test/package.test.ts sees that the program can be run. */
const small = process.env.SOAK_SLICE === "ci";
/** The npm that Node 20 comes with, and the newest that runs on it, each installed in a separate folder. */
const versions = small ? [] : [10, 11];
const cli = (version: number) => join(root, `npm-${version}`, "node_modules", "npm", "bin", "npm-cli.js");

const cache = join(root, "cache"); // `npx` links a folder once, and then never again
const environment = {
  ...process.env,
  npm_config_cache: cache,
  GLOBAL_AGENT_HTTPS_PROXY: "http://127.0.0.1:9",
};

/** In CI it is the npm that is installed, whatever the version. */
function npm(version: number, cwd: string, ...args: string[]): string {
  const [program, own] = small ? ["npm", []] : [process.execPath, [cli(version)]];
  const run = spawnSync(program, [...own, ...args], {
    cwd,
    encoding: "utf8",
    env: environment,
    maxBuffer: 2 ** 28,
  });
  expect(run.status, `npm ${version} ${args.join(" ")}: ${run.stdout}${run.stderr}`).toBe(0);
  return run.stdout;
}

beforeAll(() => {
  for (const version of versions)
    execFileSync("npm", ["install", "--prefix", join(root, `npm-${version}`), `npm@${version}`], {
      stdio: "ignore",
    });
  const packages = join(
    execFileSync("npm", ["config", "get", "cache"], { encoding: "utf8" }).trim(),
    "_cacache",
  );
  mkdirSync(cache);
  if (existsSync(packages)) symlinkSync(packages, join(cache, "_cacache"));
  execFileSync("git", ["clone", "--quiet", project, clone]);
  if (small) symlinkSync(join(project, "node_modules"), join(clone, "node_modules"));
  mkdirSync(user);
}, 300_000);

test.skipIf(small).each(versions)(
  "in a clone npx statelab runs after each build, with npm %i",
  (version) => {
    npm(version, clone, "ci");
    for (let build = 0; build < 2; build++) {
      npm(version, clone, "run", "build");
      expect(npm(version, clone, "exec", "--", "statelab", "--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
    }
  },
  600_000,
);

test("npm pack in a clone gives a package that traces and trains, and in whole runs that publint and attw pass", () => {
  rmSync(join(clone, "dist"), { recursive: true, force: true });
  npm(10, clone, "pack", "--pack-destination", root);
  const [name] = readdirSync(root).filter((file) => file.endsWith(".tgz"));
  const tarball = join(root, name);
  expect(statSync(tarball).size).toBeLessThan(29_000_000);
  if (!small) {
    npm(10, root, "exec", "--yes", "--", "publint@0.3.25", tarball, "--strict");
    npm(10, root, "exec", "--yes", "--", "@arethetypeswrong/cli@0.18.5", tarball, "--profile", "esm-only");
  }

  writeFileSync(join(user, "package.json"), "{}");
  npm(10, user, "install", "--no-audit", "--prefer-offline", tarball);
  expect(existsSync(join(user, "node_modules", "onnxruntime-node"))).toBe(false);
  writeFileSync(join(user, "double.py"), "def double(x):\n    y = x * 2\n    return y\n");
  writeFileSync(
    join(user, "run.yaml"),
    "task: { name: repl }\nmodel: { name: lstm, layers: 1, width: 8 }\ntrain: { steps: 5, batch: 2 }\n",
  );
  expect(npm(10, user, "exec", "--", "statelab", "--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  const wasm = "ort-wasm-simd-threaded.wasm";
  npm(10, user, "exec", "--", "statelab", "studio", "--build", "site");
  const original = readFileSync(join(project, "node_modules", "onnxruntime-web", "dist", wasm));
  expect(readFileSync(join(user, "site", "ort", wasm)).equals(original)).toBe(true);
  const bin = join(user, "node_modules", "statelab", "dist", "src", "cli", "main.js");
  const trace = node(user, bin, "trace", "double.py", "--call", "double(2)", "--json");
  expect(JSON.parse(trace.stdout)).toMatchObject({ literal: "4" });
  expect(node(user, bin, "train", "run.yaml", "--out", "run").status).toBe(0);
  // Without its attacks: src/python/sandbox/sandbox-audit.soak.ts has them.
  expect(JSON.parse(node(user, bin, "doctor", "--quick", "--json").stdout).onnxRuntime.session.ok).toBe(true);
}, 600_000);
