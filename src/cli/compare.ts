/** @file statelab compare: compares runs, paired by seed. */

import type { Comparison, MeasuredDifference } from "../app/compare/difference.ts";
import { compareFolders } from "../app/compare/difference.ts";
import type { Contender } from "../app/compare/load.ts";
import { type AskedComparison, compareEvals, isAsking } from "../app/llm/compare.ts";
import { fail } from "../core/error.ts";
import { brackets, percent } from "../report/shares.ts";
import { type Table, textTable } from "../report/text-table.ts";
import { stalledWords } from "../schemas/convergence.ts";
import { defineCommand } from "./lib/command.ts";

export const command = defineCommand({
  name: "compare",
  summary: "compare runs, with confidence intervals",
  usage: "compare RUN RUN [...], or compare EVALUATION EVALUATION [...]",
  opensRuns: true,
  positionals: { least: 1, most: Number.POSITIVE_INFINITY },
  options: {},
  examples: [
    "compare runs/beta/betaMax=1 runs/beta/betaMax=2",
    "compare runs/transformer runs/deltanet runs/lstm",
    "compare runs/llm-one-model runs/llm-another",
  ],
  notes:
    "The first argument is the baseline. A folder whose runs differ only in the seed counts as one contender. LLM evaluations are compared program by program. Writes nothing.\n" +
    "More: docs/how-to/sweep.md",

  async run({ positionals, json, print, say }) {
    const askings = positionals.filter(isAsking);
    if (askings.length > 0) {
      const other = positionals.find((folder) => !isAsking(folder));
      if (other !== undefined)
        fail(other, `a folder of statelab llm eval, as ${askings[0]} is`, "another one");
      const comparisons = await compareEvals(positionals);
      print(json ? JSON.stringify({ comparisons }) : askedText(comparisons));
      return;
    }
    const { contenders, comparisons, left } = await compareFolders(positionals);
    if (json) print(JSON.stringify({ contenders: contenders.map(described), comparisons }));
    else {
      print(textTable(tableOf(comparisons)));
      for (const sentence of remarks(comparisons)) print(sentence);
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
        signed({ difference, uncertainty: { kind: "programs", interval, programs } }),
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

function tableOf(comparisons: readonly Comparison[]): Table {
  return {
    columns: ["test", "contender", "seeds", "all reveals", "difference", "last reveal", "difference"],
    rows: comparisons.flatMap(({ test, baseline, contender, seeds, accuracy, accuracyLast }, i) => [
      // The baseline has one row per test.
      ...(comparisons.findIndex((other) => other.test === test) === i
        ? [[test, baseline, seeds.length, percent(accuracy.baseline), "", percent(accuracyLast.baseline), ""]]
        : []),
      [
        test,
        contender,
        seeds.length,
        percent(accuracy.contender),
        signed(accuracy),
        percent(accuracyLast.contender),
        signed(accuracyLast),
      ],
    ]),
  };
}

/** `+12.3 [+8.1, +16.5]`, in points of a hundred. */
function signed({ difference, uncertainty }: Pick<MeasuredDifference, "difference" | "uncertainty">): string {
  const points = `${difference < 0 ? "" : "+"}${(100 * difference).toFixed(1)}`;
  return uncertainty.kind === "none" ? points : `${points} ${brackets(uncertainty.interval)}`;
}

/** Legend of the intervals, and the reason for a missing one. */
function remarks(comparisons: readonly Comparison[]): string[] {
  const programs = comparisons.flatMap(({ accuracy: { uncertainty } }) =>
    uncertainty.kind === "programs" ? [uncertainty.programs] : [],
  );
  const found = comparisons.flatMap(({ accuracy, contender }) => {
    const { uncertainty } = accuracy;
    switch (uncertainty.kind) {
      case "seeds":
        return ["[...]: 95 % confidence interval, paired by seed (Student's t)"];
      case "programs":
        return [
          `[...]: 95 % confidence interval of one seed, over ${range(programs)} common programs: other seeds may differ by more`,
        ];
      case "none":
        return [`${contender}: no interval: ${uncertainty.reason}`];
      default:
        return uncertainty satisfies never;
    }
  });
  return ["", ...new Set(found)];
}

/** `196 to 200`, or `200` alone. */
function range(counts: readonly number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? String(most) : `${least} to ${most}`;
}
