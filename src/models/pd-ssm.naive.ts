/**
 * @file The mixer of PD-SSM in plain numbers, place by place.
 *
 *     h_i = sum over the places j that map to i of l_j h_j, + (x B)_i       j maps to the i with the largest M_ij
 *
 * Straight-through gradient: the mapping is recorded at the weights of the gradient, and only the softmax of M varies.
 */

import { constructDictionary, sparseColumns } from "./constructions/dictionary-ssm.ts";
import {
  linear,
  type Remember,
  type Row,
  type Rows,
  type Subject,
  sigmoid,
  softmax,
  type Weights,
} from "./naive.ts";

type Complex = readonly [re: number, im: number];

/** x [T][d] -> [T][d]. The dictionary's rows are those of D_1, then of D_2 ...: row j gives the destination of place j. */
function pdSsmNaive(
  x: Rows,
  weights: Weights,
  { stateSize: N }: { readonly stateSize: number },
  _offered?: unknown,
  remember: Remember = (make) => make(),
): number[][] {
  const [skip] = weights.skip;
  let h: readonly Complex[] = new Array<Complex>(N).fill([0, 0]);
  return x.map((row) => {
    const shares = softmax(linear(row, weights.selector));
    const soft = Array.from({ length: N }, (_, j) =>
      softmax(
        Array.from({ length: N }, (_, i) =>
          shares.reduce((sum, share, k) => sum + share * weights.dictionary[k * N + j][i], 0),
        ),
      ),
    );
    const beyond = remember(() =>
      soft.map((own) => own.map((each, i) => Number(own.indexOf(Math.max(...own)) === i) - each)),
    );
    const size = mlp(row, weights, "size").map(sigmoid);
    const angle = mlp(row, weights, "phase").map((each) => 2 * Math.PI * sigmoid(each));
    const turned = h.map(([re, im], j): Complex => {
      const [a, b] = [size[j] * Math.cos(angle[j]), size[j] * Math.sin(angle[j])];
      return [a * re - b * im, a * im + b * re];
    });
    const given = linear(row, weights.input); // first all real parts
    h = Array.from({ length: N }, (_, i): Complex => {
      let [re, im] = [given[i], given[N + i]];
      for (const [j, [r, m]] of turned.entries()) {
        const goes = soft[j][i] + beyond[j][i];
        re += goes * r;
        im += goes * m;
      }
      return [re, im];
    });
    const read = linear([...h.map(([re]) => re), ...h.map(([, im]) => im)], weights.out);
    return read.map((each, i) => each + skip[i] * row[i]);
  });
}

function mlp(x: Row, weights: Weights, name: string): number[] {
  const hidden = linear(x, weights[`${name}.up`]).map((each, i) => {
    const z = each + weights[`${name}.upBias`][0][i];
    return z * sigmoid(1.702 * z);
  });
  return linear(hidden, weights[`${name}.down`]).map((each, i) => each + weights[`${name}.downBias`][0][i]);
}

export const subject: Subject = {
  twin: pdSsmNaive,
  configs: [{ stateSize: 6, dictionary: 4 }],
  parameters: (d, { stateSize: N, dictionary: K }) =>
    d * K + K * N * N + 2 * (d * 2 * N + 2 * N + 2 * N * N + N) + d * 2 * N + d + 2 * N * d,
  taps: (B, T, _d, { stateSize: N, dictionary: K }) => ({
    shares: [B, T, K],
    factor: [B, T, N, 2],
    hidden: [B, T, N, 2],
  }),
  headWidth: (_d, { stateSize: N }) => 2 * N,
  constructions: constructDictionary(sparseColumns),
};
