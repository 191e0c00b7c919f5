/**
 * @file Programs with tests to put faults into: loops, branches, lists, an early end, drawn from statements that cannot fail. What a test
 * should give is what Python gives.
 *
 *     def f(xs, k):
 *         total = 1
 *         for i in range(len(xs)):
 *             x = xs[i]
 *             if x > k:
 *                 total = total + x
 *             else:
 *                 total = total - k
 *         if total % 2 == 0:
 *             total = total // 2
 *         return total
 */

import type { Rng } from "../../src/math/rng.ts";

const names = ["total", "best", "count"] as const;

export function drawSource(rng: Rng): string {
  const used = names.slice(0, 2 + rng.fork("names").below(2));
  const start = used.map((name) => `${name} = ${rng.fork(name).below(5)}`);
  const blocks = Array.from({ length: 2 + rng.fork("blocks").below(3) }, (_, i) =>
    drawBlock(used, rng.fork(i)),
  );
  const body = [...start, ...blocks.flat(), `return ${used.join(" * 7 + ")}`];
  return `def f(xs, k):\n${body.map((line) => `    ${line}\n`).join("")}`;
}

function drawBlock(used: readonly string[], rng: Rng): string[] {
  const one = () => drawUpdate(used, ["k", "len(xs)"], rng.fork("one"));
  const pick = used[rng.below(used.length)];
  switch (rng.below(4)) {
    case 0:
      return [one(), drawUpdate(used, ["k"], rng.fork("two"))];
    case 1:
      return [
        `if ${pick} % ${2 + rng.below(3)} == ${rng.below(2)}:`,
        `    ${one()}`,
        "else:",
        `    ${drawUpdate(used, ["k"], rng.fork("two"))}`,
      ];
    case 2: {
      const inside = [one(), drawUpdate(used, ["x", "i", "k"], rng.fork("two"))];
      return [
        "for i in range(len(xs)):",
        "    x = xs[i]",
        `    if x ${rng.below(2) === 0 ? ">" : "<="} k:`,
        `        ${inside[1]}`,
        "    else:",
        `        ${inside[0]}`,
      ];
    }
    default:
      return [
        "for x in xs[1:]:",
        `    ${drawUpdate(used, ["x"], rng.fork("two"))}`,
        `    if ${pick} > 50 and x > k:`,
        `        ${pick} -= 40`,
      ];
  }
}

function drawUpdate(used: readonly string[], also: readonly string[], rng: Rng): string {
  const to = used[rng.fork("to").below(used.length)];
  const from = [...also, ...used.filter((name) => name !== to)];
  const operand = from[rng.fork("from").below(from.length)];
  return [
    `${to} = ${to} + ${operand}`,
    `${to} = ${operand} - ${to}`,
    `${to} += ${operand} * ${2 + rng.fork("times").below(3)}`,
    `${to} = (${to} + ${operand}) % 11`,
    `${to} = max(${to}, ${operand} + 1)`,
  ][rng.fork("kind").below(5)];
}

export function drawCalls(rng: Rng, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const each = rng.fork(i);
    const xs = Array.from({ length: 2 + each.below(5) }, (_, n) => each.fork(n).below(20) - 4);
    return `f([${xs.join(", ")}], ${each.fork("k").below(9)})`;
  });
}
