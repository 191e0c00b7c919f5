/**
 * @file Random Python programs for property tests: loops, branches, exceptions, calls of own functions, comprehensions,
 * mutation through aliases. Every loop is bounded; the call may end with an exception.
 *
 *     def f(a, b, xs):
 *         ys = xs
 *         for v0 in xs[:3]:
 *             if v0 > a and xs.pop() != 2:
 *                 b += g(v0, ys)
 *         return a, b, xs
 */

import fc from "fast-check";

export interface RandomProgram {
  readonly source: string;
  readonly call: string;
}

type Lines = readonly string[];
type Text = fc.Arbitrary<string>;

const constant = fc.integer({ min: -3, max: 9 }).map(String);
const variable = fc.constantFrom("a", "b", "c");
const list = fc.constantFrom("xs", "ys");

/** An integer; `calls` are own functions that it may call. */
function integer(depth: number, calls: readonly string[]): Text {
  const leaf = fc.oneof(variable, constant, fc.constant("len(xs)"), fc.constant("sum(ys[:3])"));
  if (depth === 0) return leaf;
  const part = integer(depth - 1, calls);
  const two = (join: (left: string, right: string) => string) =>
    fc.tuple(part, part).map(([l, r]) => join(l, r));
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    two((l, r) => `(${l} + ${r})`),
    two((l, r) => `(${l} * ${r}) % 97`),
    two((l, r) => `(${l} - ${r})`),
    two((l, r) => `max(${l}, ${r})`),
    fc.tuple(condition(depth - 1, []), part, part).map(([test, l, r]) => `(${l} if ${test} else ${r})`),
    ...calls.map((name) => fc.tuple(part, list).map(([l, ys]) => `${name}(${l}, ${ys})`)),
  );
}

function condition(depth: number, calls: readonly string[]): Text {
  const part = integer(depth, calls);
  const compare = fc
    .tuple(part, fc.constantFrom("<", ">", "==", "!=", "<="), part)
    .map(([l, op, r]) => `${l} ${op} ${r}`);
  if (depth === 0) return compare;
  const inner = condition(depth - 1, calls);
  return fc.oneof(
    { weight: 3, arbitrary: compare },
    fc.tuple(inner, fc.constantFrom("and", "or"), inner).map(([l, op, r]) => `(${l} ${op} ${r})`),
    inner.map((test) => `not (${test})`),
    fc.tuple(part, part, part).map(([l, m, r]) => `${l} < ${m} <= ${r}`),
    fc.tuple(list, part).map(([xs, r]) => `${xs} and ${xs}.pop() > ${r}`),
    part.map((r) => `(c := ${r}) > 2`),
    list.map((xs) => `a in ${xs}`),
  );
}

function simple(calls: readonly string[]): fc.Arbitrary<Lines> {
  const value = integer(2, calls);
  const one = (text: Text) => text.map((line) => [line]);
  return fc.oneof(
    one(fc.tuple(variable, value).map(([name, v]) => `${name} = ${v}`)),
    one(
      fc.tuple(variable, fc.constantFrom("+", "-", "^"), value).map(([name, op, v]) => `${name} ${op}= ${v}`),
    ),
    one(fc.tuple(list, value).map(([xs, v]) => `${xs}.append(${v})`)),
    one(fc.tuple(list, list).map(([xs, ys]) => `${xs} = ${ys}`)),
    one(fc.tuple(list, list).map(([xs, ys]) => `${xs} = ${ys}[:]`)),
    one(fc.tuple(list, value).map(([xs, v]) => `${xs} += [${v}]`)),
    one(fc.tuple(list, value, value).map(([xs, i, v]) => `${xs}[${i}] = ${v}`)),
    one(fc.tuple(list, value).map(([xs, v]) => `${xs}[0], a = a, ${v}`)),
    one(
      fc
        .tuple(list, condition(0, []))
        .map(([xs, test]) => `${xs} = [v * 2 - b for v in ${xs}[:5] if v > 1 or ${test}]`),
    ),
    one(fc.tuple(value, value).map(([k, v]) => `d[${k} % 3] = ${v}`)),
    one(fc.tuple(variable, value).map(([name, k]) => `${name} = d.get(${k}, a)`)),
    one(fc.tuple(variable, value).map(([name, k]) => `${name} = d[${k}]`)),
    one(fc.constant("a, b = b, a")),
    one(value.map((v) => `c, *ys = [${v}, a, b]`)),
    one(fc.constant("xs.sort(key=lambda v: -v)")),
    one(fc.tuple(variable, value).map(([name, v]) => `${name} = (lambda v: v + b)(${v})`)),
    one(value.map((v) => `print(${v})`)),
    one(value.map((v) => `assert ${v} != 7`)),
    one(fc.tuple(variable, value).map(([name, v]) => `${name} = 12 // ${v}`)),
    one(fc.constant("del ys[1:]")),
    one(value.map((v) => `box.put(${v})`)),
    one(fc.tuple(value, value).map(([v, w]) => `c = box.put(${v}).put(${w}).n`)),
    one(fc.tuple(variable, value).map(([name, v]) => `${name} = box.take() + (${v})`)),
    one(list.map((xs) => `box = Box(${xs})`)),
    one(value.map((v) => `xs.remove(${v})`)),
    ...calls.map((name) => one(fc.tuple(value, list).map(([v, ys]) => `${name}(${v}, ${ys})`))),
  );
}

