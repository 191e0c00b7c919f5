/**
 * @file Long work on one thread, in turns with what else waits there: a signal that ends it, a request, a timer.
 *
 *     function* found(): Generator<void, number[]> { for (...) { ...; yield; } return numbers; }
 *
 *     atOnce(found())                         nothing else runs meanwhile
 *     await inTurns(found(), turnsOf(signal))    a pause every 20 ms, in which the signal is heard
 */

const TURN_MILLISECONDS = 20;

/** What else waits runs, and then the signal's reason is thrown if it has aborted. */
export function turnsOf(signal?: AbortSignal): () => Promise<void> {
  return async () => {
    await new Promise<void>((resume) => {
      // Pages have no setImmediate.
      if (typeof setImmediate === "function") setImmediate(resume);
      else setTimeout(resume);
    });
    signal?.throwIfAborted();
  };
}

/** The end of a piece of work, with a pause wherever it yields and has run for long enough. Rejects with what the pause throws. */
export async function inTurns<T>(work: Generator<unknown, T>, pause = turnsOf()): Promise<T> {
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

/** Each item of a list that is drawn one by one, with such pauses between them. */
export async function* itemsInTurns<T>(items: Iterable<T>, pause = turnsOf()): AsyncGenerator<T> {
  const due = dueAfter(TURN_MILLISECONDS);
  for (const item of items) {
    yield item;
    if (due()) await pause();
  }
}

/** True once so many milliseconds have passed since it was true the last time. */
function dueAfter(milliseconds: number): () => boolean {
  let began = performance.now();
  return () => {
    const now = performance.now();
    if (now - began < milliseconds) return false;
    began = now;
    return true;
  };
}
