/** @file At most so many at a time: the others wait their turn. */

/** Runs work when one of `count` places is free. Rejects with the signal's reason if it aborts while waiting. */
export function slots(
  count: number,
): <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (work, signal) => {
    signal?.throwIfAborted();
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve)); // who leaves hands the place on
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}

/** Makes something that keeps its place until it calls `ended`; rejects, without a place, where it cannot be made. */
export function held<Result>(
  slot: ReturnType<typeof slots>,
  make: (ended: () => void) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const whole = slot(async () => {
      let ended = () => {};
      const over = new Promise<void>((done) => {
        ended = done;
      });
      resolve(await make(ended));
      await over;
    }, signal);
    whole.catch(reject);
  });
}
