import { expect, test } from "vitest";
import { callStatelab } from "../../test/kit/cli.ts";
import { commands } from "./commands.ts";
import { helpText, parseCommandLine } from "./lib/command.ts";
import { allCommands } from "./lib/dispatch.ts";

const loaded = await Promise.all(
  Object.entries(allCommands(commands)).map(
    async ([name, { load }]) => [name, (await load()).command] as const,
  ),
);

/** The words of a shell line before a redirection or pipe; quotes may stand around a part of one, and hold no others of their kind. */
function words(line: string): string[] {
  const [call] = line.split(/ [<>|] /);
  const found = call.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return found.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}

test.each(loaded)("every example of %s is a call that it accepts", (listed, command) => {
  expect(command.name).toBe(listed);
  expect(command.examples.length).toBeGreaterThan(0);
  const rest = (example: string) => words(example).slice(listed.split(" ").length);
  for (const example of command.examples) {
    expect(example === listed || example.startsWith(`${listed} `), example).toBe(true);
    expect(() => parseCommandLine(command, rest(example))).not.toThrow();
  }
  for (const [name, { examples, flags, usage }] of Object.entries(command.actions ?? {})) {
    expect(examples.length, name).toBeGreaterThan(0);
    expect(usage.startsWith(`${listed} `)).toBe(true);
    for (const example of examples) expect(() => parseCommandLine(command, rest(example))).not.toThrow();
    for (const flag of flags) expect(Object.keys(command.options)).toContain(flag);
  }
  const owned = Object.values(command.actions ?? {}).flatMap(({ flags }) => flags);
  if (command.actions !== undefined) expect(new Set(owned)).toEqual(new Set(Object.keys(command.options)));
});

const begins = (name: string) =>
  new RegExp(`^statelab ${name}( \\S+)?: .*\\n\\nUsage: [^]*?\\n\\nExamples\\n {2}statelab ${name}\\b`);

/** Every help: of a command and of each of its actions. */
const helps = loaded.flatMap(([name, command]) =>
  [undefined, ...Object.keys(command.actions ?? {})].map((action) => ({ name, command, action })),
);

test.each(helps)(
  "the help of $name $action is short: examples, at most 15 options, a page",
  ({ name, command, action }) => {
    const [some, all] = [false, true].map((every) => helpText(command, action, every).split("\n"));
    expect(some.join("\n")).toMatch(begins(name));
    for (const line of [...some, ...all]) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(some.filter((line) => /^ {2}(-\w, )?--/.test(line)).length).toBeLessThanOrEqual(15);
    expect(some.filter((line) => line.startsWith(`  statelab ${name}`)).length).toBeLessThanOrEqual(3);
    const shown = action === undefined ? command : command.actions?.[action];
    expect(shown?.summary.length).toBeLessThanOrEqual(60);
    expect(some.at(-1)).toMatch(/^More: docs\//);
  },
);

test("the list of commands has each command's own summary", () => {
  const listed = Object.entries(allCommands(commands)).map(([name, { summary }]) => [name, summary]);
  expect(loaded.map(([name, { summary }]) => [name, summary])).toEqual(listed);
});

/** Phrases that no help may have, each with what stands for it: whole words, in any case. */
const slips =
  /\b(whoever|nobody|somebody|so many|side by side|stands? in|is said|is told|is asked|of (its|your|their|one's) own|go(es)? on|that (is|are) there|lend|feeders?|asking|ledgers?|world|bench(?!mark| NAME|\w|")|engine|recipe|proven|contained|telling|licence|recogni[sz]ed by|analyse|the lab)\b/i;

test("no help has an old word of the vocabulary", () => {
  for (const { name, command, action } of helps) {
    const text = helpText(command, action, true).replaceAll(/\S*\/\S*|--[\w-]+|\b[A-Z_]{3,}\b|\S+=\S+/g, "");
    for (const line of text.split("\n")) expect(line, `${name} ${action ?? ""}`).not.toMatch(slips);
  }
});

test("--help has exit code 0 and starts with the examples", async () => {
  for (const name of ["train", "data"]) {
    const { code, stdout, stderr } = await callStatelab([name, "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(begins(name));
  }
});

test("an action of a command has a help of its own, and refuses what is a flag of another", async () => {
  const [get, file, usual] = await Promise.all(
    ["data get --help", "help belief door.yaml", "belief --length 4"].map((line) => callStatelab([line])),
  );
  expect([get.code, file.code, usual.code]).toEqual([0, 0, 2]);
  expect(get.stdout).toMatch(/^statelab data get: [\s\S]*Examples\n[\s\S]*--url URL/);
  expect(get.stdout).not.toContain("--max-steps");
  expect(file.stdout).toMatch(/^statelab belief FILE: /);
  expect(usual.stderr).toMatch(
    /belief table: expected a flag .*got "--length"\. It is a flag of belief adversary/,
  );
});
