/**
 * @file Cooperative scheduling of long work on one thread, so that signals, requests and timers are served.
 *
 *     function* found(): Generator<void, number[]> { for (...) { ...; yield; } return numbers; }
 *
 *     atOnce(found())                         runs without a pause
 *     await inTurns(found(), turnsOf(signal))    a pause every 20 ms, in which the signal is checked
 */

const TURN_MILLISECONDS = 20;

/** Lets other tasks run, then throws the signal's reason if it has aborted. */
export function cooperativeTurns(signal?: AbortSignal): () => Promise<void> {
  return async () => {
    await new Promise<void>((resume) => {
      // Pages have no setImmediate.
      if (typeof setImmediate === "function") setImmediate(resume);
      else setTimeout(resume);
    });
    signal?.throwIfAborted();
  };
}

/** Runs a generator to its end, with a pause at a `yield` if it has run for long enough. Rejects with what the pause throws. */
export async function inTurns<T>(work: Generator<unknown, T>, pause = cooperativeTurns()): Promise<T> {
  const due = dueAfter(TURN_MILLISECONDS);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (due()) await pause();
  }
}

export function atOnce<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Each item of a generator, with such pauses between them. */
export async function* itemsInTurns<T>(items: Iterable<T>, pause = cooperativeTurns()): AsyncGenerator<T> {
  const due = dueAfter(TURN_MILLISECONDS);
  for (const item of items) {
    yield item;
    if (due()) await pause();
  }
}

/** Returns true once per interval of so many milliseconds. */
function dueAfter(milliseconds: number): () => boolean {
  let began = performance.now();
  return () => {
    const now = performance.now();
    if (now - began < milliseconds) return false;
    began = now;
    return true;
  };
}
