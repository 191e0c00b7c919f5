import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { page, project } from "../docs/docs.test-helper.ts";
import { main, statelab, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("debug");
const sum = join(project, "examples/sum.py");
const call = ["--call", "count([1, 2], 2)"];

/** The page's first block that begins with such a command, by default `$ statelab debug`, and the output below it. */
function shown(
  path: string,
  form = /debug [^\n]*--commands[^\n]*/,
): { readonly args: string[]; readonly output: string } {
  const block = new RegExp(`\`\`\`\\n\\$ (?:npx )?statelab (${form.source})\\n([\\s\\S]*?)\`\`\``);
  const [, line, output] = block.exec(page(path)) ?? [];
  return { args: [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare), output };
}

test("the session of docs/how-to/debug.md is what its command prints", async () => {
  const { args, output } = shown("docs/how-to/debug.md");
  expect(output.length).toBeGreaterThan(200);
  const { code, stdout } = await statelab(project, ...args);
  expect([code, stdout]).toEqual([0, output]);
}, 60_000);

test("the transcript of docs/how-to/diagnose.md loses the state where the page says so", async () => {
  const { args, output } = shown("docs/how-to/diagnose.md", /diagnose [^\n]*/);
  const { code, stdout } = await statelab(project, ...args);
  expect([code, stdout]).toEqual([1, output]);
}, 60_000);

test("--json is one list with an object a command; a refused one is told, the others are carried out, exit code 1", async () => {
  const { code, stdout, stderr } = await statelab(
    ...[root, "debug", sum, ...call, "--json", "--commands", "n;jmp;n;p total"],
  );
  const told = JSON.parse(stdout) as Record<string, unknown>[];
  expect(told.map(({ command, kind, line, value }) => [command, kind, line, value])).toEqual([
    ["n", "stop", 2, undefined],
    ["jmp", "refused", undefined, undefined],
    ["n", "stop", 3, undefined],
    ["p total", "value", undefined, "0"],
  ]);
  expect([code, stderr]).toEqual([1, ""]);
}, 60_000);

test("a script reads its arguments and its input", async () => {
  writeFileSync(join(root, "script.py"), "import sys\nline = input()\nprint(sys.argv[1:], line)\n");
  writeFileSync(join(root, "input.txt"), "first\nsecond\n");
  const given = ["--argv", "3 'two words' \"\"", "--stdin", "input.txt"];
  const { code, stdout } = await statelab(root, "debug", "script.py", ...given, "--commands", "end");
  expect([code, stdout]).toEqual([0, expect.stringContaining("['3', 'two words', ''] first")]);
}, 60_000);

test("a saved run opens again and runs nothing; a file of commands drives it, stdin likewise", async () => {
  const saved = await statelab(root, "debug", sum, ...call, ...words("--save run.json --commands end"));
  expect([saved.code, saved.stdout]).toEqual([0, "(debug) end\nThe run ends: the call returns 2\n"]);
  writeFileSync(join(root, "commands.txt"), "# to the end and back\nend\n\nback\nprint total\n");
  const opened = await statelab(root, "debug run.json --commands commands.txt");
  expect(opened.code).toBe(0);
  expect(opened.stdout).toMatch(/--Return-- value 2\n[\s\S]*\(debug\) print total\n2\n$/);
  const typed = spawnSync(process.execPath, [main, "debug", join(root, "run.json")], {
    input: "next\n\nback over\nfrobnicate\nquit\nnext\n",
    encoding: "utf8",
  });
  expect(typed.status).toBe(0);
  expect(typed.stdout.match(/moment \d+/g)).toEqual(["moment 3", "moment 4", "moment 5", "moment 4"]);
  expect(typed.stdout).toContain("*** no command frobnicate; help lists them");
}, 60_000);

test("a program that does not end is recorded up to a bound, one that is none is refused with its line", async () => {
  writeFileSync(join(root, "endless.py"), "def f(n):\n    while True:\n        n += 1\n");
  const endless = await statelab(
    root,
    "debug endless.py --call f(0) --max-steps 50 --commands",
    "end;back;p n",
  );
  expect([endless.code, endless.stderr]).toEqual([0, "statelab: endless.py: more than 50 events\n"]);
  expect(endless.stdout).toMatch(/The run ends: more than 50 events[\s\S]*\n2\d\n$/);
  writeFileSync(join(root, "broken.py"), "def f(n:\n");
  const broken = await statelab(root, "debug broken.py --call f(0)");
  expect(broken.code).toBe(1);
  expect(broken.stderr).toMatch(/^statelab: broken\.py: refused: '\(' was never closed, line 1\n/);
}, 60_000);
