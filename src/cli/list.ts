/** @file statelab list: the names that a configuration or a command may use: tasks, models, ... and the keys of a configuration. */

import { parseChoice } from "../core/did-you-mean.ts";
import { plain, textTable } from "../report/text-table.ts";
import { describedKeys } from "../schemas/described-keys.ts";
import { RunConfig } from "../schemas/run-config.ts";
import { defineCommand, twoColumns } from "./lib/command.ts";

/** One name with what is said of it. */
interface Listed {
  readonly name: string;
  readonly [column: string]: string;
}
interface Listing {
  readonly where: string;
  entries(): Promise<readonly Listed[]>;
}

const summaries = (entries: Readonly<Record<string, { readonly summary: string }>>): Listed[] =>
  Object.entries(entries).map(([name, { summary }]) => ({ name, summary }));

const listings: Readonly<Record<string, Listing>> = {
  tasks: {
    where: "task.name, statelab generate TASK",
    entries: async () => summaries((await import("../tasks/index.ts")).tasks),
  },
  models: {
    where: "model.name",
    entries: async () => summaries((await import("../models/index.ts")).models),
  },
  objectives: {
    where: "train.loss, stateSupervision.head, objective, data.mixture.parts",
    entries: async () => {
      const { objectives, objectiveSummaries } = await import("../train/objectives/index.ts");
      return Object.entries(objectives).map(([name, forms]) => ({
        name,
        kind: Object.keys(forms).join(", "),
        summary: objectiveSummaries[name as keyof typeof objectives], // of the same keys
      }));
    },
  },
  analyses: {
    where: "statelab analyze RUN --only NAME",
    entries: async () => summaries((await import("../analysis/index.ts")).analyses),
  },
  benchmarks: {
    where: "statelab llm eval --bench NAME",
    entries: async () => {
      const { benchNamed, benchNames } = await import("../eval/benchmarks/index.ts");
      return benchNames.map((name) => ({ name, summary: benchNamed(name).summary }));
    },
  },
  experiments: {
    where: "statelab reproduce NAME",
    entries: async () =>
      Object.values((await import("../../experiments/index.ts")).experiments).map(({ name, question }) => ({
        name,
        question,
      })),
  },
  keys: {
    where: "--set KEY=VALUE; also task.FIELD and model.FIELD",
    entries: async () => describedKeys(RunConfig).map((key) => ({ ...key })),
  },
};
const kinds = Object.keys(listings);

export const command = defineCommand({
  name: "list",
  summary: "list tasks, models, experiments, benchmarks, settings",
  usage: `list ${kinds.join("|")}`,
  positionals: { least: 0, most: 1 },
  options: {},
  examples: ["list", "list tasks", "list keys"],
  notes:
    "Without an argument it prints how many names each list has, and where they are used.\n" +
    "More: docs/reference/configuration.md",

  async run({ positionals: [kind], json, print }) {
    const entries: readonly Listed[] =
      kind === undefined
        ? await Promise.all(
            Object.entries(listings).map(async ([name, listing]) => ({
              name,
              count: String((await listing.entries()).length),
              "names for": listing.where,
            })),
          )
        : await listings[parseChoice("list", kind, kinds)].entries();
    const keys = Object.keys(entries[0]);
    const columns = keys.map((key) => (key === "names for" ? "used in" : key));
    const rows = () => entries.map((entry) => keys.map((key) => entry[key]));
    if (json) print(JSON.stringify(entries, null, 2));
    else
      print(
        keys.length > 3
          ? twoColumns(entries.map(helpRow))
          : textTable({ columns, rows: rows() }, plain, process.stdout.columns ?? 80),
      );
  },
});

/** A key as in the text of `--help`. */
const helpRow = ({ name, values, default: usual, description }: Listed) =>
  [name, `${description} (${values})${usual === "" ? "" : ` [${usual}]`}`] as const;
