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

test("--help of every command shows its examples first, in at most 80 columns, exit code 0", async () => {
  const begins = (name: string) =>
    new RegExp(`^statelab ${name}: [^]*\\nUsage: [^]*\\n\\nExamples\\n {2}statelab ${name}\\b`);
  for (const [name, command] of loaded) {
    expect(helpText(command)).toMatch(begins(name));
    for (const action of [undefined, ...Object.keys(command.actions ?? {})]) {
      const wide = helpText(command, action)
        .split("\n")
        .filter((line) => line.length > 80 && line.trim().includes(" "));
      expect(wide, name).toEqual([]);
    }
  }
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
