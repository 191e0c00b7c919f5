/**
 * @file The nearest of some names to a mistyped one: `nearest("spaceing", ["spacing", "seed"])` is "spacing".
 *
 * Distance is the number of edits (insert, delete, replace one letter, swap two neighbours) that turn one into the
 * other: optimal string alignment. Source: Damerau 1964, doi:10.1145/363958.363994.
 */

import { fail } from "./error.ts";

/**
 * The candidate with the fewest edits from `name`, if at most a third of its letters (and at least one) differ; else the
 * one nearest in length that `name` begins with, or that begins with `name`: `train` for `training`.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const all = [...candidates];
  let best: string | undefined;
  let bestEdits = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of all) {
    if (Math.abs(name.length - candidate.length) >= bestEdits) continue; // so many at least
    const edits = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (edits < bestEdits) {
      best = candidate;
      bestEdits = edits;
    }
  }
  if (best !== undefined) return best;
  const distance = (candidate: string) => Math.abs(candidate.length - name.length);
  return all
    .filter((candidate) => isBeginning(name.toLowerCase(), candidate.toLowerCase()))
    .reduce<string | undefined>(
      (one, other) => (one === undefined || distance(other) < distance(one) ? other : one),
      undefined,
    );
}

/** Shorter prefixes match too many names. */
const leastBeginning = 4;

function isBeginning(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= leastBeginning && long.startsWith(short);
}

/** The key path `train.steps` for a misplaced `steps`; hyphens and capitals make no difference. */
export function keyNamed(name: string, paths: readonly string[]): string | undefined {
  const plain = (word: string) => word.replaceAll(/[-_]/g, "").toLowerCase();
  const last = new Map(paths.map((path) => [plain(path.slice(path.lastIndexOf(".") + 1)), path]));
  const close = last.has(plain(name)) ? plain(name) : nearest(plain(name), last.keys());
  return close === undefined ? undefined : last.get(close);
}

/** "Did you mean X?" when something near enough exists, else `otherwise`, by default all candidates. */
export function suggest(
  name: string,
  candidates: readonly string[],
  otherwise = `Choose one of ${candidates.join(", ")}`,
): string {
  const close = nearest(name, candidates);
  return close === undefined ? otherwise : `Did you mean ${close}?`;
}

/** The choice that a text names. @throws LabError (usage) suggesting the nearest; `name` is the flag or argument */
export function parseChoice<const T extends string>(name: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const close = nearest(text, choices);
  return fail(name, `one of ${choices.join(", ")}`, text, close && `Did you mean ${close}?`);
}

export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
      }
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length];
}
