/** @file statelab belief: what filters pay where the state is hidden, when the joint one dies, how marginals are misled. */

import { marginalRules } from "../analysis/belief/index.ts";
import { compareFilters } from "../app/belief/compare.ts";
import { type RevealChoice, revealChoices } from "../core/active-query.ts";
import { fail } from "../core/error.ts";
import { textTable } from "../report/text-table.ts";
import { ANY, choiceFlag, defineCommand, integerFlag, seedOption } from "./command.ts";
import { progressOn } from "./progress.ts";

const choiceNames = Object.keys(revealChoices) as RevealChoice[];

export const command = defineCommand({
  name: "belief",
  summary: "compare filters of a hidden state: exact, joint, marginal, windowed",
  usage: "belief [table | adversary | FILE] [--variables N] [--probability P] [--spacing R] [--reveals N]",
  positionals: { least: 0, most: 1 },
  options: {
    variables: { type: "string", value: "N", description: "how many, 2 to 6 (default 5; adversary: 4)" },
    probability: {
      type: "string",
      value: "P",
      description: "of each swap (table: the reference rows; else 0.5)",
    },
    spacing: {
      type: "string",
      value: "R",
      description: "commands per reveal (table: the reference rows; else 4)",
    },
    reveals: { type: "string", value: "N", default: "40000", description: "counted reveals of each row" },
    length: { type: "string", value: "N", default: "32", description: "commands and answers together" },
    beam: { type: "string", value: "N", default: "100", description: "sequences kept of each length" },
    choose: {
      type: "string",
      value: "NAMES",
      description: `who chooses what is shown, with commas: ${choiceNames.join(", ")}; tells what remains unknown`,
    },
    rule: { type: "string", value: "RULE", description: `${marginalRules.join(", ")} (default all)` },
    seed: seedOption,
  },
  actions: {
    table: {
      summary: "n variables; each command names a pair and swaps it by chance, unseen: what each filter pays",
      usage: "belief [table] [--variables N] [--probability P] [--spacing R] [--reveals N] [--choose NAMES]",
      flags: ["variables", "probability", "spacing", "reveals", "choose", "seed"],
      notes: "What the numbers mean: docs/belief.md. Nothing is written.",
      examples: [
        "belief",
        "belief --choose random,round-robin,greedy",
        "belief --probability 0.3 --spacing 2 --reveals 10000",
        "belief --variables 3 --probability 0.5 --spacing 1",
      ],
    },
    adversary: {
      summary: "the programs on which marginals are most wrong about what is certain",
      usage: "belief adversary [--variables N] [--probability P] [--length N] [--beam N] [--rule RULE]",
      flags: ["variables", "probability", "length", "beam", "rule", "seed"],
      notes: "Found by a beam search over commands and answers (docs/belief.md). Nothing is written.",
      examples: ["belief adversary --variables 3 --length 24"],
    },
    [ANY]: {
      summary: "the filters on an automaton of your own",
      usage: "belief FILE [--spacing R] [--reveals N]",
      flags: ["spacing", "reveals", "seed"],
      notes: "FILE is an automaton in YAML or JSON (docs/tasks.md). Nothing is written.",
      examples: ["belief door.yaml --spacing 3"],
    },
  },
  examples: ["belief", "belief adversary --variables 3 --length 24", "belief door.yaml --spacing 3"],
  notes: "What the numbers mean: docs/belief.md. Nothing is written.",

  async run({ positionals: [what = "table"], values, json, print, say, signal }) {
    const seed = integerFlag("--seed", values.seed);
    const reveals = integerFlag("--reveals", values.reveals, 1);
    const probability = values.probability === undefined ? undefined : shareFlag(values.probability);
    const spacing = values.spacing === undefined ? undefined : integerFlag("--spacing", values.spacing, 1);
    const variables = variablesFlag(values.variables ?? (what === "adversary" ? "4" : "5"));
    const rules =
      values.rule === undefined ? marginalRules : [choiceFlag("--rule", values.rule, marginalRules)];
    const order = {
      what: what === "table" || what === "adversary" ? what : { file: what },
      ...{ variables, probability, spacing, reveals, seed, rules },
      length: integerFlag("--length", values.length, 2),
      beam: integerFlag("--beam", values.beam, 1),
      choices: values.choose === undefined ? undefined : choicesFlag(values.choose),
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

function shareFlag(text: string): number {
  const share = Number(text);
  return text.trim() !== "" && share > 0 && share < 1
    ? share
    : fail("--probability", "a number between 0 and 1", text);
}

/** Each once, in the order in which they were said. */
const choicesFlag = (text: string): RevealChoice[] =>
  [...new Set(text.split(","))].map((name) => choiceFlag("--choose", name.trim(), choiceNames));

function variablesFlag(text: string): number {
  const variables = integerFlag("--variables", text, 2);
  return variables <= 6 ? variables : fail("--variables", "at most 6 variables", text);
}
