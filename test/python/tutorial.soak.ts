import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { page } from "../docs/docs.test-helper.ts";

const packages = process.env.STATELAB_INTEROP_PYTHON ?? fileURLToPath(new URL("packages", import.meta.url));
const env = { ...process.env, PYTHONPATH: packages };
const python = (program: string) => spawnSync("python3", ["-c", program], { env, encoding: "utf8" });
const installed = python("import importlib.metadata as m; m.version('torch')").status === 0;

/** The block of docs/tutorial/your-own-architecture.md after a line that ends in "as `FILE`:". */
const blockAs = (file: string): string => {
  const [, after] = page("docs/tutorial/your-own-architecture.md").split(`as \`${file}\`:\n\n\`\`\``);
  return after.slice(after.indexOf("\n"), after.indexOf("```"));
};

test.skipIf(!installed)("PyTorch prints the numbers that the tutorial compares with", () => {
  const { stdout, stderr } = python(blockAs("reflector.py"));
  expect(JSON.parse(stdout), stderr).toEqual(JSON.parse(blockAs("torch.json")));
});
