/**
 * @file The package as a user gets it: made by `npm pack`, installed by `npm install` with its scripts, no flags, and used.
 *
 * The registry must be there (CI has it); the hosts that install scripts want are refused, as behind a firewall.
 */

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { node, project } from "./package.test-helper.ts";

const root = mkdtempSync(join(tmpdir(), "statelab-install-"));
afterAll(() => rmSync(root, { recursive: true }), 120_000);

const npm = (cwd: string, ...args: string[]) =>
  execFileSync(process.platform === "win32" ? "npm.cmd" : "npm", args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    // No proxy leads anywhere but to the registry; the user's own settings of scripts are not ours.
    env: {
      ...process.env,
      npm_config_ignore_scripts: "false",
      GLOBAL_AGENT_HTTPS_PROXY: "http://127.0.0.1:9",
    },
  });

test("npm install of the packed package needs no flag, and the package trains a model", () => {
  // In a copy, since other tests use what is built here.
  const copy = join(root, "copy");
  mkdirSync(copy);
  for (const name of [
    "dist",
    "examples",
    "package.json",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "vendor.mjs",
    "web/train/onnxruntime-licence.txt",
  ])
    cpSync(join(project, name), join(copy, name), { recursive: true });
  symlinkSync(join(project, "node_modules"), join(copy, "node_modules"), "junction");
  execFileSync(process.execPath, ["vendor.mjs"], { cwd: copy });
  npm(copy, "pack", "--ignore-scripts", "--pack-destination", root);
  const [tarball] = readdirSync(root).filter((name) => name.endsWith(".tgz"));
  writeFileSync(join(root, "package.json"), "{}");
  npm(root, "install", `./${tarball}`);
  expect(existsSync(join(root, "node_modules", "onnxruntime-node"))).toBe(false);
  writeFileSync(
    join(root, "run.yaml"),
    "task: { name: repl }\nmodel: { name: lstm, layers: 1, width: 8 }\ntrain: { steps: 3, batch: 2 }\n",
  );
  const bin = join(root, "node_modules", "statelab", "dist", "src", "cli", "main.js");
  const trained = node(root, bin, "train", "run.yaml", "--out", "run");
  expect(trained.status, trained.stderr).toBe(0);
  const doctor = node(root, bin, "doctor", "--json");
  expect(JSON.parse(doctor.stdout).onnxRuntime.session.ok).toBe(true);
}, 600_000);
