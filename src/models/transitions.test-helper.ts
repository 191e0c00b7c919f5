/** @file The matrix by which a token changes what a mixer carries, measured on its step; and a matrix's eigenvalues. */

import { rngFrom } from "../core/rng.ts";
import { compile, Graph, size, type Tensor, type TensorData } from "../tensor/index.ts";
import { filled, parameterData, runtime, varied } from "./conformance.test-helper.ts";
import { type Model, mixerTraits } from "./index.ts";
import { norm } from "./layers.ts";

/** A few of the last bits of a float32. */
const ROUNDING = 4 * 2 ** -23;

export interface Transitions {
  /** [N][N] for each token: what becomes of each number that is carried. */
  readonly transitions: number[][][];
  /** How far a step is from the affine map that was measured, at a state drawn at random. */
  readonly unlike: number;
  /** What the layer hands out at each token, by name, with nothing carried. */
  readonly tapped: Readonly<Record<string, readonly number[]>>[];
}

/**
 * One layer's step from zeros, from each unit of its first state, and from a state drawn at random, for several tokens. The other
 * states (the past of a convolution, a stabilizer) are zeros.
 */
export async function measureTransitions(model: Model, layer: number, tokens: number): Promise<Transitions> {
  const { mixer, own } = model.mixers[layer];
  const tree = varied(model);
  const shapes = Object.entries(mixer.state(own, model.width, 4));
  const [[first, shape]] = shapes;
  const N = size(shape);
  const batch = N + 2; // zeros, units, one at random
  const graph = new Graph();
  const x = graph.input("x", [batch, model.width]);
  const states = Object.fromEntries(
    shapes.map(([name, each]) => [name, graph.input(name, [batch, ...each])]),
  );
  const outputs: Record<string, Tensor> = {};
  const context = {
    taps: (name: string, value: Tensor) => {
      outputs[name] = value;
    },
    ...{ offer: () => {}, penalty: () => {}, take: () => undefined },
    ...{ intervene: <T>(read: T) => read, norm },
    position: graph.input("position", [batch], "int32"),
  };
  const p = graph.parameters(tree).layers[layer].mixer;
  const { y, state } = mixer.step(p, x, states, own, context);
  const compiled = await compile(graph, { ...outputs, y, after: state[first] }, runtime);
  const rng = rngFrom(21);
  const drawn = Float32Array.from({ length: N }, () => rng.normal());
  const carried = new Float32Array(batch * N);
  for (let i = 0; i < N; i++) carried[(1 + i) * N + i] = 1;
  carried.set(drawn, (N + 1) * N);
  const rest = Object.fromEntries(shapes.map(([name, each]) => [name, filled([batch, ...each], 0)]));
  const transitions: number[][][] = [];
  const tapped: Transitions["tapped"] = [];
  let unlike = 0;
  for (let token = 0; token < tokens; token++) {
    const row = Array.from({ length: model.width }, () => 2 * rng.normal());
    const {
      after,
      y: _,
      ...taps
    } = await compiled.run({
      ...{ ...parameterData(tree), ...rest, [first]: carried },
      x: Float32Array.from({ length: batch * model.width }, (_, i) => row[i % model.width]),
      position: new Int32Array(batch).fill((mixerTraits({ mixer, own }).every ?? 2) - 1), // the end of a chunk
    });
    const numbers = after as Float32Array; // states are float32
    // What rounding leaves is no entry: it would join blocks that do not meet.
    const at = (from: number, i: number) => {
      const change = numbers[from * N + i] - numbers[i];
      return Math.abs(change) <= ROUNDING * Math.abs(numbers[i]) ? 0 : change;
    };
    const matrix = Array.from({ length: N }, (_, i) => Array.from({ length: N }, (_, j) => at(1 + j, i)));
    transitions.push(matrix);
    const ofZeros = (data: TensorData) => Array.from(data, Number).slice(0, data.length / batch);
    tapped.push(
      Object.fromEntries(Object.entries<TensorData>(taps).map(([name, data]) => [name, ofZeros(data)])),
    );
    for (const [i, each] of matrix.entries()) {
      const predicted = each.reduce((sum, entry, j) => sum + entry * drawn[j], 0);
      unlike = Math.max(unlike, Math.abs(predicted - at(N + 1, i)));
    }
  }
  await compiled.release();
  return { transitions, unlike, tapped };
}

export function product(a: readonly number[][], b: readonly number[][]): number[][] {
  return a.map((row) => b[0].map((_, j) => row.reduce((sum, each, k) => sum + each * b[k][j], 0)));
}

/** As [real, imaginary]. The matrix falls apart into blocks that do not meet; each that is more than a pair is turned by QR steps until pairs are left. */
export function eigenvaluesOf(matrix: readonly number[][]): [number, number][] {
  return blocksOf(matrix).flatMap((rows) => {
    // Moved by 2, so that eigenvalues in the unit disc differ in size, unless they are a pair.
    let a = rows.map((i) => rows.map((j) => matrix[i][j] + (i === j ? 2 : 0)));
    if (a.length > 2) for (let step = 0; step < 400; step++) a = turned(a); // of a pair the roots below are exact
    const found: [number, number][] = [];
    for (let i = 0; i < a.length; i++) {
      const below = i + 1 < a.length ? a[i + 1][i] : 0;
      if (Math.abs(below) < 1e-5) {
        found.push([a[i][i] - 2, 0]);
        continue;
      }
      const [middle, half] = [(a[i][i] + a[i + 1][i + 1]) / 2, (a[i][i] - a[i + 1][i + 1]) / 2];
      const square = half * half + below * a[i][i + 1];
      const root = Math.sqrt(Math.abs(square));
      for (const sign of [1, -1])
        found.push(square < 0 ? [middle - 2, sign * root] : [middle + sign * root - 2, 0]);
      i++;
    }
    return found;
  });
}

/** R Q of a = Q R, by Gram and Schmidt. */
function turned(a: readonly number[][]): number[][] {
  const columns = a[0].map((_, j) => a.map((row) => row[j]));
  const q: number[][] = [];
  for (const column of columns) {
    let rest = column;
    for (const each of q) {
      const along = each.reduce((sum, x, i) => sum + x * rest[i], 0);
      rest = rest.map((x, i) => x - along * each[i]);
    }
    const length = Math.hypot(...rest);
    q.push(rest.map((x) => x / length));
  }
  const r = q.map((each) => columns.map((column) => each.reduce((sum, x, i) => sum + x * column[i], 0)));
  // q is column-major: as rows it is Q'.
  return product(
    r,
    a.map((_, i) => q.map((column) => column[i])),
  );
}

/** Lists of indices that no entry joins. */
function blocksOf(matrix: readonly number[][]): number[][] {
  const left = new Set(matrix.keys());
  const blocks: number[][] = [];
  for (const start of matrix.keys()) {
    if (!left.delete(start)) continue;
    const block = [start];
    for (const i of block)
      for (const j of [...left])
        if (Math.max(Math.abs(matrix[i][j]), Math.abs(matrix[j][i])) > 1e-6 && left.delete(j)) block.push(j);
    blocks.push(block);
  }
  return blocks;
}
