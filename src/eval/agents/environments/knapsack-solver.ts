/**
 * @file The knapsack, exactly: the most value that fits, by dynamic programming over items and weights, and two rules that do worse.
 *
 *     best[i][w] = max(best[i-1][w], best[i-1][w - weight_i] + value_i)        O(n capacity)
 *
 * Items and weights are few here: 120 items and a capacity of 2,000 take a millisecond.
 */

export interface Weighed {
  /** Whole and above 0. */
  readonly weight: number;
  readonly value: number;
}

/** The items of a best subset, in the order in which they were given. */
export function bestSubset<Item extends Weighed>(items: readonly Item[], capacity: number): Item[] {
  const width = capacity + 1;
  const best = new Float64Array((items.length + 1) * width);
  for (const [i, { weight, value }] of items.entries()) {
    for (let room = 0; room < width; room++) {
      const without = best[i * width + room];
      const taken = room < weight ? -1 : best[i * width + room - weight] + value;
      best[(i + 1) * width + room] = Math.max(without, taken);
    }
  }
  const chosen: Item[] = [];
  for (let i = items.length, room = capacity; i > 0; i--) {
    if (best[i * width + room] === best[(i - 1) * width + room]) continue;
    chosen.push(items[i - 1]);
    room -= items[i - 1].weight;
  }
  return chosen.reverse();
}

/** Takes what is worth most for its weight as long as it fits. */
export function greedySubset<Item extends Weighed>(items: readonly Item[], capacity: number): Item[] {
  return fitting(
    items.toSorted((a, b) => b.value / b.weight - a.value / a.weight),
    capacity,
  );
}

/** Takes what comes as long as it fits. */
export function fitting<Item extends Weighed>(items: readonly Item[], capacity: number): Item[] {
  let room = capacity;
  return items.filter(({ weight }) => {
    const fits = weight <= room;
    if (fits) room -= weight;
    return fits;
  });
}

export const worthOf = (items: readonly Weighed[]) => items.reduce((sum, { value }) => sum + value, 0);
export const weightOf = (items: readonly Weighed[]) => items.reduce((sum, { weight }) => sum + weight, 0);
