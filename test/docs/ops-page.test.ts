import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as statelab from "../../src/index.ts";
import * as tensor from "../../src/tensor/index.ts";

test("every op of the page can be imported from statelab and from statelab/tensor", () => {
  const page = readFileSync(new URL("../../docs/reference/ops.md", import.meta.url), "utf8");
  const ops = [...page.matchAll(/^\| `(\w+)[(<]/gm)].map(([, name]) => name);
  expect(ops.length).toBeGreaterThan(50);
  expect(ops.filter((name) => !(name in statelab) || !(name in tensor))).toEqual([]);
});

test("all that the lab's own models are made of can be imported, so that a user's model can be", () => {
  const folder = fileURLToPath(new URL("../../src/models/", import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const used = files
    .filter((file) => file.endsWith(".ts") && !file.includes(".test"))
    .flatMap((file) => [...readFileSync(join(folder, file), "utf8").matchAll(imported)])
    .flatMap(([, names]) => names.split(",").map((name) => name.trim().split(" as ")[0]))
    .filter((name) => name !== "" && !name.startsWith("type "));
  expect(used.length).toBeGreaterThan(100);
  expect([...new Set(used)].filter((name) => !(name in tensor))).toEqual([]);
});

const imported = /import \{([^}]*)\} from "[./]*tensor\/index\.ts"/g;
