/**
 * @file Asks a trained run about tests and keeps each answer at once, so that however often the work is cut short none is
 * asked twice. `evaluate`, sweeps and experiments ask by the one function below.
 */

import { LabError } from "../../core/error.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { type Nats, type Shares, type TestedRecord, testName } from "../../schemas/test-result.ts";
import { type Evaluation, freshInTurns, meanNats } from "../../train/evaluate.ts";
import { type Asked, askAbout, type TrainedRun, testAbout } from "./open.ts";
import { answerTo, keepTested } from "./results.ts";

type Change = Readonly<Record<string, unknown>>;

export interface Asking {
  readonly tests: readonly Change[];
  /** A test. */
  readonly programs: number;
  /** What need not be asked again. */
  readonly known: readonly TestedRecord[];
  /** `done`: tests before this one. */
  readonly onAsk?: (test: string, done: number) => void;
  /** Whether the answers are those of the run, to be kept with it; true where it is not said. */
  readonly keep?: boolean;
  /** Takes a refusal of the disk to keep an answer; without it, that ends the work. */
  readonly onUnkept?: (refusal: LabError) => void;
  readonly signal: AbortSignal;
}

/** One answer a test, in their order. Throws the signal's reason between two tests; what was answered is kept. */
export async function askTests(folder: string, run: TrainedRun, asking: Asking): Promise<TestedRecord[]> {
  const { tests, programs: wanted, onAsk, signal, keep = true } = asking;
  const known = [...asking.known];
  const answers: TestedRecord[] = [];
  for (const [done, change] of tests.entries()) {
    await new Promise(setImmediate); // a signal is heard between two tests
    signal.throwIfAborted();
    onAsk?.(testName(change), done);
    let answer = answerTo(known, { step: run.step, change, wanted });
    if (answer === undefined) {
      const asked = await ask(run, change, wanted, signal);
      if (keep) await orTold(keepTested(folder, asked), asking.onUnkept);
      known.push(asked);
      answer = asked;
    }
    answers.push(answer);
  }
  return answers;
}

/** Writing that a disk may refuse: its refusal is told where somebody listens. */
export async function orTold(writing: Promise<void>, onUnkept: Asking["onUnkept"]): Promise<void> {
  try {
    await writing;
  } catch (error) {
    if (onUnkept === undefined || !(error instanceof LabError) || error.kind !== "unwritable") throw error;
    onUnkept(error);
  }
}

async function ask(
  run: TrainedRun,
  change: Change,
  wanted: number,
  signal: AbortSignal,
): Promise<TestedRecord> {
  const asked = await askAbout(run, change, wanted, { signal });
  const { programs, reveals, hits } = asked.evaluation;
  const nats = natsOf(asked);
  return {
    ...{ version: 2, step: run.step, change, wanted, programs, reveals },
    ...sharesOf(asked.evaluation),
    references: Object.fromEntries(
      Object.entries(asked.references).map(([name, evaluation]) => [name, sharesOf(evaluation)]),
    ),
    ...(nats && { nats }),
    places: await freshInTurns(testAbout(run, change, wanted, signal)),
    hits: hits.map((program) => program.join("")),
  };
}

function sharesOf({ accuracy, accuracyLast, accuracyByReveal }: Evaluation): Shares {
  return { accuracy, accuracyLast, accuracyByReveal: [...accuracyByReveal] };
}

/** What a model and the exact filter paid; undefined where nothing is hidden by chance. */
function natsOf({ evaluation, exactSurprises }: Asked): Nats | undefined {
  const { surprises } = evaluation;
  if (surprises === undefined || exactSurprises === undefined) return undefined;
  const [vocabulary, values] = [meanNats(surprises.vocabulary), meanNats(surprises.values)];
  return { vocabulary, values, exact: meanNats(exactSurprises) };
}

/** The answers of weights to every test of a configuration, in its order; undefined while one is missing. */
export function answersToAll(
  known: readonly TestedRecord[],
  { evaluate: { tests, programs: wanted } }: RunConfig,
  step: number,
): TestedRecord[] | undefined {
  const found = tests.flatMap((change) => answerTo(known, { step, change, wanted }) ?? []);
  return found.length === tests.length ? found : undefined;
}
