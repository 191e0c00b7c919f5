import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { page, project } from "./docs/docs.test-helper.ts";
import { tmpFolder } from "./kit/tmp.ts";

/** A copy of the lab, to which a model and a task are added as their pages say. */
const copy = tmpFolder("extended");

/** The part of vitest's JSON report that is read. */
interface Report {
  readonly testResults: readonly {
    /** Why a file could not be run. */
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

interface Step {
  readonly file: string;
  /** The blocks of code under it. */
  readonly blocks: readonly string[];
}

/** The numbered steps of "Into the lab". */
function stepsOf(path: string): Step[] {
  const [, section] = page(path).split("## Into the lab\n");
  return section.split(/^(?=\d+\. `)/m).flatMap((item) => {
    const [, file] = /^\d+\. `([^`]+)`/.exec(item) ?? [];
    if (file === undefined) return [];
    const blocks = item.matchAll(/^ {3}(`{3,4})\w+\n(.*?)^ {3}\1$/gms);
    return [{ file, blocks: Array.from(blocks, ([, , block]) => block.replaceAll(/^ {3}/gm, "")) }];
  });
}

const read = (file: string) => readFileSync(join(copy, file), "utf8");
const write = (file: string, text: string) => writeFileSync(join(copy, file), text);

/** The text with a block before the first match of `mark`, or after it where the match ends a line. */
function inserted(text: string, mark: RegExp, block: string): string {
  const changed = text.replace(mark, (found) => (found.endsWith("\n") ? found + block : block + found));
  expect(changed).not.toBe(text);
  return changed;
}

/** A page with a row at the end of the table that begins so. */
const withRow = (text: string, head: string, row: string) =>
  inserted(text, new RegExp(`^${head.replaceAll("|", "\\|")}.*\n(?:\\|.*\n)+`, "m"), row);

/** The file of an example, as one of the lab's. */
function intoLab(example: string, name: string, imports: string): string {
  const text = page(`examples/${example}`);
  return text
    .replace(/^import \{[^}]*\} from "statelab";\n/m, () => imports)
    .replace("export default ", `export const ${name} = `);
}

function register({ file, blocks: [imported, line] }: Step, registry: string): void {
  const text = inserted(read(file), /^import /m, imported);
  write(file, inserted(text, new RegExp(`^export const ${registry} = \\{\n`, "m"), line));
}

beforeAll(() => {
  const parts = ["src", "docs", "golden/tasks", "examples", "experiments", "bench", "test", "README.md"];
  const settings = ["package.json", "tsconfig.json", "vitest.config.ts", "CHANGELOG.md", "LICENSE"];
  for (const part of [...parts, ...settings])
    cpSync(join(project, part), join(copy, part), { recursive: true });
  symlinkSync(join(project, "node_modules"), join(copy, "node_modules"), "junction");
});

test("the steps of the two pages make a model and a task of the lab, which its suites accept", () => {
  const [model, naive, models, rows] = stepsOf("docs/add-a-model.md");
  write(model.file, intoLab("my-model.ts", "diagonal", model.blocks[0]));
  write(naive.file, naive.blocks[0]);
  register(models, "mixers");
  const heads = ["| name | recurrence", "| | transition", "| name | taps |"];
  const page = heads.reduce((text, head, i) => withRow(text, head, rows.blocks[i]), read(rows.file));
  write(rows.file, page);

  const [task, tasks, golden, witness, section] = stepsOf("docs/add-a-task.md");
  write(task.file, intoLab("my-task.ts", "lamp", task.blocks[0]));
  register(tasks, "tasks");
  write(golden.file, golden.blocks[0]);
  write(witness.file, witness.blocks[0]);
  const [row, text] = section.blocks;
  write(section.file, `${withRow(read(section.file), "| task |", row)}\n${text}`);

  const names = "diagonal|lamp|every task|CPython|eigenvalues|keeps the rules";
  const vitest = join(project, "node_modules/vitest/vitest.mjs");
  const suites = ["src/models/", "src/tasks/", "test/architecture.test.ts"];
  const args = [vitest, "run", ...suites, "-t", names, "-u", "--reporter=json", "--outputFile=report.json"];
  const { stderr } = spawnSync(process.execPath, args, {
    ...{ cwd: copy, encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } },
  });
  expect(existsSync(join(copy, "report.json")), stderr).toBe(true);
  const { testResults }: Report = JSON.parse(read("report.json"));
  expect(testResults.map(({ message }) => message).filter((words) => words !== "")).toEqual([]);
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  expect(results.filter(({ status }) => status === "failed")).toEqual([]);
  const passed = results.filter(({ status }) => status === "passed").map(({ fullName }) => fullName);
  expect(passed.filter((name) => name.includes("diagonal")).length).toBeGreaterThan(20); // two configurations
  expect(passed.filter((name) => name.includes("lamp")).length).toBeGreaterThan(15); // two settings
  expect(read(golden.file).split("\n")).toHaveLength(2 * 4 + 1);
}, 120_000);

test("the file of every step is there, or one that it makes", () => {
  for (const { file } of [...stepsOf("docs/add-a-model.md"), ...stepsOf("docs/add-a-task.md")])
    expect(existsSync(join(project, file)) || /diagonal|lamp/.test(file), file).toBe(true);
});
