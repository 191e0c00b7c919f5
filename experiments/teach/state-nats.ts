/**
 * @file What a trained state head pays for the true states, above the exact filter on the same programs.
 *
 *     after each line t, of each variable i     -log softmax(head)[true value]  less  -log P(value | text up to the line)
 *
 * The head is read by steps of a training on true states whose rate is so low that nothing moves.
 */

import { afterAction, afterAnswer } from "../../src/math/hidden-markov.ts";
import { mean } from "../../src/math/statistics.ts";
import { fail } from "../../src/records/error.ts";
import { RunConfig } from "../../src/records/run.ts";
import { type Example, exampleFrom, exampleStream } from "../../src/tasks/index.ts";
import type { Prepared } from "../../src/tasks/task.ts";
import { openLesson, type Weights } from "./lesson.ts";

/** Adam's steps are about as long as the rate: weights move by less than a rounding. */
const NO_RATE = 1e-12;
/** Programs of a seed that no training has. */
const OTHER_SEED = 500_000;

export async function stateNatsAbove(config: RunConfig, base: Weights, programs: number): Promise<number> {
  const { batch } = config.train;
  const steps = Math.ceil(programs / batch);
  const asked = RunConfig.parse({
    ...config,
    seed: config.seed + OTHER_SEED,
    train: { steps, batch, learningRate: NO_RATE, weightDecay: 0 },
    teach: { signal: "dense" },
  });
  const lesson = openLesson(asked, { base });
  try {
    const paid: number[] = [];
    for await (const { stateLoss } of lesson.steps()) if (stateLoss !== undefined) paid.push(stateLoss);
    const { data } = lesson.trainer;
    const stream = exampleStream(asked.seed, "train");
    const exact = Array.from({ length: steps * batch }, (_, i) =>
      exactStateNats(data.prepared, exampleFrom(data.stages[0].prepared, stream(i))),
    );
    return mean(paid) - mean(exact);
  } finally {
    await lesson.release();
  }
}

/** Mean over the states of an example and its variables: what the filter pays that sees the text up to the state's line. */
export function exactStateNats({ hidden, variables, values }: Prepared, { text, states }: Example): number {
  if (hidden === undefined) fail("exactStateNats", "a task whose state is moved by chance", "another");
  const { machine, events } = hidden.read(text);
  let known = machine.start;
  const paid: number[] = [];
  const pay = (truth: Example["states"][number]) => {
    for (const [i, variable] of variables.entries()) {
      const wanted = values.indexOf(truth.values[variable]);
      let share = 0;
      for (let state = 0; state < machine.states; state++)
        if (hidden.values(state)[i] === wanted) share += known[state];
      paid.push(-Math.log(share));
    }
  };
  let told = 0;
  pay(states[told++]);
  for (const event of events) {
    if (event.kind === "act") {
      known = afterAction(known, machine.actions[event.action]);
      pay(states[told++]);
    } else known = afterAnswer(known, machine.questions[event.question], event.answer);
  }
  return mean(paid);
}
