/**
 * @file How a training and those who make its examples kept each other busy, and what other bounds would come to.
 *
 *     begun(n) = max(a maker is free, taken(n - K), done(n - 1 - N))       taken(n) = max(done(n - 1), made(n))
 *
 *     a maker of 10 s a block, a training of 4 s a step:    a step takes 10 s;  with N = 0, both in turn, 14 s;  with two makers 5 s
 *
 * K: blocks ahead (`ahead`); N: steps that weights may be old (`staleness`), where blocks depend on them.
 */

export interface StreamTimes {
  /** Seconds that making each block takes, and training on it. */
  readonly make: readonly number[];
  readonly train: readonly number[];
  readonly makers: number;
  readonly ahead: number;
  /** undefined where blocks do not depend on weights. */
  readonly staleness: number | undefined;
}

export function streamPlan({ make, train, makers, ahead, staleness }: StreamTimes) {
  const free = Array.from({ length: makers }, () => 0);
  const [taken, done] = [[0], [0]];
  const [waited, makerWaited]: number[][] = [[], []];
  for (let n = 1; n <= make.length; n++) {
    const room = taken[Math.max(0, n - ahead)];
    const fresh = staleness === undefined ? 0 : done[Math.max(0, n - 1 - staleness)];
    const who = free.indexOf(Math.min(...free));
    const begun = Math.max(free[who], room, fresh);
    makerWaited.push(begun - free[who]);
    free[who] = begun + make[n - 1];
    taken.push(Math.max(done[n - 1], free[who]));
    waited.push(taken[n] - done[n - 1]);
    done.push(taken[n] + train[n - 1]);
  }
  // `waited`: per block: how long the training waits for it, and how long its data worker waits before it begins.
  // `seconds`: until the last block is done with.
  return { seconds: done[make.length], waited, makerWaited };
}

/** A step as metrics.jsonl has it. */
export interface StreamStep {
  readonly step: number;
  /** All of the step, and what of it was waiting for its block. */
  readonly seconds: number;
  readonly waited: number;
  readonly blockSeconds: number;
  readonly blockWaited: number;
  readonly unread: number;
  /** Absent where blocks do not depend on weights. */
  readonly staleness?: number | undefined;
}

/** Some steps that follow each other. */
export interface StreamSpan {
  /** The last of them. */
  readonly step: number;
  /** Samples a second that the training went through, waiting included. */
  readonly samples: number;
  /** Shares of their time in which the training waited, and those who make examples. */
  readonly waited: number;
  readonly makerWaited: number;
  readonly unread: number;
  readonly staleness?: { readonly mean: number; readonly max: number };
}

/** At most so many spans of equal length. */
export function streamSpans(steps: readonly StreamStep[], batch: number, most = 50): StreamSpan[] {
  const size = Math.max(1, Math.ceil(steps.length / most));
  return Array.from({ length: Math.ceil(steps.length / size) }, (_, i) =>
    asyncDataSpan(steps.slice(i * size, (i + 1) * size), batch),
  );
}

/** `steps` has at least one step. */
export function asyncDataSpan(steps: readonly StreamStep[], batch: number): StreamSpan {
  const sum = (of: (step: StreamStep) => number) => steps.reduce((total, step) => total + of(step), 0);
  const share = (part: number, rest: number) => (part + rest === 0 ? 0 : part / (part + rest));
  const seconds = sum((step) => step.seconds);
  const waited = sum((step) => step.waited);
  const ages = steps.flatMap(({ staleness }) => staleness ?? []);
  return {
    step: steps.at(-1)!.step, // there is one
    samples: (steps.length * batch) / seconds,
    waited: share(waited, seconds - waited),
    makerWaited: share(
      sum((step) => step.blockWaited),
      sum((step) => step.blockSeconds),
    ),
    unread: sum(({ unread }) => unread) / steps.length,
    ...(ages.length > 0 && {
      staleness: { mean: ages.reduce((a, b) => a + b, 0) / ages.length, max: Math.max(...ages) },
    }),
  };
}

/** Samples a second that these steps would have come to with other bounds, if nothing takes longer for it. */
export function samplesWith(
  steps: readonly StreamStep[],
  batch: number,
  bounds: Pick<StreamTimes, "makers" | "ahead" | "staleness">,
): number {
  const { seconds } = streamPlan({
    make: steps.map(({ blockSeconds }) => blockSeconds),
    train: steps.map((step) => step.seconds - step.waited),
    ...bounds,
  });
  return (steps.length * batch) / seconds;
}
