/**
 * @file Probability of each order of n things after m uniformly random swaps.
 *
 *     P_0 is certain of the identity;   P_{m+1}(p) = mean over all pairs (i j) of P_m(p (i j))
 *
 * It depends on the lengths of p's cycles alone: a swap within a cycle of length L splits it into k and L - k, one across two
 * cycles joins them. After even m only even permutations are possible, after odd m only odd ones.
 *
 * For a partly known order (`places[i] = v`: v is at place i) the unknown places are summed over: the known ones form closed cycles and
 * open paths, and the paths are joined in every possible way.
 */

/** Cycle lengths, the longest first. */
type Cycles = readonly number[];

/** A partly known order: places[i] is the thing at place i, -1 if unknown. */
export type Known = readonly number[];

/** The probability that m random swaps of n things produce an order consistent with `known`. Memoized. */
export function randomSwaps(n: number): (m: number, known: Known) => number {
  const byCycles: Map<string, number>[] = [new Map([[nameOf(new Array(n).fill(1)), 1]])];
  const sums = new Map<string, number>();
  const one = (m: number, cycles: Cycles) => {
    while (byCycles.length <= m) byCycles.push(afterSwap(byCycles[byCycles.length - 1], n));
    return byCycles[m].get(nameOf(cycles)) ?? 0;
  };
  return (m, known) => {
    const { cycles, paths } = piecesOf(known);
    const name = `${m}|${nameOf(cycles)}|${nameOf(paths)}`;
    const before = sums.get(name);
    if (before !== undefined) return before;
    const sum = joined(paths, cycles, (whole) => one(m, whole));
    sums.set(name, sum);
    return sum;
  };
}

const nameOf = (lengths: readonly number[]) => lengths.toSorted((a, b) => b - a).join();

/** P_{m+1} by cycle type, from P_m. */
function afterSwap(before: ReadonlyMap<string, number>, n: number): Map<string, number> {
  const pairs = (n * (n - 1)) / 2;
  const kinds = new Set<string>();
  for (const name of before.keys())
    for (const [cycles] of neighbours(lengthsIn(name))) kinds.add(nameOf(cycles));
  return new Map(
    [...kinds].map((name) => {
      const sum = neighbours(lengthsIn(name)).reduce(
        (total, [cycles, swaps]) => total + swaps * (before.get(nameOf(cycles)) ?? 0),
        0,
      );
      return [name, sum / pairs];
    }),
  );
}

const lengthsIn = (name: string) => name.split(",").map(Number);

/** The cycle types reachable by one swap, with their number of swaps. */
function neighbours(cycles: Cycles): [Cycles, swaps: number][] {
  const found: [Cycles, number][] = [];
  for (const [i, length] of cycles.entries()) {
    const others = cycles.filter((_, j) => j !== i);
    for (let k = 1; 2 * k <= length; k++) {
      found.push([[...others, k, length - k], 2 * k === length ? length / 2 : length]);
    }
    for (let j = 0; j < i; j++) {
      const rest = others.filter((_, at) => at !== j);
      found.push([[...rest, length + cycles[j]], length * cycles[j]]);
    }
  }
  return found;
}

/** The lengths of the closed cycles and of the open paths of a partly known order. */
function piecesOf(known: Known): { cycles: number[]; paths: number[] } {
  const cycles: number[] = [];
  const paths: number[] = [];
  const isReached = new Set(known);
  const done = new Set<number>();
  const follow = (start: number) => {
    let length = 0;
    let at = start;
    for (; at >= 0 && !done.has(at); at = known[at]) {
      done.add(at);
      length++;
    }
    (at >= 0 ? cycles : paths).push(length);
  };
  for (let i = 0; i < known.length; i++) if (!isReached.has(i)) follow(i);
  for (let i = 0; i < known.length; i++) if (!done.has(i)) follow(i);
  return { cycles, paths };
}

/** The sum of `of` over every way to join paths to cycles: k paths form one cycle in (k - 1)! orders. */
function joined(paths: readonly number[], cycles: Cycles, of: (cycles: Cycles) => number): number {
  if (paths.length === 0) return of(cycles);
  const [first, ...rest] = paths;
  let sum = 0;
  for (let chosen = 0; chosen < 2 ** rest.length; chosen++) {
    const inside = rest.filter((_, i) => (chosen >> i) & 1);
    const outside = rest.filter((_, i) => !((chosen >> i) & 1));
    const length = inside.reduce((total, each) => total + each, first);
    sum += factorial(inside.length) * joined(outside, [...cycles, length], of);
  }
  return sum;
}

function factorial(n: number): number {
  return n < 2 ? 1 : n * factorial(n - 1);
}
