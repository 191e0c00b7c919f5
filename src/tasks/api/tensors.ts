/**
 * @file Domain: shapes of two tensors, and the shape requirements and results of operations.
 *
 *     zeros('a', 2, 3)     transpose('a')     matmul('a', 'b')          (3, 2) by (2, 1) is (3, 1); of other shapes a ValueError
 */

import type { Domain, Read } from "./state-machine.ts";

const sizes = ["1", "2", "3"];
const tensor = { name: "t", values: ["'a'", "'b'"] };
const other = { name: "u", values: ["'a'", "'b'"] };
const shape = (name: string) => `shape[${name}]`;
const flat = sizes.map((size) => `(${size},)`);
const square = sizes.flatMap((rows) => sizes.map((columns) => `(${rows}, ${columns})`));

/** `(2, 3)` is 2, 3. */
const dimensions = (text: string) => text.match(/\d+/g)!.map(Number); // shapes are not empty
const dimensionsOf = (read: Read, name: string) => dimensions(read(shape(name)));
const hasRank = (read: Read, rank: number, ...names: string[]) =>
  names.every((name) => dimensionsOf(read, name).length === rank);
const unless = (fits: boolean) => (fits ? undefined : "ValueError");

export const tensors: Domain = {
  name: "tensors",
  summary: "shapes of two tensors that operations need and change",
  start: [
    ["shape['a']", square],
    ["shape['b']", square],
  ],
  values: [...flat, ...square],
  apis: [
    {
      name: "zeros",
      words: "a new tensor under that name",
      parameters: [tensor, { name: "rows", values: sizes }, { name: "columns", values: sizes }],
      refuses: () => undefined,
      effect: (_, t, rows, columns) => ({ [shape(t)]: `(${rows}, ${columns})` }),
    },
    {
      name: "transpose",
      words: "rows become columns; of two dimensions",
      parameters: [tensor],
      refuses: (read, t) => unless(hasRank(read, 2, t)),
      effect: (read, t) => ({ [shape(t)]: `(${dimensionsOf(read, t).reverse().join(", ")})` }),
    },
    {
      name: "matmul",
      words: "t becomes t times u; as many columns of t as rows of u",
      parameters: [tensor, other],
      refuses: (read, t, u) =>
        unless(hasRank(read, 2, t, u) && dimensionsOf(read, t)[1] === dimensionsOf(read, u)[0]),
      effect: (read, t, u) => ({ [shape(t)]: `(${dimensionsOf(read, t)[0]}, ${dimensionsOf(read, u)[1]})` }),
    },
    {
      name: "sum",
      words: "adds up the rows of t; of two dimensions",
      parameters: [tensor],
      refuses: (read, t) => unless(hasRank(read, 2, t)),
      effect: (read, t) => ({ [shape(t)]: `(${dimensionsOf(read, t)[1]},)` }),
    },
    {
      name: "unsqueeze",
      words: "one row; of one dimension",
      parameters: [tensor],
      refuses: (read, t) => unless(hasRank(read, 1, t)),
      effect: (read, t) => ({ [shape(t)]: `(1, ${dimensionsOf(read, t)[0]})` }),
    },
    {
      name: "concat",
      words: "the rows of u below those of t; as many columns, three rows at most",
      parameters: [tensor, other],
      refuses: (read, t, u) =>
        unless(
          hasRank(read, 2, t, u) &&
            dimensionsOf(read, t)[1] === dimensionsOf(read, u)[1] &&
            dimensionsOf(read, t)[0] + dimensionsOf(read, u)[0] <= 3,
        ),
      effect: (read, t, u) => {
        const [[rows, columns], [more]] = [dimensionsOf(read, t), dimensionsOf(read, u)];
        return { [shape(t)]: `(${rows + more}, ${columns})` };
      },
    },
    {
      name: "dot",
      words: "t, of one dimension, becomes t times u, of two",
      parameters: [tensor, other],
      refuses: (read, t, u) =>
        unless(
          hasRank(read, 1, t) && hasRank(read, 2, u) && dimensionsOf(read, t)[0] === dimensionsOf(read, u)[0],
        ),
      effect: (read, t, u) => ({ [shape(t)]: `(${dimensionsOf(read, u)[1]},)` }),
    },
  ],
  python: `shape = {'a': (1, 1), 'b': (1, 1)}

def need(fits):
    if not fits:
        raise ValueError('the shapes do not fit')

def zeros(t, rows, columns):
    shape[t] = (rows, columns)

def transpose(t):
    need(len(shape[t]) == 2)
    shape[t] = shape[t][::-1]

def matmul(t, u):
    need(len(shape[t]) == len(shape[u]) == 2 and shape[t][-1] == shape[u][0])
    shape[t] = (shape[t][0], shape[u][1])

def sum(t):
    need(len(shape[t]) == 2)
    shape[t] = shape[t][1:]

def unsqueeze(t):
    need(len(shape[t]) == 1)
    shape[t] = (1,) + shape[t]

def concat(t, u):
    need(len(shape[t]) == len(shape[u]) == 2 and shape[t][1] == shape[u][1])
    need(shape[t][0] + shape[u][0] <= 3)
    shape[t] = (shape[t][0] + shape[u][0], shape[t][1])

def dot(t, u):
    need(len(shape[t]) == 1 and len(shape[u]) == 2 and shape[t][0] == shape[u][0])
    shape[t] = shape[u][1:]
`,
};
