/**
 * @file How often a trained model says all that a debugger's command changes: by command, by how far it goes, forwards and backwards,
 * each beside the most that can be known.
 *
 *     right     the whole stop: its place and every change
 *     known     of the same questions, how often the best guess is right of who knows all that is told
 *
 * Questions are grouped by what is told of them. How many lines a command jumps is, forwards, settled by the state; backwards it is the most
 * of all runs that fit.
 */

import { mean } from "../../src/math/statistics.ts";
import { isBackwards } from "../../src/tasks/debugger/moves.ts";
import { sharesOf } from "../../src/tasks/debugger/questions.ts";
import { debuggerTask, knownQuestions } from "../../src/tasks/debugger.ts";
import { exampleFrom } from "../../src/tasks/example.ts";
import { taskParams } from "../../src/tasks/index.ts";
import { evaluate, freshExamples } from "../../src/train/evaluate.ts";
import { type TrainedRun, testAbout } from "../../src/work/run/trained.ts";
import type { Measuring, UnreadResult } from "../engine/experiment.ts";
import { defineMeasurement } from "../engine/measurements.ts";

export const exactMatch = defineMeasurement({
  id: "exactMatch",
  label: "exact match",
  at: { by: "by", group: "" },
  values: { right: "right", known: "can be known", questions: "questions" },
});

/** What questions are grouped by, and how people read it. */
export const groupings = {
  command: "command",
  forwards: "lines jumped forwards",
  backwards: "lines jumped backwards",
  undone: "backwards, what the program lost",
} as const;
export type Grouping = keyof typeof groupings;

/** Lines of which there are fewer questions stand together. */
export const MOST_LINES = 5;
export const CERTAIN = "nothing: one answer";
export const SEVERAL = "something: several answers";

interface Asked {
  readonly groups: Readonly<Partial<Record<Grouping, number | string>>>;
  readonly right: number;
  readonly known: number;
}

export async function* measureExactMatch(trained: TrainedRun, programs: number): Measuring {
  yield { done: 0, of: 2 };
  const test = testAbout(trained, { questions: 4 }, programs);
  const { model, tree, weights, runtime } = trained;
  const { hits } = await evaluate(model, { tree, data: weights }, test, runtime);
  yield { done: 1, of: 2 };
  const { name: _, ...given } = trained.config.task;
  const params = taskParams(debuggerTask, given);
  const asked = freshExamples(test).flatMap((place, program) =>
    knownQuestions(exampleFrom(test.prepared, test.stream(place)), params).map(({ told, fit }, i): Asked => {
      const known = Math.max(...sharesOf(fit).values());
      const lines = Math.min(MOST_LINES, Math.max(...fit.map((each) => each.lines)));
      const back = isBackwards(told.command);
      return {
        groups: {
          command: told.command,
          ...(back
            ? { backwards: lines, undone: known > 1 - 1e-9 ? CERTAIN : SEVERAL }
            : { forwards: lines }),
        },
        right: hits[program][i],
        known,
      };
    }),
  );
  return (Object.keys(groupings) as Grouping[]).flatMap((by) => rowsBy(by, asked));
}

function rowsBy(by: Grouping, asked: readonly Asked[]) {
  const own = asked.filter(({ groups }) => groups[by] !== undefined);
  const groups = [...new Set(own.map((each) => each.groups[by]!))].toSorted((a, b) => (a < b ? -1 : 1)); // just filtered
  return groups.map((group) => {
    const here = own.filter((each) => each.groups[by] === group);
    const values = {
      right: mean(here.map(({ right }) => right)),
      known: mean(here.map(({ known }) => known)),
      questions: here.length,
    };
    return exactMatch.row({ at: { by, group }, values });
  });
}

/** The rows of one grouping. */
export const matchedBy = (
  result: Pick<UnreadResult, "measurements">,
  by: Grouping,
  wanted: { readonly model?: string; readonly seed?: number } = {},
) => exactMatch.of(result, { ...wanted, at: { by } });
