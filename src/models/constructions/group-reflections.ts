/**
 * @file Finite groups as reflections: for each element the unit vectors k whose mirrors I - 2 k k', applied in order, act on a space
 * like the element. A delta-rule step is such a mirror.
 *
 *     S_n     swaps of the coordinates of R^n that sum to 0: n - 1 dimensions, at most n - 1 mirrors
 *     A_5     the rotations of a dodecahedron, R^3: two mirrors each, at half of the angle
 *     Z_n     the rotations of the plane: two mirrors
 *
 * M_g is the matrix of element g. As `multiply(g, h)` is first g, then h, M of it is M_h M_g.
 */

import { type Group, groupNamed } from "../../core/groups.ts";

type Vector = readonly number[];
type Matrix = readonly Vector[];

interface Reflections {
  readonly group: Group;
  /** Dimensions of the space. */
  readonly size: number;
  /** By element: its mirrors in the order in which they are applied. */
  readonly mirrors: readonly (readonly Vector[])[];
  /** A point that only the identity fixes. */
  readonly point: Vector;
  /** By element: the image of the point under M_g'. */
  readonly images: readonly Vector[];
}

export function groupReflections(name: string): Reflections {
  const group = groupNamed(name)!; // callers pass existing names
  const [, kind, order] = /^([SAZ])_(\d+)$/.exec(name)!;
  const mirrors =
    kind === "S"
      ? swapMirrors(group, Number(order))
      : closure(group, kind === "A" ? dodecahedron(group) : turn(Number(order))).map(mirrorsOfTurn);
  const size = mirrors.flat()[0].length;
  const point = kind === "A" ? [0.27, 0.1, 1] : kind === "S" ? helmert(range(Number(order))) : [1, 0];
  const length = Math.hypot(...point);
  const unit = point.map((each) => each / length);
  // M_g' applies the mirrors in reverse order.
  const images = mirrors.map((own) => own.toReversed().reduce<Vector>(mirrored, unit));
  return { group, size, mirrors, point: unit, images };
}

const dot = (a: Vector, b: Vector) => a.reduce((sum, each, i) => sum + each * b[i], 0);
const mirrored = (x: Vector, k: Vector): Vector => x.map((each, i) => each - 2 * dot(x, k) * k[i]);
const range = (n: number) => Array.from({ length: n }, (_, i) => i);

/** Coordinates of a vector of R^n in the subspace of vectors that sum to 0. */
function helmert(x: Vector): number[] {
  return range(x.length - 1).map((i) => {
    const before = x.slice(0, i + 1).reduce((sum, each) => sum + each, 0);
    return (before - (i + 1) * x[i + 1]) / Math.sqrt((i + 1) * (i + 2));
  });
}

/** Each element as the fewest swaps, breadth first. */
function swapMirrors(group: Group, n: number): Vector[][] {
  const root = Math.SQRT1_2;
  const mirrorOf = (swap: number) => {
    const moved = [...group.elements[swap]].flatMap((from, i) => (Number(from) === i + 1 ? [] : [i]));
    return helmert(range(n).map((i) => (i === moved[0] ? root : i === moved[1] ? -root : 0)));
  };
  const swaps = group.swaps.map((swap) => ({ swap, mirror: mirrorOf(swap) }));
  const words: Vector[][] = [[]];
  const queue = [0];
  for (const g of queue)
    for (const { swap, mirror } of swaps) {
      const next = group.multiply(g, swap);
      if (words[next] !== undefined) continue;
      words[next] = [...words[g], mirror];
      queue.push(next);
    }
  return words;
}

const longestOf = (vectors: readonly Vector[]): Vector =>
  vectors.toSorted((one, other) => dot(other, other) - dot(one, one))[0];

interface Generator {
  readonly element: number;
  readonly matrix: Matrix;
}

const times = (a: Matrix, b: Matrix): Matrix =>
  a.map((row) => b[0].map((_, j) => row.reduce((sum, each, i) => sum + each * b[i][j], 0)));

/** The matrix of each element, from those of generators. */
function closure(group: Group, generators: readonly Generator[]): Matrix[] {
  const [{ matrix: first }] = generators;
  const found: Matrix[] = [first.map((row, i) => row.map((_, j) => Number(i === j)))];
  const queue = [0];
  for (const g of queue)
    for (const { element, matrix } of generators) {
      const next = group.multiply(g, element);
      if (found[next] !== undefined) continue;
      found[next] = times(matrix, found[g]);
      queue.push(next);
    }
  return found;
}

function turn(n: number): Generator[] {
  const [c, s] = [Math.cos((2 * Math.PI) / n), Math.sin((2 * Math.PI) / n)];
  return [
    {
      element: 1,
      matrix: [
        [c, -s],
        [s, c],
      ],
    },
  ];
}

/** a of order 5 and b of order 2 whose product has order 3, as permutations and as turns: these relations make A_5. */
function dodecahedron(group: Group): Generator[] {
  const orderOf = (g: number) => {
    let [power, order] = [g, 1];
    for (; power !== 0; order++) power = group.multiply(power, g);
    return order;
  };
  const all = range(group.order);
  const a = all.find((g) => orderOf(g) === 5)!;
  const b = all.find((g) => orderOf(g) === 2 && orderOf(group.multiply(a, g)) === 3)!;
  const [c, s] = [Math.cos((2 * Math.PI) / 5), Math.sin((2 * Math.PI) / 5)];
  const square = (1 - 2 * c) / (2 - 2 * c); // of the sine between the axes: the trace of the product is 0
  const [x, z] = [Math.sqrt(square), Math.sqrt(1 - square)];
  return [
    {
      element: a,
      matrix: [
        [c, -s, 0],
        [s, c, 0],
        [0, 0, 1],
      ],
    },
    {
      element: b,
      matrix: [
        [2 * x * x - 1, 0, 2 * x * z],
        [0, -1, 0],
        [2 * x * z, 0, 2 * z * z - 1],
      ],
    },
  ];
}

/**
 * A rotation R of the plane or of space as two mirrors: the first along any unit vector k orthogonal to the axis, the second along the
 * bisector of k and R k. For the identity that is k again.
 */
function mirrorsOfTurn(matrix: Matrix): Vector[] {
  const apply = (x: Vector) => matrix.map((row) => dot(row, x));
  const unit = (x: Vector) => x.map((each) => each / Math.hypot(...x));
  const n = matrix.length;
  const candidates = range(n).map((i) => range(n).map((j) => Number(i === j)));
  // R x - x is orthogonal to the axis, whatever x is.
  const moved = candidates.map((x) => apply(x).map((each, i) => each - x[i]));
  const most = longestOf(moved);
  const first = Math.hypot(...most) < 1e-9 ? candidates[0] : unit(most);
  const image = apply(first);
  const between = first.map((each, i) => each + image[i]);
  // A half turn maps k to -k: any vector orthogonal to k and the axis works.
  const second = Math.hypot(...between) > 1e-6 ? unit(between) : acrossOf(first, matrix);
  return [first, second];
}

/** For a half turn: a unit vector that it inverts, orthogonal to another such one. */
function acrossOf(first: Vector, matrix: Matrix): Vector {
  if (first.length === 2) return [-first[1], first[0]];
  // Orthogonal to `first` and to the axis, which is the longest column of I + R.
  const columns = range(3).map((j) => range(3).map((i) => matrix[i][j] + Number(i === j)));
  const axis = longestOf(columns);
  const length = Math.hypot(...axis);
  const [x, y, z] = axis.map((each) => each / length);
  const [a, b, c] = first;
  return [y * c - z * b, z * a - x * c, x * b - y * a];
}
