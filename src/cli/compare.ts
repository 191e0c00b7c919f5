/** @file statelab compare: compares runs, paired by seed. */

import { compareFolders } from "../app/compare/difference.ts";
import type { Contender } from "../app/compare/load.ts";
import { comparisonRemarks, comparisonTable, signedDifference } from "../app/compare/table.ts";
import { type AskedComparison, compareEvals, isAsking } from "../app/llm/compare.ts";
import { fail } from "../core/error.ts";
import { percent } from "../report/shares.ts";
import { textTable } from "../report/text-table.ts";
import { stalledWords } from "../schemas/convergence.ts";
import { defineCommand } from "./lib/command.ts";
import { flag } from "./lib/flags.ts";

export const command = defineCommand({
  name: "compare",
  summary: "compare runs, with confidence intervals",
  usage: "compare RUN RUN [...], or compare EVALUATION EVALUATION [...]",
  opensRuns: true,
  positionals: { least: 1, most: Number.POSITIVE_INFINITY },
  options: {
    name: flag.texts("NAME", "names in the table, in the order of the contenders; may be repeated"),
  },
  examples: [
    "compare runs/beta/betaMax=1 runs/beta/betaMax=2",
    "compare runs/transformer runs/deltanet runs/lstm",
    "compare runs/llm-one-model runs/llm-another",
  ],
  notes:
    "The first argument is the baseline. A folder whose runs differ only in the seed counts as one contender. LLM evaluations are compared program by program. Writes nothing; statelab export RUN RUN --to latex writes the table.\n" +
    "More: docs/how-to/sweep.md",

  async run({ positionals, values: { name: names }, json, print, say }) {
    const askings = positionals.filter(isAsking);
    if (askings.length > 0) {
      const other = positionals.find((folder) => !isAsking(folder));
      if (other !== undefined)
        fail(other, `a folder of statelab llm eval, as ${askings[0]} is`, "another one");
      if (names.length > 0) fail("compare", "--name with trained runs", names[0]);
      const comparisons = await compareEvals(positionals);
      print(json ? JSON.stringify({ comparisons }) : askedText(comparisons));
      return;
    }
    const { contenders, comparisons, left } = await compareFolders(positionals, names);
    if (json) print(JSON.stringify({ contenders: contenders.map(described), comparisons }));
    else {
      print(textTable(comparisonTable(comparisons)));
      print(["", ...comparisonRemarks(comparisons)].join("\n"));
    }
    for (const { folder, stalled } of contenders.flatMap(({ runs }) => runs)) {
      if (stalled !== undefined) say(`statelab: ${folder}: ${stalledWords(stalled)}`);
    }
    for (const { contender, seeds, tests } of left) {
      if (seeds.length > 0) say(`statelab: ${contender}: unpaired: seed ${seeds.join(", ")}`);
      if (tests.length > 0)
        say(`statelab: ${contender}: tests that not every run has are omitted: ${tests.join("; ")}`);
    }
  },
});

/** Each arm, the baseline first. */
export function askedText(comparisons: readonly AskedComparison[]): string {
  const arms = [...new Set(comparisons.map(({ arm }) => arm))];
  const rows = arms.flatMap((arm) =>
    comparisons
      .filter((each) => each.arm === arm)
      .map(({ baseline, contender, programs, of, shares, difference, interval }) => [
        ...[arm, baseline, contender, `${programs} of ${of}`, percent(shares[0]), percent(shares[1])],
        signedDifference({ difference, uncertainty: { kind: "programs", interval, programs } }),
      ]),
  );
  const columns = ["arm", "baseline", "contender", "programs", "baseline %", "contender %", "difference"];
  return `${textTable({ columns, rows })}\nIn brackets: 95 % confidence interval over programs that both answered.`;
}

function described({ name, runs }: Contender) {
  return {
    name,
    runs: runs.map(({ folder, seed, stalled }) => ({ folder, seed, ...(stalled && { stalled }) })),
  };
}
