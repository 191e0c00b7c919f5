/** @file Makers and a training in time that only passes when all of them wait, and what they should take by plain arithmetic. */

import type { Clock } from "./clock.ts";

/** Time that jumps to the next who wakes when all `actors` wait; `left` says that one has ended. */
export function jumpingClock(actors: number): Clock & { left(): void } {
  let now = 0;
  let alive = actors;
  let order = 0;
  const waiting: { readonly until: number; readonly order: number; readonly wake: () => void }[] = [];
  const jump = () => {
    if (waiting.length === 0 || waiting.length < alive) return;
    waiting.sort((a, b) => a.until - b.until || a.order - b.order);
    const next = waiting.shift()!; // there is one
    now = next.until;
    next.wake();
  };
  return {
    now: () => now,
    pause: (seconds) =>
      new Promise((wake) => {
        waiting.push({ until: now + seconds, order: order++, wake });
        jump();
      }),
    left() {
      alive--;
      jump();
    },
  };
}

export interface Times {
  /** Of each block: what making it takes, and what training on it does. */
  readonly make: readonly number[];
  readonly train: readonly number[];
  readonly makers: number;
  /** K. */
  readonly ahead: number;
  /** N; undefined where blocks do not depend on weights. */
  readonly staleness: number | undefined;
}

/**
 * When each block is begun, made, taken and done with:
 *
 *     begun(n) = max(a maker is free, taken(n - K), done(n - 1 - N))      taken(n) = max(done(n - 1), made(n))
 */
export function naiveTimes({ make, train, makers, ahead, staleness }: Times) {
  const free = Array.from({ length: makers }, () => 0);
  const [begun, taken, done] = [[0], [0], [0]];
  const [waited, makerWaited] = [[0], [0]];
  for (let n = 1; n <= make.length; n++) {
    const room = taken[Math.max(0, n - ahead)];
    const fresh = staleness === undefined ? 0 : done[Math.max(0, n - 1 - staleness)];
    const who = free.indexOf(Math.min(...free));
    begun[n] = Math.max(free[who], room, fresh);
    makerWaited[n] = begun[n] - free[who];
    free[who] = begun[n] + make[n - 1];
    taken[n] = Math.max(done[n - 1], free[who]);
    waited[n] = taken[n] - done[n - 1];
    done[n] = taken[n] + train[n - 1];
  }
  return { seconds: done[make.length], waited, makerWaited };
}
