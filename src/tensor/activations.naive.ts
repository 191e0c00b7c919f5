/** @file Elementwise activation functions, in plain numbers. */

import type { Numbers } from "./naive.ts";

export const activationsNaive = {
  sigmoid: (x: number) => 1 / (1 + Math.exp(-x)),
  tanh: (x: number) => Math.tanh(x),
  exp: (x: number) => Math.exp(x),
  log: (x: number) => Math.log(x),
  sqrt: (x: number) => Math.sqrt(x),
  softplus: (x: number) => Math.log1p(Math.exp(-Math.abs(x))) + Math.max(x, 0), // avoids overflow of e^x
  sin: (x: number) => Math.sin(x),
  cos: (x: number) => Math.cos(x),
  silu: (x: number) => x / (1 + Math.exp(-x)),
};

export function eachNaive(x: Numbers, f: (x: number) => number): Numbers {
  return { shape: x.shape, data: x.data.map(f) };
}
