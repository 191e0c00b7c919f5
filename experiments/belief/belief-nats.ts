/**
 * @file What a trained model pays above the exact filter, by the number of partial reveals since the state was last known.
 *
 *     reveal          a     b     abc         c     a            a program in which every third reveal is full
 *     partials        0     1     2 - -       0     1            the first value of a full one is asked like any other
 */

import { type MarginalRule, marginalFilter, surprises } from "../../src/analysis/belief/index.ts";
import type { PermutationWalk } from "../../src/math/permutation-walk.ts";
import { mean, standardError } from "../../src/math/statistics.ts";
import { type Example, exampleFrom } from "../../src/tasks/index.ts";
import { readUncertain } from "../../src/tasks/pfsa/program.ts";
import { evaluate, freshExamples } from "../../src/train/evaluate.ts";
import { type TrainedRun, testAbout } from "../../src/work/run/trained.ts";
import type { Measurements, Measuring, PlannedRun } from "../engine/experiment.ts";
import { defineMeasurement } from "../engine/measurements.ts";

export const natsAboveExact = defineMeasurement({
  id: "natsAboveExact",
  label: "nats above the exact filter",
  at: { test: "test", partials: "partial reveals since the state was known" },
  values: {
    exact: "exact",
    nats: "nats",
    above: "above",
    standardError: "standard error",
    row: "marginals: row",
    rowColumn: "row + column",
    sinkhorn: "Sinkhorn",
  },
});

/**
 * For each reveal of a program how many partial ones stand between it and the last full one, or the known start;
 * undefined for all values of a full reveal but the first, since the first has just told of them.
 */
export function partialsBefore(
  { reveals }: Pick<Example, "reveals">,
  variables: number,
): (number | undefined)[] {
  let partials = 0;
  return reveals.map(({ commands }, i) => {
    if (reveals[i - 1]?.commands === commands) return undefined;
    const now = partials;
    const full = variables > 1 && reveals[i + variables - 1]?.commands === commands;
    partials = full ? 0 : partials + 1;
    return now;
  });
}

/** Nats that marginals pay at each reveal of a program. Values are named by the variable that held them at first. */
export function marginalSurprises(text: string, rule: MarginalRule): number[] {
  const { variables, start, steps } = readUncertain(text);
  const commands = steps.flatMap((step) => (step.kind === "command" ? [step.command] : []));
  const walk: PermutationWalk = {
    variables: variables.length,
    commands,
    start: start === undefined ? "uniform" : "known",
  };
  let ran = 0;
  const events = steps.map((step) =>
    step.kind === "command"
      ? { kind: "act" as const, action: ran++ }
      : {
          kind: "reveal" as const,
          question: step.variable,
          answer: start?.indexOf(step.value) ?? step.value,
        },
  );
  return surprises(marginalFilter(walk, rule), events);
}

/** Places with fewer reveals than this say too little. */
const LEAST = 20;

export async function* measureNats(run: TrainedRun, { tests, config }: PlannedRun): Measuring {
  const rows: Measurements[number][] = [];
  for (const [i, { name, change }] of tests.entries()) {
    yield { done: i, of: tests.length };
    const test = testAbout(run, change, config.evaluate.programs);
    const answers = await evaluate(run.model, { tree: run.tree, data: run.weights }, test, run.runtime);
    const paid = answers.surprises?.vocabulary ?? []; // a model's answers have them
    const places = freshExamples(test);
    const at = new Map<number, { nats: number; exact: number; marginals: Record<MarginalRule, number> }[]>();
    for (const [program, place] of places.entries()) {
      const example = exampleFrom(test.prepared, test.stream(place));
      const row = marginalSurprises(example.text, "row");
      const both = marginalSurprises(example.text, "row+column");
      const scaled = marginalSurprises(example.text, "sinkhorn");
      for (const [reveal, partials] of partialsBefore(example, test.prepared.variables.length).entries()) {
        if (partials === undefined) continue;
        const { posterior, value } = example.reveals[reveal];
        const here = at.get(binOf(partials)) ?? [];
        here.push({
          nats: paid[program][reveal],
          exact: -Math.log(posterior![value]), // this task gives a posterior to every reveal
          marginals: { row: row[reveal], "row+column": both[reveal], sinkhorn: scaled[reveal] },
        });
        at.set(binOf(partials), here);
      }
    }
    for (const [partials, paidHere] of [...at].toSorted(([a], [b]) => a - b)) {
      if (paidHere.length < LEAST) continue;
      const above = (of: (each: (typeof paidHere)[number]) => number) =>
        mean(paidHere.map((each) => of(each) - each.exact));
      rows.push(
        natsAboveExact.row({
          at: { test: name, partials },
          values: {
            exact: mean(paidHere.map(({ exact }) => exact)),
            nats: mean(paidHere.map(({ nats }) => nats)),
            above: above(({ nats }) => nats),
            standardError: standardError(paidHere.map(({ nats, exact }) => nats - exact)),
            row: above(({ marginals }) => marginals.row),
            rowColumn: above(({ marginals }) => marginals["row+column"]),
            sinkhorn: above(({ marginals }) => marginals.sinkhorn),
          },
        }),
      );
    }
  }
  return rows;
}

/** One place for each of 0 to 8, then wider ones, named by their middle: 10.5 is 9 to 12. */
function binOf(partials: number): number {
  if (partials <= 8) return partials;
  const width = partials <= 24 ? 4 : 8;
  const from = partials <= 24 ? 8 : 24;
  return from + Math.floor((partials - from - 1) / width) * width + (width + 1) / 2;
}
