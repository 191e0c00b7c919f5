/** @file Runs a benchmark: `npm run bench -- NAME [--only PART,...] [--json]`; without a name it lists them. */

import { parseArgs } from "node:util";
import { suggest } from "../src/core/did-you-mean.ts";
import { errorText, fail, LabError } from "../src/core/error.ts";
import { benchmarks } from "./index.ts";

function parsed(args: string[]) {
  const options = { json: { type: "boolean", default: false }, only: { type: "string" } } as const;
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new LabError(`bench: ${errorText(error)}`);
  }
}

async function main(args: string[]): Promise<void> {
  const { values, positionals: names } = parsed(args);
  const { json } = values;
  const only = values.only?.split(",");
  const [name] = names;
  if (name === undefined) {
    const list = Object.entries(benchmarks).map(([key, { summary }]) => [key, summary] as const);
    const width = Math.max(...list.map(([key]) => key.length));
    if (json) console.log(JSON.stringify(Object.fromEntries(list), null, 2));
    else for (const [key, summary] of list) console.log(`  ${key.padEnd(width)}  ${summary}`);
    return;
  }
  if (names.length > 1 || !Object.hasOwn(benchmarks, name))
    fail("bench", "the name of a benchmark", names.join(" "), suggest(name, Object.keys(benchmarks)));
  const { load, parts } = benchmarks[name];
  if (only !== undefined && !parts) fail("--only", "a benchmark with parts (train-step, length)", name);
  const { run } = await load();
  await run({ json, only, signal: new AbortController().signal });
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof LabError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
});
