/** @file docs/reference/benchmarks.md: LLM benchmarks, agent environments and policies, from their registries. */

import { controls, environments, policies, runtimes, views } from "../../../src/eval/agents/registries.ts";
import { type BenchName, benches } from "../../../src/eval/benchmarks/index.ts";
import { benchmarks } from "../../../src/python/benchmarks/index.ts";
import { type DescribedKey, describedKeys } from "../../../src/schemas/described-keys.ts";
import { code, generated, keyTable, sentence, table } from "./markdown.ts";

type Described = { readonly summary: string; readonly params: Parameters<typeof describedKeys>[0] };

export const benchmarksPage = () =>
  generated(
    "Benchmarks and environments",
    "These are the benchmarks of `statelab llm eval --bench NAME`, and the environments of `statelab agent run`. [Evaluate a language model](../how-to/evaluate-llm.md) and [agents](../how-to/agents.md) show how to run them.",
    "Parameters of a benchmark are set with `--set KEY=VALUE`. The arm `function` shows the program, `traced` its trace, and `anonymous` renames the function.",
    "## LLM benchmarks",
    table(
      ["benchmark", "question", "source"],
      Object.entries(benches).map(([name, { summary, source }]) => [
        `[${code(name)}](#${name})`,
        summary,
        source,
      ]),
    ),
    "Each other [task](tasks.md) is a benchmark under its own name, with its parameters and `programs`.",
    ...(Object.keys(benches) as BenchName[]).flatMap(section), // its keys
    "## Agent environments",
    "Each environment has a known optimum. The score `share` is 1 at the optimum. A setting is given as `--set NAME.KEY=VALUE`.",
    entries(environments),
    "## Policies",
    entries(policies),
    "## Runtimes",
    entries(runtimes),
    "## Views",
    "A view is the part of the history that the policy sees.",
    entries(views),
    "## Controls",
    "A control decides which replies are executed.",
    entries(controls),
  );

function section(name: BenchName): string[] {
  const bench: {
    summary: string;
    source: string;
    data?: { hint: string };
    arms: readonly string[];
  } & Described = benches[name];
  const licenses: Readonly<Record<string, { readonly license: string }>> = benchmarks;
  const license = Object.hasOwn(licenses, name) ? ` License of the data: ${licenses[name].license}.` : "";
  const data = bench.data === undefined ? "Statelab makes the programs." : sentence(bench.data.hint);
  return [
    `### ${name}`,
    `${sentence(bench.summary)} ${data}${license}`,
    `Arms: ${bench.arms.map(code).join(", ")}.`,
    name === "debugger"
      ? "Parameters: `programs`, and those of the task [debugger](tasks.md#debugger)."
      : keyTable(describedKeys(bench.params), "parameter"),
  ];
}

/** Entries of a registry of agents, with their settings. */
function entries(registry: Readonly<Record<string, unknown>>): string {
  const all = Object.entries(registry) as [string, Described][]; // every registry of agents has these fields
  const setting = (name: string, key: DescribedKey) =>
    `${code(`${name}.${key.name}`)}: ${key.description}${key.default === "" ? "" : ` [${key.default}]`}`;
  return table(
    ["name", "what it is", "settings"],
    all.map(([name, { summary, params }]) => [
      code(name),
      summary,
      describedKeys(params)
        .filter((key) => !key.name.includes(".", 0))
        .map((key) => setting(name, key))
        .join("<br>"),
    ]),
  );
}
