/**
 * @file Moore machines: finite automata with an output in each state. Minimization and equivalence.
 *
 *     minimised     states that no word tells apart become one (Moore's partition refinement), unreachable ones go
 *     difference    the shortest word after which two machines say different things: breadth-first over pairs of states;
 *                   undefined where there is none, and then they are equivalent on all words
 *
 * Source: Moore 1956; Hopcroft and Karp 1971 for the product.
 */

export interface MooreMachine {
  readonly start: number;
  /** next[state][letter]. */
  readonly next: readonly (readonly number[])[];
  /** Output of each state. */
  readonly output: readonly number[];
}

export interface MachineOfWords extends MooreMachine {
  /** In the order of the rows of `next`. */
  readonly letters: readonly string[];
}

export function minimised({ start, next, output }: MooreMachine): MooreMachine {
  const reached = [start];
  const seen = new Set(reached);
  for (const state of reached) {
    for (const after of next[state]) {
      if (seen.has(after)) continue;
      seen.add(after);
      reached.push(after);
    }
  }
  const block = alikeStates({ next, output });
  const one = reached.filter((state, i) => reached.findIndex((other) => block[other] === block[state]) === i);
  const at = new Map(one.map((state, i) => [block[state], i]));
  return {
    start: 0, // initial state
    next: one.map((state) => next[state].map((after) => at.get(block[after])!)), // every following state is reachable
    output: one.map((state) => output[state]),
  };
}

/** An equivalence class for each state, also for unreachable ones. */
export function alikeStates({ next, output }: Pick<MooreMachine, "next" | "output">): number[] {
  let block = numbered(output.map(String));
  for (;;) {
    const finer = numbered(
      next.map((row, state) => `${block[state]} ${row.map((after) => block[after]).join(" ")}`),
    );
    if (Math.max(...finer) === Math.max(...block)) return block;
    block = finer;
  }
}

/** Equal names get equal numbers, in order of first appearance. */
function numbered(names: readonly string[]): number[] {
  const numbers = new Map<string, number>();
  return names.map((name) => {
    if (!numbers.has(name)) numbers.set(name, numbers.size);
    return numbers.get(name)!;
  });
}

/** A shortest word that distinguishes the machines. */
export function difference(a: MooreMachine, b: MooreMachine): number[] | undefined {
  const pairs = [{ a: a.start, b: b.start, word: [] as number[] }];
  const seen = new Set([`${a.start} ${b.start}`]);
  for (const pair of pairs) {
    if (a.output[pair.a] !== b.output[pair.b]) return pair.word;
    for (const [letter, after] of a.next[pair.a].entries()) {
      const other = b.next[pair.b][letter];
      if (seen.has(`${after} ${other}`)) continue;
      seen.add(`${after} ${other}`);
      pairs.push({ a: after, b: other, word: [...pair.word, letter] });
    }
  }
  return undefined;
}

/** Compares both on every word, in order of length, up to the longest length with at most `most` words in total. */
export function agreementOnWords(
  a: MooreMachine,
  b: MooreMachine,
  most = 100_000,
): { readonly words: number; readonly length: number; readonly agreeing: number } {
  const letters = a.next[0]?.length ?? 0;
  let [words, agreeing, length] = [0, 0, 0];
  let ends: (readonly [number, number])[] = [[a.start, b.start]];
  for (;;) {
    words += ends.length;
    agreeing += ends.filter(([x, y]) => a.output[x] === b.output[y]).length;
    if (words + ends.length * letters > most || letters === 0) return { words, length, agreeing };
    ends = ends.flatMap(([x, y]) => a.next[x].map((after, letter) => [after, b.next[y][letter]] as const));
    length++;
  }
}
