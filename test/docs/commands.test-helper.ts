/**
 * @file Every command that a page shows, and what becomes of it: `commands.soak.ts` runs it, some other test does, or there is a
 * reason why none can.
 */

import { page, pages } from "./docs.test-helper.ts";

export interface Shown {
  readonly path: string;
  /** Without `statelab`, and without a comment after it. */
  readonly command: string;
}

/** Pages whose `$ COMMAND` lines tutorials.soak.ts runs in order; it compares their output. */
export const followed: readonly string[] = [
  "docs/tutorial/train-a-model.md",
  "docs/tutorial/your-own-architecture.md",
  "docs/tutorial/trace-and-debug.md",
  "docs/how-to/evaluate-llm.md",
  "docs/how-to/agents.md",
];

/** `statelab ...` in a block of code that tutorials.soak.ts does not run; a line that ends in a backslash continues in the next. */
export function shownCommands(): Shown[] {
  return pages().flatMap((path) =>
    [...page(path).matchAll(/^ *```[^\n]*\n(.*?)^ *```/gms)].flatMap(([, block]) =>
      block
        .replaceAll(/ *\\\n\s*/g, " ")
        .split("\n")
        .flatMap((line) => {
          const found = /^\s*(?:\$ )?(?:npx )?statelab (\S.*)$/.exec(line);
          return found === null || (line.startsWith("$ ") && followed.includes(path))
            ? []
            : [{ path, command: found[1].replace(/\s+(#|\s{3}).*$|\s{2,}\S.*$/, "") }];
        }),
    ),
  );
}

export type Fate =
  /** Run with these words appended, so that it takes a second. */
  { readonly run: string } | { readonly test: string } | { readonly not: string };

const short = "--set train.steps=3 --set train.batch=4 --set evaluate.examples=4";

/** The first that matches counts. */
export const fates: readonly (readonly [RegExp, Fate])[] = [
  [/^generate \w[\w-]* --count 1 /, { test: "src/tasks/docs.test.ts" }],
  [/^generate .* --count 10000 /, { run: "--count 20" }],
  [/^generate /, { run: "" }],
  [/^cluster data-worker /, { test: "test/e2e/data-worker.soak.ts" }],
  [/^train --resume .*train\.decayCheckpoints/, { test: "src/app/run/budgets.test.ts" }],
  [/^train --resume /, { run: "--set train.steps=4" }],
  [/^train examples\/(reward|slow)\.yaml/, { test: "test/e2e/data-worker.soak.ts" }],
  [/^sweep examples\/reward\.yaml/, { test: "test/e2e/data-worker.soak.ts" }],
  [/^train .*evaluateEvery/, { run: `${short} --overwrite --set train.evaluateEvery=2` }],
  [/^train .*train\.shares/, { run: "--set train.steps=3 --set evaluate.examples=4 --overwrite" }],
  [/^train /, { run: `${short} --overwrite` }],
  [/^evaluate .*--compare-with/, { test: "test/e2e/serve.test.ts" }],
  [/^(evaluate|analyze) /, { run: "--programs 10" }],
  [/^(export|import) /, { run: "" }],
  [/^compare runs\/llm-/, { test: "src/app/llm/compare.test.ts" }],
  [/^(check|compare|report) /, { run: "" }],
  [/^sweep .*--search/, { test: "test/e2e/sweep-search.soak.ts" }],
  [/^sweep .*chosen\.yaml/, { not: "its file is what the search before it has chosen" }],
  [/^sweep .*--executor slurm/, { test: "test/e2e/slurm.soak.ts" }],
  [/^cluster cancel /, { run: "" }],
  [/^doctor --executor slurm/, { test: "test/e2e/slurm.soak.ts" }],
  [/^(sweep|data trace|llm eval) .*--executor redis/, { test: "test/e2e/redis.soak.ts" }],
  [/^doctor --executor redis/, { test: "test/e2e/redis.soak.ts" }],
  [/^cluster worker --redis/, { test: "test/e2e/redis.soak.ts" }],
  [/^llm eval .*--executor slurm/, { test: "src/cli/llm/eval.test.ts" }],
  [/^reproduce .*--executor slurm/, { test: "experiments/runner/run.test.ts" }],
  [/^sweep .*--executor local/, { run: `${short} --seeds 2` }],
  [/^cluster simulate runs\//, { test: "packages/cluster-simulator/simulate/measured.test.ts" }],
  [/^cluster simulate /, { run: "--set runs=50 --seeds 1" }],
  [/^cluster status /, { run: "" }],
  [/^cluster status$/, { run: "" }],
  [/^sweep /, { run: `${short} --seeds 2 --overwrite` }],
  [/^trace /, { run: "" }],
  [/^mcp /, { test: "test/docs/agent-debugger-page.test.ts" }],
  [/^debug sessions\//, { test: "src/app/mcp/mcp.test.ts" }],
  [/^debug run\.json/, { test: "test/e2e/debug.soak.ts" }],
  [/^debug .*--(commands|save)/, { test: "test/e2e/debug.soak.ts" }],
  [/^debug /, { run: "--commands end" }],
  [/^diagnose /, { test: "src/cli/diagnose.test.ts" }],
  [/^belief adversary /, { run: "" }],
  [/^belief/, { run: "--num-reveals 300" }],
  [/^list experiments/, { run: "" }],
  [
    /^reproduce --evidence/,
    { not: "it writes into this folder; src/report/evidence.test.ts holds what it writes" },
  ],
  [/^zoo /, { test: "experiments/zoo/zoo.test.ts" }],
  [/^reproduce /, { test: "test/e2e/reproduce.soak.ts" }],
  [/^agent run .*--base-url/, { test: "src/app/agents/run-llm.test.ts" }],
  [/^agent run/, { run: "--episodes 5" }],
  [/^doctor/, { run: "--quick" }],
  [/^data get/, { not: "it needs the network; test/e2e/data.soak.ts gets from a server of its own" }],
  [/^data (import|trace|faults)/, { test: "test/e2e/data.soak.ts" }],
  [/^llm eval --bench functions /, { test: "src/app/llm/own-functions.test.ts" }],
  [/^llm eval .*--model \w+ --model /, { test: "src/app/llm/multi-model.test.ts" }],
  [/^llm eval .*--base-url/, { test: "test/e2e/llm-eval.test.ts" }],
  [/^llm export /, { test: "src/app/llm/export.test.ts" }],
  [/^llm score /, { test: "src/cli/llm/score.test.ts" }],
  [/^serve /, { test: "test/e2e/serve.test.ts" }],
  [/^studio/, { test: "test/e2e/commands.test.ts" }],
];

export const fateOf = (command: string): Fate | undefined => fates.find(([form]) => form.test(command))?.[1];
