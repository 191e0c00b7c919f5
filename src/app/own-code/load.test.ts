import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { isModulePath, loadModule } from "./load.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const mine = tmpFolder("mine");
// Below node_modules, so that the copy of the build finds its packages; plain Node runs it, no development loader.
const installed = join(root, "node_modules", ".cache", `statelab-load-${process.pid}`);
const compiled = join(installed, "dist");

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

beforeAll(() => {
  cpSync(join(root, "dist/src"), join(compiled, "src"), { recursive: true });
  const exported = {
    ".": { default: "./dist/src/index.js" },
    "./tasks": { default: "./dist/src/tasks/index.js" },
  };
  write(join(installed, "package.json"), JSON.stringify({ type: "module", exports: exported }));
  // Stands for the lab's entry, to show which "statelab" a user's file gets.
  const entry = (source: string) => `export const defineTask = (task) => ({ ...task, source: "${source}" });`;
  write(join(compiled, "src", "index.js"), entry("the lab that runs it"));
  write(join(compiled, "src", "tasks", "index.js"), 'export { defineTask } from "../index.js";');
  const other = join(mine, "installed", "node_modules", "statelab");
  write(join(other, "package.json"), '{"type":"module","main":"x.js"}');
  write(join(other, "x.js"), entry("the lab installed there"));
  write(join(mine, "package.json"), '{"type":"module"}');
  write(join(mine, "typeless", "package.json"), "{}");
  for (const folder of ["", "installed", "typeless"])
    for (const name of ["helper.ts", "helper.mjs"])
      write(
        join(mine, folder, name),
        `export const helper${name === "helper.ts" ? ": string" : ""} = "mine";`,
      );
});
afterAll(() => {
  rmSync(installed, { recursive: true, force: true });
});

/** Loads files in one fresh plain Node and returns what came of each, or the error's message. */
function load(files: readonly (readonly [name: string, text: string])[]): string[] {
  const paths = files.map(([name, text]) => write(join(mine, name), text));
  const program = `
    const { loadModule } = await import(${JSON.stringify(join(compiled, "src/app/own-code/load.js"))});
    const answers = [];
    for (const file of ${JSON.stringify(paths)})
      answers.push(await loadModule("task", file).then(
        ({ name, source }) => name + " from " + source, (error) => error.name + ": " + error.message));
    console.log(JSON.stringify(answers));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout).map((answer: string) => answer.replaceAll(`${mine}/`, ""));
}

const task = (name: string, from = "statelab") => `
import { helper } from "./helper.${name.endsWith("ts") ? "ts" : "mjs"}";
import { defineTask } from "${from}";
export default defineTask({ name: helper, summary: "s", source: "s", params: { safeParse() {} }, prepare() {} }${name.endsWith("ts") ? " satisfies object as object" : ""});`;

test("plain Node loads files and their imports with the running lab, whatever their folder installs or declares", () => {
  const names = ["mine.ts", "mine.mts", "mine.js", "mine.mjs", "typeless/mine.ts", "typeless/mine.js"];
  const files = [...names, "installed/mine.ts"].map((name) => [name, task(name)] as const);
  for (const name of ["sub.ts", "installed/sub.ts"]) files.push([name, task(name, "statelab/tasks")]); // a subpath of the lab that runs
  expect(load(files)).toEqual(files.map(() => "mine from the lab that runs it"));
});

test("what is no task, or does not load, is refused in one sentence", () => {
  const refused = [
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
    [
      "syntax.ts",
      "\nexport default {",
      'syntax.ts: expected a module that loads, got "SyntaxError: line 2: ',
    ],
    ["syntax.mjs", "export default {", 'syntax.mjs: expected a module that loads, got "SyntaxError:'],
    ["mine.txt", "", 'mine.txt: expected a .ts, .mts, .js or .mjs file, got ".txt"'],
    ["strange.ts", task("strange.ts", "statelab/thread"), "strange.ts: expected a module that loads, got "],
  ] as const;
  const answers = load(refused.map(([name, text]) => [name, text]));
  for (const [i, [, , message]] of refused.entries()) {
    expect(answers[i].startsWith(`LabError: ${message}`), answers[i]).toBe(true);
    expect(answers[i]).not.toContain("\n");
  }
  expect(answers.at(-1)).toContain("statelab/thread");
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
