/** @file Time for makers of blocks and a training that only passes when all of them wait. */

import type { Clock } from "../async-data/source.ts";

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
