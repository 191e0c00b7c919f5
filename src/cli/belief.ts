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
  summary: "compare Bayes filters of a hidden state",
  usage: "belief [table | adversary | FILE] [OPTIONS]",
  positionals: { least: 0, most: 1 },
  options: {
    variables: flag.parsed("N", "number of variables, 2 to 6 [5; adversary: 4]", parseVariables),
    probability: flag.parsed(
      "P",
      "probability of a hidden swap [the reference rows; else 0.5]",
      parseProbability,
    ),
    spacing: flag.integer("R", "commands per reveal [the reference rows; else 4]", { least: 1 }),
    "num-reveals": flag.integer("N", "reveals per row", { default: 40000, least: 1 }),
    length: flag.integer("N", "number of commands and reveals", { default: 32, least: 2 }),
    beam: flag.integer("N", "beam width", { default: 100, least: 1 }),
    "query-policy": flag.list("NAMES", `what to reveal: ${choiceNames.join(", ")}`, (text, name) =>
      parseChoice(name, text, choiceNames),
    ),
    "marginal-update": flag.choice("RULE", `${marginalRules.join(", ")} [all]`, marginalRules),
    seed: seedOption,
  },
  actions: {
    table: {
      summary: "excess loss of each filter, with hidden random swaps",
      usage: "belief [table] [OPTIONS]",
      flags: ["variables", "probability", "spacing", "num-reveals", "query-policy", "seed"],
      notes: "Writes nothing.\nMore: docs/concepts/belief.md",
      examples: [
        "belief",
        "belief --query-policy random,round-robin,greedy",
        "belief --variables 3 --probability 0.5 --spacing 1",
      ],
    },
    adversary: {
      summary: "programs on which marginal filters are most wrong",
      usage: "belief adversary [OPTIONS]",
      flags: ["variables", "probability", "length", "beam", "marginal-update", "seed"],
      notes: "Found by beam search. Writes nothing.\nMore: docs/concepts/belief.md",
      examples: ["belief adversary --variables 3 --length 24"],
    },
    [ANY]: {
      summary: "the filters on your own automaton",
      usage: "belief FILE [OPTIONS]",
      flags: ["spacing", "num-reveals", "seed"],
      notes: "FILE is an automaton in YAML or JSON. Writes nothing.\nMore: docs/concepts/belief.md",
      examples: ["belief door.yaml --spacing 3"],
    },
  },
  examples: ["belief", "belief adversary --variables 3 --length 24", "belief door.yaml --spacing 3"],
  notes: "Writes nothing.\nMore: docs/concepts/belief.md",

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
      say("statelab: stopped; nothing was written");
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
