/** @file General sentences of the README and docs, each with the example that would refute it without its condition. */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rngFrom } from "../src/core/rng.ts";
import { EvidenceEntry } from "../src/schemas/evidence.ts";
import { exampleFrom, prepareTask, type Task, taskNamed } from "../src/tasks/index.ts";
import { windowedBayes } from "../src/tasks/repl/bayes.ts";
import { readProgram } from "../src/tasks/repl/parser.ts";
import { page } from "./docs/docs.test-helper.ts";
import { statelab } from "./kit/cli.ts";
import { tmpFolder } from "./kit/tmp.ts";

type Matrix = readonly (readonly number[])[];
const product = (a: Matrix, b: Matrix): number[][] =>
  a.map((row) => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));
const identity = (n: number): number[][] =>
  Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => Number(i === j)));

test("eigenvalues in [0,1] alone do not forbid a swap: nine shears, all eigenvalues 1, multiply to one", () => {
  const shear = (i: number, j: number, x: number) =>
    identity(3).map((row, k) => (k === i ? row.map((each, l) => (l === j ? x : each)) : row));
  const quarter = (i: number, j: number) => [shear(i, j, 1), shear(j, i, -1), shear(i, j, 1)];
  const shears = [...quarter(0, 1), ...quarter(0, 2), ...quarter(0, 2)];
  for (const each of shears) {
    const less = each.map((row, i) => row.map((x, j) => x - Number(i === j)));
    expect(product(less, less).flat().map(Math.abs)).toEqual(Array(9).fill(0)); // (S - I)² = 0: every eigenvalue is 1
  }
  expect(shears).toHaveLength(9);
  expect(shears.reduce(product).map((row) => row.map((x) => x + 0))).toEqual([
    [0, 1, 0],
    [1, 0, 0],
    [0, 0, -1],
  ]);
});

/** I - β k kᵀ for a key of length 1. */
function delta(beta: number, key: readonly number[]): number[][] {
  const length = Math.hypot(...key);
  return identity(key.length).map((row, i) => row.map((x, j) => x - (beta * key[i] * key[j]) / length ** 2));
}

test("one DeltaNet step with β = 2 swaps two slots; no product of steps with β at most 1 does, whatever the keys", () => {
  const swap = delta(2, [1, -1, 0]);
  expect(swap.map((row) => row.map((x) => Math.round(x * 1e12) / 1e12 + 0))).toEqual([
    [0, 1, 0],
    [1, 0, 0],
    [0, 0, 1],
  ]);
  const determinant = ([a, b, c]: Matrix) =>
    a[0] * (b[1] * c[2] - b[2] * c[1]) -
    a[1] * (b[0] * c[2] - b[2] * c[0]) +
    a[2] * (b[0] * c[1] - b[1] * c[0]);
  const coordinate = fc.double({ min: -1, max: 1, noNaN: true });
  const key = fc.tuple(coordinate, coordinate, coordinate).filter((each) => Math.hypot(...each) > 1e-3);
  const step = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), key);
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      // A swap has determinant -1. Each step multiplies by 1 - β, which is not negative.
      expect(determinant(steps.map(([beta, own]) => delta(beta, own)).reduce(product))).toBeGreaterThan(
        -1e-9,
      );
    }),
    { seed: 1 },
  );
});

test("with a full reveal after every command the last command is enough; with one every fourth it is not", () => {
  const knownFrom = (change: object) => {
    const prepared = prepareTask(taskNamed("repl") as Task, { variables: 3, commands: 12, ...change });
    const { text } = exampleFrom(prepared, rngFrom(0));
    // Without the first reveal, before which the window has none.
    const program = readProgram(text);
    const later = program.reveals.flatMap(({ commands }, i) =>
      commands === program.reveals[0].commands
        ? []
        : [windowedBayes(program, { window: 1, boundary: true })[i]],
    );
    return later.reduce((sum, share) => sum + share, 0) / later.length;
  };
  expect(knownFrom({ spacing: 1, reveal: "full" })).toBe(1);
  expect(knownFrom({ spacing: 4, commands: 48 })).toBeLessThan(0.6);
});

test("a nonlinear recurrence can be computed for all steps at once: Newton's method finds the sequential result", () => {
  const inputs = Array.from({ length: 64 }, (_, t) => Math.sin(3 * t) * 1.5);
  const weight = 0.9;
  const sequential: number[] = [];
  for (const x of inputs) sequential.push(Math.tanh(weight * (sequential.at(-1) ?? 0) + x));
  let guess = inputs.map(() => 0);
  let rounds = 0;
  for (let error = 1; error > 1e-12 && rounds < 20; rounds++) {
    const at = inputs.map((x, t) => Math.tanh(weight * (guess[t - 1] ?? 0) + x));
    const slope = at.map((h) => weight * (1 - h * h));
    // h_t = f_t + slope_t (h_{t-1} - guess_{t-1}) is linear, so a parallel scan solves it.
    const next: number[] = [];
    for (const [t, h] of at.entries()) next.push(h + slope[t] * ((next[t - 1] ?? 0) - (guess[t - 1] ?? 0)));
    error = Math.max(...next.map((h, t) => Math.abs(h - guess[t])));
    guess = next;
  }
  expect(rounds).toBeLessThan(12);
  for (const [t, h] of guess.entries()) expect(h).toBeCloseTo(sequential[t], 10);
});

const root = tmpFolder("statements");

test("a trace's other lines give another input's result where its types are the same, and not for a defaultdict in place of a dict", async () => {
  const source = `def g(d):\n    if d["x"] == 0:\n        d["y"] = 1\n    return sorted(d)\n`;
  writeFileSync(join(root, "g.py"), source);
  const { stdout, code } = await statelab(root, "trace", "g.py", "--call", 'g({"x": 0})', "--format", "code");
  expect(code).toBe(0);
  const [, ...others] = stdout.trimEnd().split("\n");
  const resultOf = (argument: string) => {
    const lines = others.map((line) => line.replace(/^assert (.*) == .*$/, "print($1)"));
    const setup = "from collections import defaultdict";
    const ofTrace = [setup, `d = ${argument}`, ...lines].join("\n");
    const ofFunction = [setup, source, `print(g(${argument}))`].join("\n");
    return [ofTrace, ofFunction].map((program) =>
      execFileSync("python3", ["-c", program], { encoding: "utf8" }).trim(),
    );
  };
  const [same, alsoSame] = resultOf('{"z": 3, "x": 0}');
  expect(same).toBe(alsoSame);
  const [trace, truth] = resultOf("defaultdict(int)");
  expect([trace, truth]).toEqual(["['y']", "['x', 'y']"]);
});

test("what the README says of both losses is in the committed rows", () => {
  const path = new URL("../evidence/repl-losses/laptop.json", import.meta.url);
  const { rows = [] } = EvidenceEntry.parse(JSON.parse(readFileSync(path, "utf8")));
  const range = (setting: string) => {
    const shares = rows
      .filter((row) => row.setting === setting && row.test === "48/24")
      .map(({ accuracy }) => accuracy);
    expect(shares).toHaveLength(3);
    const [low, high] = [Math.min(...shares), Math.max(...shares)].map((share) => Math.floor(100 * share));
    return `${low} to ${high} %`;
  };
  const said = page("README.md").replaceAll(/\s+/g, " ");
  expect(said).toContain(
    `the same DeltaNet settings score ${range("next token")} at 48/24, and settings chosen for it by hand ${range("next token, tuned by hand")} ([rows](evidence/repl-losses`,
  );
});
