/**
 * @file The step at which a run loses the state: after it, the claims never equal the truth again.
 *
 *     step              1   2   3   4   5   6   7
 *     x claimed         r   w   r   -   r   w   w         r right, w wrong, - nothing claimed
 *     state             r   w   r   -   r   w   w         right where the last word on every name is
 *     first error           2                             it recovered at 3
 *     last error                                7
 *     onset                             5 < 6             lost after step 5, seen at 6
 */

export interface Word {
  readonly step: number;
  readonly name: string;
  readonly right: boolean;
  /** Names that its true value was made of. */
  readonly madeOf: readonly string[];
}

/** Words in the order of their steps; a name has one word a step. */
export function findOnset(words: readonly Word[]) {
  const steps = [...new Set(words.map(({ step }) => step))];
  const wrong = new Set<string>();
  const recovered: number[] = [];
  let after: number | null = null;
  let chain: { step: number; names: string[]; from: string[] }[] = [];
  for (const step of steps) {
    const before = new Set(wrong);
    const own = words.filter((word) => word.step === step);
    for (const { name, right } of own) {
      if (right) wrong.delete(name);
      else wrong.add(name);
    }
    if (wrong.size === 0) {
      if (before.size > 0) recovered.push(step);
      [after, chain] = [step, []];
      continue;
    }
    const fresh = own.filter(({ name, right }) => !right && !before.has(name));
    if (fresh.length > 0)
      chain.push({
        step,
        names: fresh.map(({ name }) => name),
        from: [...new Set(fresh.flatMap(({ madeOf }) => madeOf.filter((name) => before.has(name))))],
      });
  }
  const errors = words.filter(({ right }) => !right).map(({ step }) => step);
  const [first] = chain;
  // `recovered`: steps at which the state was right again.
  return {
    onset: first === undefined ? null : { step: first.step, after, names: first.names },
    chain,
    recovered,
    firstError: errors[0] ?? null,
    lastError: errors.at(-1) ?? null,
  };
}
