/** @file A counting semaphore: at most `count` tasks run at once, the others wait in the order in which they came. */

export interface Semaphore {
  readonly count: number;
  /** Waits for a permit; resolves to false, without one, if the signal aborts first. */
  take(signal?: AbortSignal): Promise<boolean>;
  release(): void;
}

export function semaphore(count: number): Semaphore {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    count,
    take(signal) {
      if (signal?.aborted) return Promise.resolve(false);
      if (free > 0) {
        free--;
        return Promise.resolve(true);
      }
      return new Promise((resolve) => {
        const start = () => {
          signal?.removeEventListener("abort", giveUp);
          resolve(true);
        };
        const giveUp = () => {
          waiting.splice(waiting.indexOf(start), 1);
          resolve(false);
        };
        waiting.push(start);
        signal?.addEventListener("abort", giveUp, { once: true });
      });
    },
    release() {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    },
  };
}

/** Runs work as soon as one of `count` permits is free. Rejects with the signal's reason if it aborts before the work starts. */
export function slots(
  count: number,
): <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result> {
  const permits = semaphore(count);
  return async (work, signal) => {
    if (!(await permits.take(signal))) throw signal?.reason;
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      permits.release();
    }
  };
}

/** Creates a resource that keeps its permit until `ended` is called. Rejects, and frees the permit, if `make` fails. */
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
