/** @file One more of a kind: what the lab's pages say of it is done in a copy, whose suites and pages then accept it. */

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { page, project } from "./docs/docs.test-helper.ts";
import { tmpFolder } from "./kit/tmp.ts";

/** A copy of the lab, to which one of each kind is added as its page says. */
const copy = tmpFolder("extended");

/** The parts of the lab that a copy has. */
const parts = [
  "src",
  "docs",
  "golden/tasks",
  "examples",
  "experiments",
  "bench",
  "packages",
  "web",
  "test",
  "site/.vitepress/sidebar.ts",
  "site/prh.yml",
  "README.md",
];
/** Those whose types are checked. */
const typed = ["src", "experiments", "bench", "packages", "examples", "web"];
const settings = ["package.json", "tsconfig.json", "vitest.config.ts", "CHANGELOG.md", "LICENSE"];

interface Kind {
  readonly kind: string;
  /** The page with the steps. */
  readonly page: string;
  /** The example that its first step makes one of the lab's. */
  readonly example: string;
  /** Its name in the registry, whose constant is `registry`. */
  readonly name: string;
  readonly registry: string;
  /** Files of suites, and how many of their tests are about it at least. */
  readonly suites: readonly string[];
  readonly tests: number;
  /** Pages that are made again. */
  readonly made: readonly string[];
}

/** To add a kind: a row here, and the steps on its page. */
const kinds: readonly Kind[] = [
  {
    kind: "model",
    page: "docs/how-to/add-a-model.md",
    example: "my-model.ts",
    name: "diagonal",
    registry: "mixers",
    suites: ["src/models/conformance.test.ts"],
    tests: 15,
    made: ["docs/reference/models.md"],
  },
  {
    kind: "task",
    page: "docs/how-to/add-a-task.md",
    example: "my-task.ts",
    name: "lamp",
    registry: "tasks",
    suites: ["src/tasks/conformance.test.ts", "src/tasks/golden.test.ts", "src/tasks/docs.test.ts"],
    tests: 15,
    made: ["docs/reference/tasks.md"],
  },
];

/** One more of a kind that has no example: its file, and the line that names it. */
interface Added {
  readonly kind: string;
  readonly file: string;
  readonly text: string;
  readonly registry: string;
  /** The import, where the registry has one, and the line, put before or after the first match of `mark`. */
  readonly imported?: string;
  readonly mark: RegExp;
  readonly line: string;
  /** What its run in the copy prints. */
  readonly call: readonly string[];
  readonly prints: RegExp;
}

