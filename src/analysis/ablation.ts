/**
 * @file Which head does the work: each one is silenced in turn, and the questions are asked again.
 *
 *     zero      what the head has read becomes 0
 *     mean      ... becomes its mean over all tokens of all programs: it says nothing of this program, but keeps its usual size
 *     drop      accuracy of the whole model less that of the silenced one, on the same programs (paired bootstrap, 95 %)
 *
 * Zeros take a model out of the range it has seen, so a drop under zero alone may be the shock, not the loss of what the
 * head knew; mean-ablation is the control. Source: Wang et al. 2022, arXiv:2211.00593.
 */

import type { Rng } from "../math/rng.ts";
import { wilsonInterval } from "../math/statistics.ts";
import { bootstrapDifference } from "./bootstrap.ts";
import type { Program, Tap } from "./recording.ts";
import { rowAt, tokensOf } from "./recording.ts";
import type { Interval } from "./seeds.ts";

export const ablationKinds = ["zero", "mean"] as const;
export type AblationKind = (typeof ablationKinds)[number];

export interface HeadPlace {
  readonly layer: number;
  readonly head: number;
}

/** Questions of one program, and how many were answered right. */
export interface Asked {
  readonly asked: number;
  readonly right: number;
}

/** Asks the model about every program, with one head silenced where one is named. */
export type AskWithout = (
  silenced?: HeadPlace & { readonly kind: AblationKind },
) => Promise<readonly Asked[]>;

export interface Silenced extends HeadPlace {
  readonly kind: AblationKind;
  readonly accuracy: number;
  readonly interval: Interval;
  readonly drop: number;
  readonly dropInterval: Interval;
}

export interface Ablation {
  readonly questions: number;
  /** Of the whole model. */
  readonly accuracy: number;
  readonly interval: Interval;
  readonly silenced: readonly Silenced[];
}

export async function ablateHeads(
  heads: readonly HeadPlace[],
  ask: AskWithout,
  { rng }: { readonly rng: Rng },
): Promise<Ablation> {
  const whole = await ask();
  const silenced: Silenced[] = [];
  for (const { layer, head } of heads) {
    for (const kind of ablationKinds) {
      const without = await ask({ layer, head, kind });
      const pairs = whole.map(({ asked, right }, i) => ({ asked, rightA: without[i].right, rightB: right }));
      const stream = rng.fork(`${layer} ${head} ${kind}`);
      const { difference, interval } = bootstrapDifference(pairs, { rng: stream, draws: 1000 });
      silenced.push({ layer, head, kind, ...accuracyOf(without), drop: difference, dropInterval: interval });
    }
  }
  const questions = whole.reduce((sum, { asked }) => sum + asked, 0);
  return { questions, ...accuracyOf(whole), silenced };
}

/** Wilson's interval. Questions of one program are taken as independent: where they are not, it is too narrow. */
export function accuracyOf(programs: readonly Asked[]): { accuracy: number; interval: Interval } {
  const asked = programs.reduce((sum, program) => sum + program.asked, 0);
  const right = programs.reduce((sum, program) => sum + program.right, 0);
  return { accuracy: asked === 0 ? 0 : right / asked, interval: wilsonInterval(right, asked) };
}

/** What a head has read, on average over all tokens. */
export function meanReading(tap: Tap, programs: readonly Program[], head: number): Float32Array {
  const sum = new Float64Array(tap.shape.at(-1) ?? 0);
  let count = 0;
  for (const [i, t] of tokensOf(programs)) {
    const row = rowAt(tap, i, t, head);
    for (let k = 0; k < sum.length; k++) sum[k] += row[k];
    count++;
  }
  return Float32Array.from(sum, (each) => each / Math.max(1, count));
}
