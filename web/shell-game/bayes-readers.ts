/**
 * @file What can be held of every variable after some swaps: by one who keeps track, and by the best reader who remembers only the last of them.
 *
 *     window 2     >>> print('a', a)  a 3     all orders with a = 3 are as likely as each other
 *                  >>> a, b = b, a            b = 3, and a and c hold 1 and 2 in either order
 *
 * The reader sees the last W swaps, the prints among them and those just before: of the six orders that there may have been then, those that agree
 * with these prints are counted. (The same of prints alone, by a formula: src/tasks/repl/bayes.ts.)
 */

import { type Played, type Session, VARIABLES } from "./session.ts";

/** shares[variable][value - 1]. */
export type Shares = readonly (readonly number[])[];

const ORDERS = [1, 2, 3].flatMap((a) => [1, 2, 3].flatMap((b) => [1, 2, 3].map((c) => [a, b, c])));
const orders = ORDERS.filter((each) => new Set(each).size === VARIABLES.length);

export function heldWithin(
  session: Session,
  { moments, reveals }: Played,
  at: number,
  window: number,
): Shares {
  const from = Math.max(0, at - window);
  const seen = reveals.filter(({ after }) => after >= from && after <= at);
  const begins = at < window ? [moments[0]] : orders;
  const possible = begins.flatMap((begin) => {
    const held = [...begin];
    const agrees = (after: number) =>
      seen.every((print) => print.after !== after || held[print.variable] === print.value);
    if (!agrees(from)) return [];
    for (let after = from + 1; after <= at; after++) {
      const [x, y] = [...session.swaps[after - 1]].map((name) =>
        VARIABLES.indexOf(name as (typeof VARIABLES)[number]),
      );
      [held[x], held[y]] = [held[y], held[x]];
      if (!agrees(after)) return [];
    }
    return [held];
  });
  return VARIABLES.map((_, variable) =>
    [1, 2, 3].map((value) => possible.filter((held) => held[variable] === value).length / possible.length),
  );
}

export const heldExactly = ({ moments }: Played, at: number): Shares =>
  moments[at].map((held) => [1, 2, 3].map((value) => (value === held ? 1 : 0)));

/** Questions for the beliefs of a model: each variable, printed now. */
export function questionsAt({ lines }: Played, at: number) {
  const text = lines
    .filter(({ after }) => after <= at)
    .map((line) => `${line.text}\n`)
    .join("");
  return VARIABLES.map((name) => {
    const before = `${text}>>> print('${name}', ${name})\n${name} `;
    return { text: before, places: [before] };
  });
}
