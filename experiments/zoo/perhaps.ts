/**
 * @file The automaton of the column `pfsa`: three things of which a word perhaps exchanges two.
 *
 *     ab           from 213 to 123 with probability 0.9, else it stays; nobody sees which
 *     a 2          what stands at the first place, a reveal
 *     state 213    all of it
 *
 * A word that exchanges with probability p has the eigenvalue 1 - 2p on what is known of the two. Above 1/2 it is negative: the likelier
 * of two changes with every word, which one memory that only fades does not follow; who looks back at what was named may.
 */

import type { Automaton } from "../../src/records/automaton.ts";

const orders = ["123", "132", "213", "231", "312", "321"];
const places = { a: 0, b: 1, c: 2 } as const;
type Place = keyof typeof places;

function exchanged(order: string, one: Place, other: Place): string {
  const things = [...order];
  [things[places[one]], things[places[other]]] = [things[places[other]], things[places[one]]];
  return things.join("");
}

/** @param probability that two things are exchanged, in (0, 1) */
export function perhapsSwaps(probability: number): Automaton {
  const action = (one: Place, other: Place) =>
    Object.fromEntries(
      orders.map((order) => [
        order,
        { [order]: 1 - probability, [exchanged(order, one, other)]: probability },
      ]),
    );
  const reveal = (place: Place) => Object.fromEntries(orders.map((order) => [order, order[places[place]]]));
  return {
    states: orders,
    start: "123",
    actions: { ab: action("a", "b"), ac: action("a", "c"), bc: action("b", "c") },
    reveals: { a: reveal("a"), b: reveal("b"), c: reveal("c") },
  };
}
