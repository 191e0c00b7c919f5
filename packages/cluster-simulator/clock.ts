/**
 * @file A clock that goes as fast as there is nothing to do: events in the order of their times, those of one time in the order in
 * which they were set.
 *
 *     clock.at(30, () => kill(n1));          await clock.sleep(5);          await clock.until(60)
 *
 * Code that waits (`await`) goes on between two events: the next one comes when all that the last one woke has come to rest.
 */

export interface Timer {
  readonly time: number;
  readonly act: () => void;
  readonly order: number;
  dropped: boolean;
}

export interface VirtualClock {
  /** Seconds since it began. */
  now(): number;
  at(time: number, act: () => void): Timer;
  drop(timer: Timer | undefined): void;
  sleep(seconds: number): Promise<void>;
  /** Something was begun that waits: it is to come to rest before the next event. */
  stir(): void;
  /** Everything up to that time; ends early, at the time of an event, when `enough` says so after it. False where there is nothing more to come. */
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
        // What was woken rests when no microtask is left: then a macrotask has its turn.
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
        // Ctrl-C is to be heard, however many events wake nobody.
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
