/**
 * @file A discrete-event clock: events run in order of their times, simultaneous ones in the order in which they were scheduled.
 *
 *     clock.at(30, () => kill(n1));          await clock.sleep(5);          await clock.until(60)
 *
 * Asynchronous code runs between two events: the next event waits until all awaiting code has settled.
 */

export interface Timer {
  readonly time: number;
  readonly act: () => void;
  readonly order: number;
  dropped: boolean;
}

export interface VirtualClock {
  /** Seconds since the start. */
  now(): number;
  at(time: number, act: () => void): Timer;
  drop(timer: Timer | undefined): void;
  sleep(seconds: number): Promise<void>;
  /** Asynchronous work was started: let it settle before the next event. */
  stir(): void;
  /** Runs events up to that time; returns early after an event for which `enough` is true. False if no events are left. */
  until(time: number, enough?: () => boolean): Promise<boolean>;
}

export function virtualClock(): VirtualClock {
  const heap: Timer[] = [];
  let [now, set, acted, stirred] = [0, 0, 0, false];
  const clock: VirtualClock = {
    now: () => now,
    at(time, act) {
      const timer = { time: Math.max(now, time), act, order: set++, dropped: false };
      push(heap, timer);
      return timer;
    },
    drop(timer) {
      if (timer !== undefined) timer.dropped = true;
    },
    sleep: (seconds) =>
      new Promise((resolve) => {
        clock.at(now + seconds, () => {
          stirred = true;
          resolve();
        });
      }),
    stir() {
      stirred = true;
    },
    async until(time, enough = () => false) {
      for (;;) {
        // Awaiting code has settled when no microtask is left: a macrotask runs only then.
        while (stirred) {
          stirred = false;
          await new Promise((resolve) => setImmediate(resolve));
        }
        if (enough()) return true;
        while (heap[0]?.dropped) pop(heap);
        const next = heap[0];
        if (next === undefined || next.time > time) {
          if (next === undefined && time === Number.POSITIVE_INFINITY) return false;
          now = time;
          return next !== undefined;
        }
        pop(heap);
        now = next.time;
        next.act();
        // Yield so that Ctrl-C is handled even if no event wakes any code.
        if (++acted % 4096 === 0) stirred = true;
      }
    },
  };
  return clock;
}

const before = (a: Timer, b: Timer) => a.time < b.time || (a.time === b.time && a.order < b.order);

function push(heap: Timer[], timer: Timer): void {
  let i = heap.push(timer) - 1;
  while (i > 0) {
    const parent = (i - 1) >> 1;
    if (!before(timer, heap[parent])) break;
    heap[i] = heap[parent];
    i = parent;
  }
  heap[i] = timer;
}

function pop(heap: Timer[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child++;
    if (!before(heap[child], last)) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = last;
}
