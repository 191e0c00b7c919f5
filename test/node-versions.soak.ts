/**
 * @file The whole suite on the other versions of Node that are maintained: their binaries come as npm packages that run
 * no script, fetched here and not by those who install the lab.
 */

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "./kit/tmp.ts";
import { project } from "./package.test-helper.ts";

const root = tmpFolder("nodes");

const windows = process.platform === "win32";
const system = windows ? "win" : process.platform;
function binaryOf(major: number): string {
  const folder = join(root, String(major));
  mkdirSync(folder);
  const name = `node-${system}-${process.arch}`;
  execFileSync(
    windows ? "npm.cmd" : "npm",
    ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${major}`],
    { stdio: "pipe" },
  );
  return join(folder, "node_modules", name, "bin", windows ? "node.exe" : "node");
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

test.each([22, 24])("every test passes on Node %i", async (major) => {
  const node = binaryOf(major);
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  expect(version).toMatch(new RegExp(`^v${major}\\.`));
  const file = join(root, `${major}.json`);
  const { VITEST: _, ...environment } = process.env;
  const run = spawn(
    node,
    [
      join(project, "node_modules", "vitest", "vitest.mjs"),
      ...["run", "--maxWorkers=2", "--reporter=json", `--outputFile=${file}`],
    ],
    {
      cwd: project,
      stdio: "ignore",
      env: { ...environment, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
    },
  );
  await new Promise((resolve) => run.on("close", resolve));
  const report = JSON.parse(readFileSync(file, "utf8")) as Report; // vitest's own form
  console.log(`Node ${version}: ${report.numPassedTests} passed, ${report.numFailedTests} failed`);
  const failed = report.testResults
    .filter(({ status }) => status === "failed")
    .map(({ name, message, assertionResults }) => [
      name,
      message.slice(0, 300),
      ...assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName),
    ]);
  expect(failed).toEqual([]);
  expect(report.numPassedTests).toBeGreaterThan(2500);
});