const added: readonly Added[] = [
  {
    kind: "analysis",
    file: "src/analysis/questions.ts",
    text: `/** @file How often the model is asked. */

import { z } from "zod";
import { defineAnalysis, hasQuestions } from "./analysis.ts";

export const questions = defineAnalysis({
  name: "questions",
  summary: "how many questions there are",
  found: z.strictObject({ count: z.int() }),
  needs: [hasQuestions],
  measure: ({ recording }) => ({ count: recording.programs.reduce((sum, { questions: asked }) => sum + asked.length, 0) }),
  part: ({ count }) => ({ heading: "Questions", how: ["They are counted."], figures: {}, caption: "", meaning: [\`\${count} questions.\`] }),
});
`,
    registry: "src/analysis/index.ts",
    imported: 'import { questions } from "./questions.ts";\n',
    mark: /^ {2}mistakes,\n/m,
    line: "  questions,\n",
    call: ["list", "analyses"],
    prints: /^questions\b/m,
  },
  {
    kind: "benchmark of language models",
    file: "src/eval/benchmarks/successors.ts",
    text: `/** @file The number after a number. */

import { z } from "zod";
import { answerIn, stopMark } from "../prompt.ts";
import { defineBench, type Question } from "../question.ts";

const Params = z.strictObject({ programs: z.int().min(1).default(10) });

export const successors = defineBench<z.infer<typeof Params>>({
  name: "successors",
  summary: "the number after a number",
  source: "none",
  params: Params,
  arms: ["function"],
  predict: ["output"],
  fixedPrompt: true,
  stop: [stopMark],
  replyTokens: () => 20,
  prepare: ({ programs }) => ({
    count: programs,
    excluded: [],
    question(index): Question {
      const expected = String(index + 1);
      return {
        ...{ id: \`successors_\${index}\`, arm: "function", predict: "output", steps: 1, expected },
        next: (replies) => (replies.length === 0 ? \`\${index} + 1\\n[ANSWER]\\n\` : undefined),
        async judge([reply]) {
          const extracted = answerIn(reply, "direct", (text) => /^\\d+$/.test(text.trim()))?.trim() ?? null;
          return { extracted, grade: extracted === expected ? { kind: "correct" } : { kind: "wrong", words: "another" } };
        },
      };
    },
  }),
});
`,
    registry: "src/eval/benchmarks/index.ts",
    imported: 'import { successors } from "./successors.ts";\n',
    mark: /^ {2}s5,\n/m,
    line: "  successors,\n",
    call: ["list", "benchmarks"],
    prints: /^successors\b/m,
  },
  {
    kind: "experiment",
    file: "experiments/tables/two-swaps.ts",
    text: page("experiments/tables/s5-swaps.ts")
      .replace('"s5-swaps"', '"two-swaps"')
      .replace("s5Swaps", "twoSwaps"),
    registry: "experiments/index.ts",
    imported: 'import { twoSwaps } from "./tables/two-swaps.ts";\n',
    mark: /^ {2}s5Swaps,\n/m,
    line: "  twoSwaps,\n",
    call: ["list", "experiments"],
    prints: /^two-swaps\b/m,
  },
  {
    kind: "command",
    file: "src/cli/greet.ts",
    text: `/** @file statelab greet: says hello. */

import { defineCommand } from "./lib/command.ts";

export const command = defineCommand({
  name: "greet",
  summary: "say hello",
  usage: "greet",
  options: {},
  examples: ["greet"],
  notes: "More: docs/how-to/extend.md",
  async run({ print }) {
    print("hello");
    return 0;
  },
});
`,
    registry: "src/cli/commands.ts",
    mark: /^ {4}doctor: \{/m,
    line: '    greet: { summary: "say hello", load: () => import("./greet.ts") },\n',
    call: ["greet"],
    prints: /^hello$/m,
  },
];

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

/** The numbered steps of "Put it into the registry". */
function stepsOf(path: string): Step[] {
  const [, section] = page(path).split("## Put it into the registry\n");
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

/** The file of an example, as one of the lab's. */
function intoLab(example: string, name: string, imports: string): string {
  return page(`examples/${example}`)
    .replace(/^import \{[^}]*\} from "statelab";\n/m, () => imports)
    .replace("export default ", `export const ${name} = `);
}

/** Takes one step: an example, an import with a line of the registry, or a new file. */
function take({ file, blocks: [first, line] }: Step, at: number, { example, name, registry }: Kind): void {
  if (at === 0) write(file, intoLab(example, name, first));
  else if (line === undefined) write(file, first);
  else {
    const text = inserted(read(file), /^import /m, first);
    write(file, inserted(text, new RegExp(`^export const ${registry} = \\{\\n`, "m"), line));
  }
}

/** Files of the copy that the lab does not have, or has otherwise. */
function changedFiles(): string[] {
  return parts.flatMap((part) => {
    const isFile = statSync(join(copy, part)).isFile();
    const inside = isFile ? [""] : readdirSync(join(copy, part), { recursive: true, encoding: "utf8" });
    const files = inside
      .map((each) => join(part, each))
      .filter((path) => statSync(join(copy, path)).isFile());
    const same = (path: string) => existsSync(join(project, path)) && page(path) === read(path);
    return files.filter((path) => !same(path));
  });
}

beforeAll(() => {
  for (const part of [...parts, ...settings])
    cpSync(join(project, part), join(copy, part), { recursive: true });
  symlinkSync(join(project, "node_modules"), join(copy, "node_modules"), "junction");
});

/** Runs a program of node_modules or of the copy, there. */
const run = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
const installed = (path: string) => join(project, "node_modules", path);

/** The suites that meet what was added, by parts of the names of their tests. */
function runSuites(): Report {
  const suites = [
    ...[...kinds.flatMap((kind) => kind.suites), "test/docs/reference.test.ts"],
    ...["src/analysis/conformance.test.ts", "src/cli/help.test.ts", "experiments/runner/define.test.ts"],
  ];
  const names = [...kinds.map(({ name }) => name), "every task", "CPython", "is what the sources say"];
  const pattern = [...names, "questions", "greet", "two-swaps"].join("|");
  const { stderr } = run(
    ...[installed("vitest/vitest.mjs"), "run", ...suites, "-t", pattern, "-u"],
    ...["--reporter=json", "--outputFile=report.json"],
  );
  expect(existsSync(join(copy, "report.json")), stderr).toBe(true);
  return JSON.parse(read("report.json"));
}

test("the steps of the pages make one more of each kind, by three files each and pages that are made; of the others a file and a line each; suites, compiler and command line accept them", () => {
  for (const kind of kinds) for (const [at, step] of stepsOf(kind.page).entries()) take(step, at, kind);
  for (const { file, text, registry, imported, mark, line } of added) {
    write(file, text);
    if (imported !== undefined) write(registry, inserted(read(registry), /^import /m, imported));
    write(registry, inserted(read(registry), mark, line));
  }

  // The types of the page, whose settings hold for all folders: one compilation for both.
  const settingsOfAll = { extends: "./web/tsconfig.json", include: typed, exclude: ["**/*.test.ts"] };
  write("all.json", JSON.stringify(settingsOfAll));
  const tsc = [installed("typescript/bin/tsc"), "-p", "all.json", "--noEmit", "--checkers", "1"];
  const { stdout, status } = run(...tsc);
  expect([stdout, status]).toEqual(["", 0]);
  const { testResults } = runSuites();
  expect(testResults.map(({ message }) => message).filter((words) => words !== "")).toEqual([]);
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  expect(results.filter(({ status }) => status === "failed")).toEqual([]);
  const passed = results.filter(({ status }) => status === "passed").map(({ fullName }) => fullName);
  for (const { name, tests, made } of kinds) {
    expect(passed.filter((each) => each.includes(name)).length, name).toBeGreaterThan(tests);
    for (const path of made) expect(read(path)).toContain(`[\`${name}\`](#${name})`);
  }
  const steps = kinds.flatMap((kind) => stepsOf(kind.page).map(({ file }) => file));
  const lines = added.flatMap(({ file, registry }) => [file, registry]);
  const changed = changedFiles().filter((path) => !path.startsWith("docs/reference/"));
  expect(changed.toSorted()).toEqual([...new Set([...steps, ...lines])].toSorted());
  for (const kind of kinds) {
    const own = stepsOf(kind.page).filter(({ file }) => !file.includes(".witness.")); // for texts that are no Python
    expect(own.length, kind.kind).toBeLessThanOrEqual(3);
  }
  const program = `import { callStatelab } from "./test/kit/cli.ts";
    const calls = ${JSON.stringify(added.map(({ call }) => call))};
    for (const call of calls) console.log(JSON.stringify((await callStatelab(call)).stdout));`;
  const printed = run("--import", "tsx", "--input-type=module", "-e", program).stdout.trim().split("\n");
  for (const [i, { kind, prints }] of added.entries())
    expect(JSON.parse(printed[i] ?? '""'), kind).toMatch(prints);
}, 300_000);

test.each(kinds)(
  "the file of every step for a $kind is there, or one that it makes",
  ({ page: path, name }) => {
    for (const { file } of stepsOf(path))
      expect(existsSync(join(project, file)) || file.includes(name), file).toBe(true);
  },
);
