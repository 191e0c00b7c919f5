/** @file A twin of one session, over several that stand end to end: each is computed alone, and what comes of them is joined again. */

import { type Graph, size } from "./graph.ts";
import type { Numbers } from "./naive.ts";

export const SESSIONS = [3, 1, 6, 4];
export const LENGTH = SESSIONS.reduce((sum, each) => sum + each, 0);

/** int32 [B, T]. */
export function freshOf(graph: Graph, batch: number) {
  const row = SESSIONS.flatMap((each) => Array.from({ length: each }, (_, t) => Number(t === 0)));
  return graph.constant(
    Int32Array.from({ length: batch * LENGTH }, (_, i) => row[i % LENGTH]),
    [batch, LENGTH],
  );
}

/** float32 [B, T]. */
export function startsOf(graph: Graph, batch: number) {
  const row = SESSIONS.flatMap((each, i) =>
    new Array<number>(each).fill(SESSIONS.slice(0, i).reduce((sum, one) => sum + one, 0)),
  );
  return graph.constant(
    Float32Array.from({ length: batch * LENGTH }, (_, i) => row[i % LENGTH]),
    [batch, LENGTH],
  );
}

/** @param axis that of time, in what is cut and in what comes out; inputs that are not as long there are given whole. */
export function eachSession(
  axis: number,
  twin: (...inputs: Numbers[]) => Numbers | readonly Numbers[],
): (...inputs: Numbers[]) => Numbers[] {
  return (...inputs) => {
    let start = 0;
    const results = SESSIONS.map((own) => {
      const cut = inputs.map((each) => (each.shape[axis] === LENGTH ? part(each, axis, start, own) : each));
      start += own;
      return [twin(...cut)].flat() as Numbers[]; // one or several
    });
    return results[0].map((_, i) =>
      joined(
        results.map((each) => each[i]),
        axis,
      ),
    );
  };
}

const blocks = ({ shape }: Numbers, axis: number) => ({
  outer: size(shape.slice(0, axis)),
  inner: size(shape.slice(axis + 1)),
});

function part(x: Numbers, axis: number, start: number, length: number): Numbers {
  const { outer, inner } = blocks(x, axis);
  const rows = Array.from({ length: outer }, (_, n) => {
    const first = (n * x.shape[axis] + start) * inner;
    return [...x.data.subarray(first, first + length * inner)];
  });
  return { shape: x.shape.with(axis, length), data: Float64Array.from(rows.flat()) };
}

function joined(parts: readonly Numbers[], axis: number): Numbers {
  const { outer, inner } = blocks(parts[0], axis);
  const rows = Array.from({ length: outer }, (_, n) =>
    parts.flatMap(({ shape, data }) => [
      ...data.subarray(n * shape[axis] * inner, (n + 1) * shape[axis] * inner),
    ]),
  );
  return { shape: parts[0].shape.with(axis, LENGTH), data: Float64Array.from(rows.flat()) };
}
