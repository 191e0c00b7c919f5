/**
 * @file Words that move a plane, seen in a frame that a mirror F turns over: c is whether it is turned over.
 *
 *     M_t                      the product of all words
 *     N_t = F^c_t M_t = (F^c_t g F^c_{t-1}) N_{t-1}
 *     c flips at every turn    then each word is one mirror of the frame
 *     c flips at every mirror  then each word is a turn, or nothing
 */

export type Vector = readonly number[];

export const dot = (a: Vector, b: Vector) => a.reduce((sum, each, i) => sum + each * b[i], 0);
export const mirrored = (x: Vector, k: Vector): Vector => x.map((each, i) => each - 2 * dot(x, k) * k[i]);
export const unit = (x: Vector): Vector => x.map((each) => each / Math.hypot(...x));

const BASIS: readonly Vector[] = [
  [1, 0],
  [0, 1],
];

/** F^c x, and what a word of these mirrors does in the frame, F^after g F^before, where c is `after` behind it. */
export function framesOf(frame: Vector) {
  const framed = (c: number, x: Vector) => (c === 1 ? mirrored(x, frame) : x);
  const movedBy = (own: readonly Vector[], before: number, after: number) => (x: Vector) =>
    framed(after, own.reduce<Vector>(mirrored, framed(before, x)));
  return {
    framed,
    /** c flips at every turn: the vector of the mirror. */
    mirrorOf(own: readonly Vector[], after: number): Vector {
      const moved = movedBy(own, own.length % 2 === 0 ? 1 - after : after, after);
      // Of a mirror Q = I - 2 k k' each column of I - Q is along k.
      const columns = BASIS.map((x) => moved(x).map((each, i) => x[i] - each));
      return unit(columns.toSorted((a, b) => Math.hypot(...b) - Math.hypot(...a))[0]);
    },
    /** c flips at every mirror: the angle of the turn, in (-pi, pi]. */
    turnOf(own: readonly Vector[], after: number): number {
      const [x, y] = movedBy(own, own.length % 2 === 0 ? after : 1 - after, after)(BASIS[0]);
      return Math.atan2(y, x);
    },
  };
}
