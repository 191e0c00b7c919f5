/** @file Waits in tests for something that another process does. */

export interface Waiting {
  readonly seconds?: number;
  /** What is looked at, for the error: the last value is in its text. */
  readonly saw?: () => unknown;
}

/** Resolves when `holds()` is true. @throws Error naming what it waited for, how long, and what it saw last */
export async function until(
  holds: () => boolean,
  what: string,
  { seconds = 60, saw }: Waiting = {},
): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  for (let pause = 2; !holds(); pause = Math.min(2 * pause, 100)) {
    if (performance.now() > deadline) {
      const seen = saw === undefined ? "" : `; saw ${describe(saw)}`;
      throw new Error(`waited ${seconds} s for ${what}${seen}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function describe(saw: () => unknown): string {
  try {
    const seen = saw();
    return typeof seen === "string" ? seen : JSON.stringify(seen);
  } catch (error) {
    return String(error);
  }
}
