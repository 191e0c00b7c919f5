import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { tmpFolder } from "./kit/tmp.ts";
import { node, project, typeCheck } from "./package.test-helper.ts";

const root = tmpFolder("package");

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}
let packed: Packed;

/** Packs the built project and lays it out as npm would, with the dependencies of package.json and no others. */
beforeAll(() => {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const flags = ["pack", "--json", "--ignore-scripts", "--pack-destination", root];
  const json = execFileSync(npm, flags, {
    cwd: project,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  [packed] = JSON.parse(json);
  const modules = join(root, "node_modules");
  mkdirSync(join(modules, "statelab"), { recursive: true });
  const tarball = join(root, packed.filename);
  execFileSync("tar", ["-xzf", tarball, "-C", join(modules, "statelab"), "--strip-components=1"]);
  for (const name of [...Object.keys(manifest.dependencies), "@types/node"]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(project, "node_modules", name), join(modules, name), "junction");
  }
  // What vendor.mjs copies when a package is made in earnest (package.soak.ts).
  const vendor = join(modules, "statelab", "vendor");
  mkdirSync(vendor);
  for (const name of ["onnxruntime-node", "esbuild"])
    symlinkSync(join(project, "node_modules", name), join(vendor, name), "junction");
}, 60_000);

/** A folder below the one with the node_modules, with this package.json. */
function folder(name: string, packageJson: object): string {
  const path = join(root, name);
  mkdirSync(path);
  writeFileSync(join(path, "package.json"), JSON.stringify(packageJson));
  return path;
}

const statelab = (cwd: string, ...args: string[]) =>
  node(cwd, join(root, "node_modules", "statelab", manifest.bin.statelab), ...args);

test("the tarball holds what was built, the examples, the docs and three texts; no tests, no helpers, nothing stale", () => {
  const texts = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
  for (const { path } of packed.files) {
    expect(path).not.toMatch(/\.test\b|helper|soak|\.map$|tsbuildinfo|__pycache__/);
    if (/^docs\/([\w-]+\/)?([\w-]+\.md|figures\/[\w-]+\.svg)$/.test(path)) continue;
    // The built page; web/page.test.ts opens it.
    if (
      /^dist\/web\/(index\.html|page\.css|licenses\.txt|zoo\.json|[\w.-]+\.js|models\/[\w-]+\.safetensors|python\/(frame\.html|lab\.json)|ort\/LICENSE\.txt)$/.test(
        path,
      )
    )
      continue;
    if (path === "dist/src/cli/help.json") continue; // src/cli/lib/help-texts.ts
    if (texts.includes(path) || /^examples\/[\w-]+\.(ts|yaml|py|md|jsonl|ipynb)$/.test(path)) continue;
    // Used as they are: Python, the child that hosts it, attacks, recipes, rows.
    if (
      /^dist\/(src\/(python|storage\/dataset|tensor)\/.*\.(py|mjs|css)|src\/python\/sandbox\/attacks\/[\w-]+\.txt|experiments\/.*\.recipes\.yaml|evidence\/headline\/rows\.jsonl)$/.test(
        path,
      )
    ) {
      expect(existsSync(join(project, path.slice("dist/".length))), path).toBe(true);
      continue;
    }
    expect(path).toMatch(/^dist\/(src|packages|experiments)\/.*\.(js|d\.ts)$/);
    const source = path.slice("dist/".length).replace(/(\.d\.ts|\.js)$/, ".ts");
    expect(existsSync(join(project, source)), `${path} has its source: remove dist and build again`).toBe(
      true,
    );
  }
  const entries = Object.values(manifest.exports).flatMap((entry) => Object.values(entry));
  const named = [manifest.bin.statelab, ...entries.filter((path) => path.startsWith("./dist/"))];
  const missing = named.filter((name) => !packed.files.some(({ path }) => path === name.replace("./", "")));
  expect(missing).toEqual([]);
  expect(statSync(join(project, manifest.bin.statelab)).mode & 0o111, "may be run").toBe(0o111);
});

test("the tarball is smaller than 3.7 MB, 11.2 MB unpacked (of it .8 the models of the page, 1.3 its Python without CPython, .2 its trainer, .3 its editor), without the library that is added when it is made in earnest", () => {
  expect(packed.size).toBeLessThan(3_700_000);
  expect(packed.unpackedSize).toBeLessThan(11_200_000);
});

/** The examples of a task and a model, as they are shipped. */
const shipped = [
  "my-model.ts",
  "my-policy.ts",
  "my-task.ts",
  "routine-policy.ts",
  "slow-task.ts",
  "step-policy.ts",
];
const copyShipped = (path: string) => {
  for (const name of shipped)
    copyFileSync(join(root, "node_modules", "statelab", "examples", name), join(path, name));
};

test("the examples of a task and a model type-check as a strict user's files", () => {
  const path = folder("examples-of-docs", { type: "module" });
  copyShipped(path);
  expect(typeCheck(path).trim()).toBe("");
}, 60_000);

test("the program runs from the package", () => {
  expect(statelab(root, "--version")).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: "" });
  const { status, stdout, stderr } = statelab(root, "generate", "repl", "--count", "1");
  expect([status, stderr]).toEqual([0, ""]);
  const { text, reveals } = JSON.parse(stdout);
  expect(text).toMatch(/^>>> a = \d\n/);
  for (const { start, end, value } of reveals) expect(text.slice(start, end)).toBe(value);
});

test("the examples of a task and a model work where package.json does not say module", () => {
  const files = readdirSync(join(root, "node_modules", "statelab", "examples"));
  expect(files.filter((name) => name.endsWith(".ts"))).toEqual(shipped);
  const typeless = folder("typeless", {});
  copyShipped(typeless);

  const generated = statelab(typeless, "generate", "--task", "./my-task.ts", "--count", "2");
  expect([generated.status, generated.stderr]).toEqual([0, ""]);
  expect(
    generated.stdout
      .trimEnd()
      .split("\n")
      .map((line) => Object.keys(JSON.parse(line))),
  ).toEqual([
    ["text", "reveals", "states"],
    ["text", "reveals", "states"],
  ]);

  writeFileSync(
    join(typeless, "run.yaml"),
    "task: {}\nmodel: { layers: 1, width: 8 }\ntrain: { steps: 3, batch: 2 }\n",
  );
  const own = ["--task", "./my-task.ts", "--model", "./my-model.ts", "--out", "run"];
  const trained = statelab(typeless, "train", "run.yaml", ...own);
  expect(trained.status, trained.stderr).toBe(0);
  const evaluated = statelab(typeless, "evaluate", "run", "--programs", "5", "--json");
  expect(evaluated.status, evaluated.stderr).toBe(0);
  expect(JSON.parse(evaluated.stdout)).toMatchObject({ step: 3, results: [{ programs: 5 }] });
}, 60_000);
