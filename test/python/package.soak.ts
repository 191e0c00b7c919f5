/** @file The Python package: its own tests in the checkout, and the notebook with what pip installs and `statelab` on PATH. */

import { mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { main } from "../kit/cli.ts";
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

test.skipIf(isMissing)(
  "the notebook runs with what pip installs",
  () => {
    const [site, bin] = [join(root, "site"), join(root, "bin")];
    expect(
      python(["-m", "pip", "install", "-q", "--no-deps", "--target", site, at("python")]).stderr,
    ).not.toContain("ERROR");
    mkdirSync(bin);
    symlinkSync(main, join(bin, "statelab"));
    const env = {
      PATH: [bin, process.env.PATH].join(delimiter),
      PYTHONPATH: [site, pythonPath].join(delimiter),
    };
    const { stdout, stderr } = python([here("notebook.py"), at("examples/notebook.ipynb"), root], "", env);
    expect(stdout, stderr).toMatch(/layers\.1\.beta/);
    expect(stdout).toContain("# verified");
    expect(stdout).toContain("whence");
  },
  300_000,
);
