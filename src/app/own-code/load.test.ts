import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { isModulePath, loadModule } from "./load.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const mine = tmpFolder("mine");
// Below node_modules, so that the compiled copy finds its packages; plain Node runs it, no development loader.
const installed = join(root, "node_modules", ".cache", `statelab-load-${process.pid}`);
const compiled = join(installed, "dist");

beforeAll(() => {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const flags = ["--ignoreConfig", "--noCheck", "--rewriteRelativeImportExtensions", "--types", "node"];
  const form = ["--module", "nodenext", "--target", "ES2023"];
  const places = ["--outDir", compiled, "--rootDir", root, join(root, "src/app/own-code/load.ts")];
  execFileSync(process.execPath, [tsc, ...flags, ...form, ...places], { cwd: root, stdio: "pipe" });
  const exported = {
    ".": { default: "./dist/src/index.js" },
    "./tasks": { default: "./dist/src/tasks/index.js" },
  };
  writeFileSync(join(installed, "package.json"), JSON.stringify({ type: "module", exports: exported }));
  // Stands for the lab's entry, to show which "statelab" a user's file gets.
  writeFileSync(
    join(compiled, "src", "index.js"),
    'export const defineTask = (task) => ({ ...task, source: "the lab that runs it" });',
  );
  mkdirSync(join(compiled, "src", "tasks"), { recursive: true });
  writeFileSync(join(compiled, "src", "tasks", "index.js"), 'export { defineTask } from "../index.js";');
  mkdirSync(join(mine, "installed", "node_modules", "statelab"), { recursive: true });
  writeFileSync(
    join(mine, "installed", "node_modules", "statelab", "package.json"),
    '{"type":"module","main":"x.js"}',
  );
  writeFileSync(
    join(mine, "installed", "node_modules", "statelab", "x.js"),
    'export const defineTask = (task) => ({ ...task, source: "the lab installed there" });',
  );
});
afterAll(() => {
  rmSync(installed, { recursive: true, force: true });
});

/** Loads a file in a fresh plain Node and returns what came, or the error's message. */
function load(name: string, text: string, kind = "task"): string {
  const file = join(mine, name);
  writeFileSync(file, text);
  const program = `
    const { loadModule } = await import(${JSON.stringify(join(compiled, "src/app/own-code/load.js"))});
    try {
      const task = await loadModule(${JSON.stringify(kind)}, ${JSON.stringify(file)});
      console.log(task.name + " from " + task.source);
    } catch (error) { console.log(error.name + ": " + error.message); }`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  return `${stdout}${stderr}`.trim().replaceAll(`${mine}/`, "");
}

const task = (name: string) => `
import { helper } from "./helper.${name.endsWith("ts") ? "ts" : "mjs"}";
import { defineTask } from "statelab";
export default defineTask({ name: helper, summary: "s", source: "s", params: { safeParse() {} }, prepare() {} }${name.endsWith("ts") ? " satisfies object as object" : ""});`;

test.each(["mine.ts", "mine.mts", "mine.js", "mine.mjs"])(
  "%s is loaded by plain Node, with the files it imports",
  (name) => {
    writeFileSync(join(mine, "helper.ts"), 'export const helper: string = "mine";');
    writeFileSync(join(mine, "helper.mjs"), 'export const helper = "mine";');
    writeFileSync(join(mine, "package.json"), '{"type":"module"}');
    expect(load(name, task(name))).toBe("mine from the lab that runs it");
  },
);

test("a file beside which another statelab is installed still gets the lab that runs", () => {
  cpSync(join(mine, "helper.ts"), join(mine, "installed", "helper.ts"));
  expect(load("installed/mine.ts", task("mine.ts"))).toBe("mine from the lab that runs it");
});

test.each(["mine.ts", "installed/mine.ts"])("%s gets the subpaths of the lab that runs it", (name) => {
  writeFileSync(join(mine, "installed", "helper.ts"), 'export const helper: string = "mine";');
  const text = task("mine.ts").replace('"statelab"', '"statelab/tasks"');
  expect(load(name, text)).toBe("mine from the lab that runs it");
});

test("a subpath that the lab does not have is told", () => {
  const answer = load("strange.ts", task("mine.ts").replace('"statelab"', '"statelab/thread"'));
  expect(answer).toMatch(/^LabError: strange\.ts: expected a module that loads, .*statelab\/thread/);
});

test.each(["mine.ts", "mine.js"])(
  "%s is a module in a folder whose package.json has no type, too",
  (name) => {
    const folder = join(mine, "typeless");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), "{}");
    writeFileSync(join(folder, "helper.ts"), 'export const helper: string = "mine";');
    writeFileSync(join(folder, "helper.mjs"), 'export const helper = "mine";');
    // Of a .js file Node may say on further lines that it had to find out that it is a module.
    expect(load(`typeless/${name}`, task(name)).split("\n")[0]).toBe("mine from the lab that runs it");
  },
);

test.each([
  ["none.ts", "export const task = 1;", 'none.ts: expected a task as its default export, got "none"'],
  [
    "less.ts",
    'export default { name: "x", summary: "s", source: "s", params: 1 };',
    'less.ts: expected params of the task to be a zod schema, got "number"',
  ],
  [
    "half.ts",
    'export default { name: "x", summary: "s", source: "s", params: { safeParse() {} } };',
    'half.ts: expected prepare of the task to be a function, got "nothing"',
  ],
  [
    "throws.ts",
    'throw new RangeError("too wide");',
    'throws.ts: expected a module that loads, got "RangeError: too wide"',
  ],
  ["syntax.ts", "\nexport default {", 'syntax.ts: expected a module that loads, got "SyntaxError: line 2: '],
  ["syntax.mjs", "export default {", 'syntax.mjs: expected a module that loads, got "SyntaxError:'],
  ["mine.txt", "", 'mine.txt: expected a .ts, .mts, .js or .mjs file, got ".txt"'],
])("%s is refused in one sentence", (name, text, message) => {
  const answer = load(name, text);
  expect(answer.startsWith(`LabError: ${message}`), answer).toBe(true);
  expect(answer.split("\n")).toHaveLength(1);
});

test("a file that does not exist is named", async () => {
  const gone = join(mine, "gone.ts");
  await expect(loadModule("model", gone)).rejects.toThrow(
    `${gone}: expected an existing file, got "no such file"`,
  );
});

test("a path is told from the name of something built in", () => {
  const names = ["repl", "delta-net", "./mine.ts", "mine.js", "a/b", "x.mts"];
  expect(names.filter(isModulePath)).toEqual(["./mine.ts", "mine.js", "a/b", "x.mts"]);
});
