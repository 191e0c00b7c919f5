/**
 * @file Places of the states of a machine in its picture.
 *
 *             213 --- 231          the six that there are, on a hexagon: along its sides a and b are exchanged, or b and c,
 *            /          \          across it a and c
 *         123            321
 *            \          /          a state with the answer of another one is farther out; one with an impossible answer, outside
 *             132 --- 312
 */

import type { State } from "./tasks.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

const HEXAGON = ["1 2 3", "2 1 3", "2 3 1", "3 2 1", "3 1 2", "1 3 2"];
const INNER = 100;
const STEP = 52;

/** One for each state, around (0, 0); those of `known` stand on the ring. */
export function layoutNodes(
  states: readonly Pick<State, "says">[],
  known: readonly Pick<State, "says">[],
): Point[] {
  const names = known.map(({ says }) => says.join(" "));
  const ring =
    names.length === HEXAGON.length && names.every((each) => HEXAGON.includes(each)) ? HEXAGON : names;
  const taken = new Map<string, number>();
  const strange = states.filter(({ says }) => !ring.includes(says.join(" ")));
  let outside = 0;
  return states.map(({ says }) => {
    const name = says.join(" ");
    const slot = ring.indexOf(name);
    if (slot < 0) return at(((outside++ + 0.5) * 2 * Math.PI) / strange.length, INNER + 2.2 * STEP);
    const times = taken.get(name) ?? 0;
    taken.set(name, times + 1);
    // Each turned a little, so that lines through several do not fall together.
    return at((slot * 2 * Math.PI) / ring.length + times * 0.16, INNER + times * STEP);
  });
}

/** From 9 o'clock on, clockwise. */
const at = (angle: number, radius: number): Point => ({
  x: -radius * Math.cos(angle),
  y: -radius * Math.sin(angle),
});

/** A line between two states, short of both; a loop where they are one. */
export function edgePath(from: Point, to: Point, radius: number): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  if (length < 1) {
    const out = Math.hypot(from.x, from.y) || 1;
    const [ux, uy] = [from.x / out, from.y / out];
    const point = (along: number, across: number) =>
      `${(from.x + along * ux - across * uy).toFixed(1)} ${(from.y + along * uy + across * ux).toFixed(1)}`;
    return `M${point(radius * 0.7, -radius * 0.7)}C${point(radius * 2.4, -radius * 1.3)} ${point(radius * 2.4, radius * 1.3)} ${point(radius * 0.7, radius * 0.7)}`;
  }
  const [ux, uy] = [(dx / length) * radius, (dy / length) * radius];
  return `M${(from.x + ux).toFixed(1)} ${(from.y + uy).toFixed(1)}L${(to.x - ux).toFixed(1)} ${(to.y - uy).toFixed(1)}`;
}
