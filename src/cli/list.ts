/** @file statelab list: the names that a configuration or a command may use: tasks, models, ... and the keys of a configuration. */

import { z } from "zod";
import { parseChoice } from "../core/did-you-mean.ts";
import { textTable } from "../report/text-table.ts";
import { RunConfig } from "../schemas/run-config.ts";
import { defineCommand } from "./lib/command.ts";

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
    where: "task.name, and statelab generate TASK",
    entries: async () => summaries((await import("../tasks/index.ts")).tasks),
  },
  models: {
    where: "model.name",
    entries: async () => summaries((await import("../models/index.ts")).models),
  },
  objectives: {
    where: "losses, training signals and parts of a mixture, by their names in a configuration",
    entries: async () =>
      Object.entries((await import("../train/objectives/index.ts")).objectives).map(([name, forms]) => ({
        name,
        kind: Object.keys(forms).join(", "),
      })),
  },
  analyses: {
    where: "statelab analyze RUN --only NAME",
    entries: async () => (await import("../analysis/index.ts")).analysisNames.map((name) => ({ name })),
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
    where: "settings of a configuration, --set KEY=VALUE; task and model take their own fields, too",
    entries: async () => keysOf(z.toJSONSchema(RunConfig, { io: "input", unrepresentable: "any" })),
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
    const columns = Object.keys(entries[0]);
    const rows = entries.map((entry) => columns.map((column) => entry[column]));
    print(json ? JSON.stringify(entries, null, 2) : textTable({ columns, rows }));
  },
});

type Schema = z.core.JSONSchema._JSONSchema;

/** Every key of an object's JSON schema, at any depth. */
function keysOf(schema: Schema, prefix = ""): Listed[] {
  if (typeof schema === "boolean") return [];
  const shapes = [schema, ...(schema.anyOf ?? [])].flatMap((each) =>
    typeof each === "object" && each.properties !== undefined ? [each.properties] : [],
  );
  return shapes.flatMap((shape) =>
    Object.entries(shape).flatMap(([key, value]) => {
      const inner = keysOf(value, `${prefix}${key}.`);
      return inner.length > 0 ? inner : [{ name: `${prefix}${key}`, ...valuesOf(value) }];
    }),
  );
}

/** The type or the choices of a value, and its default. */
function valuesOf(schema: Schema): { values: string; default: string } {
  if (typeof schema === "boolean") return { values: "", default: "" };
  const { type, enum: choices, anyOf = [], default: usual } = schema;
  const alternatives = anyOf.map((each) => valuesOf(each).values).filter((each) => each !== "");
  return {
    values: choices?.map(String).join(", ") ?? type?.toString() ?? [...new Set(alternatives)].join(" or "),
    default: usual === undefined ? "" : JSON.stringify(usual),
  };
}
