/** @file Runs a benchmark: `npm run bench -- NAME [--json]`; without a name it lists them. */

import { suggest } from "../src/core/did-you-mean.ts";
import { fail, LabError } from "../src/core/error.ts";
import { benchmarks } from "./index.ts";

async function main(args: readonly string[]): Promise<void> {
  const names = args.filter((arg) => arg !== "--json");
  const json = names.length < args.length;
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
  const { run } = await benchmarks[name].load();
  await run({ json, signal: new AbortController().signal });
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof LabError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
});
