/** @file docs/reference/commands.md: every command with its usage, options and examples, from its definition. */

import { commands } from "../../../src/cli/commands.ts";
import type { Command } from "../../../src/cli/lib/command.ts";
import { allCommands, type CommandTable } from "../../../src/cli/lib/dispatch.ts";
import type { Flag } from "../../../src/cli/lib/flags.ts";
import { code, generated, sentence, table } from "./markdown.ts";

const conventions = `## Conventions

- Results go to stdout, messages to stderr. \`--json\` prints one JSON document on stdout and nothing else.
- \`--seed S\` determines all random numbers of a command.
- \`--set KEY=VALUE\` changes one setting, and may be repeated. KEY is a path such as \`task.spacing.0\`. VALUE is YAML: \`48\`, \`true\`, \`[1, 2, 4]\` or \`{name: lstm}\`.
- Long work reports progress on stderr, if that is a terminal. \`NO_COLOR=1\` turns colors off, \`FORCE_COLOR=1\` on.
- Ctrl-C saves and prints how to resume. A second Ctrl-C stops at once.
- A task or model can be a file: \`--task ./mine.ts\`, \`--model ./mine.ts\` (\`.ts\`, \`.mts\`, \`.js\`, \`.mjs\`). [Add a model](../how-to/add-a-model.md) shows one.
- An error names the file or option, what was expected and what was found.

## Exit codes

| code | meaning |
| --- | --- |
| 0 | done |
| 1 | finished with failures, or a training diverged |
| 2 | wrong usage or configuration, or a missing file |
| 3 | a damaged input or checkpoint |
| 4 | locked by another process |
| 5 | a server is unavailable |
| 6 | no sandbox |
| 7 | a file or folder cannot be written |
| 70 | a bug in Statelab |
| 130, 143 | stopped by Ctrl-C, by SIGTERM |`;

const loaded = await Promise.all(
  Object.entries(allCommands(commands)).map(
    async ([name, { load }]) => [name, (await load()).command] as const,
  ),
);

export const commandsPage = () =>
  generated(
    "Commands",
    "This page lists every command of the program `statelab`, with its options. `statelab COMMAND --help` prints the same in the terminal.",
    conventions,
    "## Options of several commands",
    "Every command has `--help`, `--help-all` (which shows rare options, too) and `--json`. Commands that open run folders have `--trust-code`, which trusts the code stored in a run. Commands that write runs have `--force-unlock`, which breaks a stale lock of another machine.",
    ...sharedParts(),
    ...Object.entries(commands as CommandTable).flatMap(([title, entries]) => [
      `## ${title}`,
      ...Object.keys(entries).flatMap((word) =>
        loaded.filter(([name]) => name === word || name.startsWith(`${word} `)).flatMap(section),
      ),
    ]),
  );

const everyOption = loaded.flatMap(([, { options }]) => Object.entries(options));
/** Options with the same meaning in three commands or more. */
const shared: ReadonlyMap<string, Flag> = new Map(
  everyOption.filter(
    ([name, flag]) =>
      everyOption.filter(([other, each]) => other === name && each.description === flag.description).length >
      2,
  ),
);
const isShared = (name: string, flag: Flag) => shared.get(name)?.description === flag.description;

/** Tables of shared options, each of the commands that share them. */
function sharedParts(): string[] {
  const parts = new Map<string, [string, string, string][]>();
  for (const [option, flag] of shared) {
    const users = loaded.filter(([, { options }]) => option in options && isShared(option, options[option]));
    const said = `In ${users.map(([name]) => code(name)).join(", ")}:`;
    parts.set(said, [...(parts.get(said) ?? []), optionRow(option, flag)]);
  }
  return [...parts].flatMap(([said, rows]) => [said, table(["option", "meaning", "default"], rows)]);
}

/** A default in words ends the description: `random seed [the file's]`. */
function optionRow(name: string, flag: Flag): [string, string, string] {
  const [, meaning, usual] = /^(.*?)(?: \[([^\]]*)\])?$/s.exec(flag.description)!; // it matches any text
  const value = flag.type === "string" ? ` ${flag.value ?? "VALUE"}` : "";
  return [
    code(`--${name}${value}`),
    meaning,
    flag.default === undefined ? (usual ?? "") : code(flag.default),
  ];
}

function section([name, command]: readonly [string, Command]): string[] {
  const { summary, usage, options, actions = {}, notes, examples } = command;
  const own = Object.entries(options).filter(([option, flag]) => !isShared(option, flag));
  const others = Object.entries(options).filter(([option, flag]) => isShared(option, flag));
  return [
    `### ${name}`,
    `${sentence(summary)} Usage: ${code(`statelab ${usage}`)}`,
    Object.values(actions)
      .map((each) => `- ${code(each.usage)}: ${each.summary}`)
      .join("\n"),
    `Examples: ${examples.map((example) => code(`statelab ${example}`)).join(", ")}`,
    own.length === 0
      ? ""
      : table(
          ["option", "meaning", "default"],
          own.map(([option, flag]) => optionRow(option, flag)),
        ),
    others.length === 0 ? "" : "Also: [shared options](#options-of-several-commands).",
    ...new Set([notes, ...Object.values(actions).map((each) => each.notes)].map(noteText)),
  ];
}

/** `metrics.jsonl`, `DIR/zoo/{report.html, figures/}`; pages are links. */
const files =
  /(?<![\w/-])(?!docs\/)(?:[\w/@*-]+\/\{[^}]*\}|[\w/@*-]+\.(?:jsonl?|yaml|html|onnx|parquet|safetensors|svg|md)\b)/g;

/** A note in one line, with files as code; a page that it names is a link. */
const noteText = (notes = "") =>
  notes
    .replaceAll("\n", " ")
    .replaceAll(files, code)
    .replaceAll(/\bdocs\/([\w/-]+)\.md/g, (_, path: string) => `[${path.split("/").at(-1)}](../${path}.md)`);