function indented(lines: Lines): string[] {
  return lines.map((line) => `    ${line}`);
}

function statement(depth: number, inLoop: boolean, calls: readonly string[]): fc.Arbitrary<Lines> {
  if (depth === 0) return simple(calls);
  const body = block(depth - 1, inLoop, calls);
  const turn = block(depth - 1, true, calls);
  const test = condition(1, calls);
  const otherwise = fc.option(body, { nil: undefined });
  const orElse = (lines: Lines | undefined, word = "else") =>
    lines === undefined ? [] : [`${word}:`, ...indented(lines)];
  const errors = fc.constantFrom(
    "IndexError",
    "(KeyError, ValueError)",
    "ZeroDivisionError",
    "Exception",
    "AssertionError as error",
  );
  return fc.oneof(
    { weight: 4, arbitrary: simple(calls) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(test, body, otherwise)
        .map(([c, then, other]) => [`if ${c}:`, ...indented(then), ...orElse(other)]),
    },
    fc
      .tuple(test, body, test, body, body)
      .map(([c, x, e, y, z]) => [`if ${c}:`, ...indented(x), `elif ${e}:`, ...indented(y), ...orElse(z)]),
    fc
      .tuple(
        fc.constantFrom("range(3)", "xs[:3]", "sorted(ys)[:2]", "list(d)[:2]", "(a, b)"),
        turn,
        otherwise,
      )
      .map(([iterable, lines, other]) => [
        `for v${depth} in ${iterable}:`,
        ...indented(lines),
        ...orElse(other),
      ]),
    fc
      .tuple(test, turn, otherwise)
      .map(([c, lines, other]) => [
        `k${depth} = 0`,
        `while k${depth} < 3 and ${c}:`,
        ...indented([`k${depth} += 1`, ...lines]),
        ...orElse(other),
      ]),
    fc
      .tuple(body, errors, body, otherwise, otherwise)
      .map(([lines, error, handler, other, last]) => [
        "try:",
        ...indented(lines),
        `except ${error}:`,
        ...indented(handler),
        ...orElse(other),
        ...orElse(last, "finally"),
      ]),
    fc.tuple(body, body).map(([lines, last]) => ["try:", ...indented(lines), ...orElse(last, "finally")]),
    integer(1, calls).map((v) => [
      `def inner${depth}(v):`,
      "    nonlocal c",
      "    c = v + b",
      `    return c - ${v}`,
      `a = inner${depth}(b) + inner${depth}(1)`,
    ]),
    test.map((c) => [`if ${c}:`, "    raise ValueError(a)"]),
    test.map((c) => [`if ${c}:`, `    return ${"c"}`]),
    ...(inLoop
      ? [test.map((c) => [`if ${c}:`, "    break"]), test.map((c) => [`if ${c}:`, "    continue"])]
      : []),
  );
}

function block(depth: number, inLoop: boolean, calls: readonly string[]): fc.Arbitrary<Lines> {
  return fc
    .array(statement(depth, inLoop, calls), { minLength: 1, maxLength: depth > 1 ? 2 : 3 })
    .map((statements) => statements.flat());
}

const start = ["c = 1", "ys = []", "d = {0: a}", "box = Box(xs[:2])"];

const box = `
class Box:
    def __init__(self, items, n=0):
        self.items = items
        self.n = n

    def put(self, v):
        self.n += v
        self.items.append(self.n % 7)
        return self

    def take(self):
        if self.items:
            return self.items.pop()
        return self.n
`;

export const randomProgram: fc.Arbitrary<RandomProgram> = fc
  .tuple(
    block(1, false, []),
    block(2, false, ["g"]),
    block(3, false, ["g", "h"]),
    fc.array(fc.integer({ min: -2, max: 9 }), { maxLength: 4 }),
    fc.integer({ min: -2, max: 9 }),
    fc.integer({ min: -2, max: 9 }),
  )
  .map(([g, h, f, xs, a, b]) => ({
    source: [
      box,
      "def g(a, xs, b=2):",
      ...indented([...start, ...g, "return a - c"]),
      "",
      "def h(a, xs):",
      ...indented([
        "global total",
        "total += 1",
        "if a < 1 or total > 20:",
        "    return 0",
        "b = h(a - 4, xs)",
        ...start,
        ...h,
        "return b",
      ]),
      "",
      "total = 0",
      "",
      "def f(a, b, xs):",
      ...indented([...start, ...f, "return a, b, c, xs, ys, d"]),
      "",
    ].join("\n"),
    call: `f(${a}, ${b}, [${xs.join(", ")}])`,
  }));
