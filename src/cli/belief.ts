/** @file statelab belief: what filters pay where the state is hidden, when the joint one dies, how marginals are misled. */

import { marginalRules } from "../analysis/belief/index.ts";
import { compareFilters } from "../app/belief/filters.ts";
import { type RevealChoice, revealChoices } from "../core/active-query.ts";
import { parseChoice } from "../core/did-you-mean.ts";
import { fail } from "../core/error.ts";
import { textTable } from "../report/text-table.ts";
import { ANY, defineCommand } from "./lib/command.ts";
import { flag, parseInteger, seedOption } from "./lib/flags.ts";
import { progressOn } from "./lib/progress.ts";

const choiceNames = Object.keys(revealChoices) as RevealChoice[];

export const command = defineCommand({
  name: "belief",
  summary: "compare filters of a hidden state: exact, joint, marginal, windowed",
  usage:
    "belief [table | adversary | FILE] [--variables N] [--probability P] [--spacing R] [--num-reveals N]",
  positionals: { least: 0, most: 1 },
  options: {
    variables: flag.parsed("N", "how many, 2 to 6 (default 5; adversary: 4)", parseVariables),
    probability: flag.parsed("P", "of each swap (table: the reference rows; else 0.5)", parseProbability),
    spacing: flag.integer("R", "commands per reveal (table: the reference rows; else 4)", { least: 1 }),
    "num-reveals": flag.integer("N", "counted reveals of each row", { default: 40000, least: 1 }),
    length: flag.integer("N", "commands and answers together", { default: 32, least: 2 }),
    beam: flag.integer("N", "sequences kept of each length", { default: 100, least: 1 }),
    "query-policy": flag.list(
      "NAMES",
      `who chooses what is shown, with commas: ${choiceNames.join(", ")}; tells what remains unknown`,
      (text, name) => parseChoice(name, text, choiceNames),
    ),
    "marginal-update": flag.choice("RULE", `${marginalRules.join(", ")} (default all)`, marginalRules),
    seed: seedOption,
  },
  actions: {
    table: {
      summary: "n variables; each command names a pair and swaps it by chance, unseen: what each filter pays",
      usage:
        "belief [table] [--variables N] [--probability P] [--spacing R] [--num-reveals N] [--query-policy NAMES]",
      flags: ["variables", "probability", "spacing", "num-reveals", "query-policy", "seed"],
      notes: "What the numbers mean: docs/concepts/belief.md. Nothing is written.",
      examples: [
        "belief",
        "belief --query-policy random,round-robin,greedy",
        "belief --probability 0.3 --spacing 2 --num-reveals 10000",
        "belief --variables 3 --probability 0.5 --spacing 1",
      ],
    },
    adversary: {
      summary: "the programs on which marginals are most wrong about what is certain",
      usage:
        "belief adversary [--variables N] [--probability P] [--length N] [--beam N] [--marginal-update RULE]",
      flags: ["variables", "probability", "length", "beam", "marginal-update", "seed"],
      notes:
        "Found by a beam search over commands and answers (docs/concepts/belief.md). Nothing is written.",
      examples: ["belief adversary --variables 3 --length 24"],
    },
    [ANY]: {
      summary: "the filters on an automaton of your own",
      usage: "belief FILE [--spacing R] [--num-reveals N]",
      flags: ["spacing", "num-reveals", "seed"],
      notes: "FILE is an automaton in YAML or JSON (docs/reference/tasks.md). Nothing is written.",
      examples: ["belief door.yaml --spacing 3"],
    },
  },
  examples: ["belief", "belief adversary --variables 3 --length 24", "belief door.yaml --spacing 3"],
  notes: "What the numbers mean: docs/concepts/belief.md. Nothing is written.",

  async run({ positionals: [what = "table"], values, json, print, say, signal }) {
    const { "query-policy": choices, "marginal-update": rule, "num-reveals": reveals, ...rest } = values;
    const order = {
      ...{ ...rest, reveals },
      what: what === "table" || what === "adversary" ? what : { file: what },
      variables: values.variables ?? (what === "adversary" ? 4 : 5),
      rules: rule === undefined ? marginalRules : [rule],
      choices,
    } as const;
    const outcome = await compareFilters(order, progressOn(process.stderr), signal);
    if (outcome === undefined) {
      say("statelab: stopped; nothing was written, the same command begins again");
      return 1;
    }
    const { document, tables } = outcome;
    print(json ? JSON.stringify(document) : tables.map((table) => textTable(table)).join("\n\n"));
    return 0;
  },
});

/** @throws LabError (usage) */
function parseProbability(text: string, name: string): number {
  const share = Number(text);
  return text.trim() !== "" && share > 0 && share < 1 ? share : fail(name, "a number between 0 and 1", text);
}

function parseVariables(text: string, name: string): number {
  const variables = parseInteger(name, text, 2);
  return variables <= 6 ? variables : fail(name, "at most 6 variables", text);
}
