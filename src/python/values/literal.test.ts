import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pythonTest } from "../trace/python.test-helper.ts";
import { equalLiteral, sameLiteral } from "./equality.ts";
import { readLiteral } from "./literal.ts";
import { isComplex, isDictionary, isFloat, isSequence, type Sequence, type Value } from "./value.ts";

const program = `
import ast, json, struct, sys, warnings
warnings.simplefilter("ignore")
sys.set_int_max_str_digits(0)
def code(v):
    t = type(v)
    if t is float or t is complex:
        parts = [v] if t is float else [v.real, v.imag]
        return t.__name__ + " " + " ".join("nan" if p != p else struct.pack(">d", p).hex() for p in parts)
    if t in (bool, int): return t.__name__ + " " + str(v)
    if t is str: return "str " + " ".join(str(ord(c)) for c in v)
    if t is bytes: return "bytes " + " ".join(str(c) for c in v)
    if t in (list, tuple): return t.__name__ + "(" + ",".join(map(code, v)) + ")"
    if t is set: return "set(" + ",".join(sorted(map(code, v))) + ")"
    if t is dict: return "dict(" + ",".join(sorted(code(k) + ":" + code(x) for k, x in v.items())) + ")"
    return {type(None): "none", type(...): "ellipsis"}[t]
def read(text):
    try: return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError): return read
for line in sys.stdin:
    texts = json.loads(line)
    values = [read(text) for text in texts]
    answer = [None if v is read else code(v) for v in values]
    if len(values) == 2: answer.append(read not in values and bool(values[0] == values[1]))
    print(json.dumps(answer))
`;

/** For each list of texts what \`ast.literal_eval\` makes of each, as \`encoded\` writes it; of two, also whether they are equal. */
function readByPython(texts: readonly (readonly string[])[]): (string | boolean | null)[][] {
  const input = texts.map((each) => `${JSON.stringify(each)}\n`).join("");
  const run = spawnSync("python3", ["-I", "-c", program], { input, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Type and value as text, to the bit. */
function encoded(value: Value): string {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "bool True" : "bool False";
  if (typeof value === "bigint") return `int ${value}`;
  if (typeof value === "string") return `str ${[...value].map((each) => each.codePointAt(0)).join(" ")}`;
  if (isFloat(value)) return `float ${bits(value.float)}`;
  if (isComplex(value)) return `complex ${value.complex.map(bits).join(" ")}`;
  if (isDictionary(value)) {
    const pairs = value.entries.map(([key, item]) => `${encoded(key)}:${encoded(item)}`);
    return `dict(${pairs.sort().join(",")})`;
  }
  if (!isSequence(value)) return "ellipsis";
  const { kind, items } = value;
  if (kind === "str" || kind === "bytes") return `${kind} ${items.join(" ")}`;
  const inside = items.map(encoded);
  return `${kind}(${(kind === "set" ? inside.sort() : inside).join(",")})`;
}

function bits(value: number): string {
  if (Number.isNaN(value)) return "nan";
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

const space = fc.constantFrom("", "", "", " ", "  ");
const integers = fc.oneof(
  fc.bigInt({ min: -10n, max: 10n }).map(String),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc.constantFrom("- 5", ..."0x_fF 0o17 0b1_01 1_000 00 0_0 +5".split(" ")),
);
const floats = fc.oneof(
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => (Object.is(value, -0) ? "-0.0" : pythonic(value))),
  fc.constantFrom("1.", ".5", "1e999", "-1e999", "0_1.5", "1_0.0_1e1_0", "1.0", "0.0", "-0.0", "2e-7"),
);
const complexes = fc.constantFrom("1j", "-2.5J", "1+2j", "1 - 2.j", "-1.5+0j", "0e0j", "(1+2j)");
const strings = fc.oneof(
  fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
  fc.string({ unit: "grapheme", maxLength: 4 }).map((text) => `'''${text.replaceAll(/['\\\r]/g, "")}'''`),
  fc.constantFrom(
    "'a' \"b\"",
    "b'a' b'b'",
    "'a\\\nb'",
    '"""two\nlines"""',
    ...String.raw`'it\'s' "\x41\101\7\n" r'\d\'' u'\u00e9\U0001F600' '\q' '\ud83d\ude00'`.split(" "),
    ...String.raw`b'\xff\777\u00e9' Rb'\x00' bR'\'' '' "" '\0'`.split(" "),
  ),
);
const names = fc.constantFrom(..."None True False ... set() () [] {} 1 True 1.0 0 0.0".split(" "));

/** A literal as text, in the many ways in which it can be written. */
const literalText: fc.Arbitrary<string> = fc.letrec<{ any: string; hashable: string }>((tie) => {
  const atoms = [integers, floats, complexes, strings, names] as const;
  const spaced = (open: string, items: readonly string[], close: string, gap: string) =>
    `${open}${gap}${items.join(`${gap}, `)}${gap}${close}`;
  const list = (item: fc.Arbitrary<string>, open: string, close: string) =>
    fc
      .tuple(fc.array(item, { maxLength: 4 }), space, fc.boolean())
      .map(([items, gap, comma]) => spaced(open, items, (comma && items.length > 0 ? "," : "") + close, gap));
  const tupled = (item: fc.Arbitrary<string>) =>
    fc
      .tuple(fc.array(item, { maxLength: 3 }), space)
      .map(([items, gap]) => spaced("(", items, items.length === 1 ? ",)" : ")", gap));
  const pair = fc
    .tuple(tie("hashable"), tie("any"), space)
    .map(([key, value, gap]) => `${key}${gap}:${gap}${value}`);
  return {
    hashable: fc.oneof(
      { maxDepth: 2 },
      ...atoms.slice(0, 4),
      fc.constantFrom("True", "1", "1.0", "None"),
      tupled(tie("hashable")),
    ),
    any: fc.oneof(
      { maxDepth: 3 },
      ...atoms,
      list(tie("any"), "[", "]"),
      tupled(tie("any")),
      list(pair, "{", "}"),
      fc.array(tie("hashable"), { minLength: 1, maxLength: 3 }).map((items) => `{${items.join(", ")}}`),
      tie("any").map((inner) => `(${inner})`),
    ),
  };
}).any;

/** A literal with one character taken out, doubled or replaced: mostly no literal any more. */
const damagedText: fc.Arbitrary<string> = fc
  .tuple(literalText, fc.nat(), fc.constantFrom("", " ", ...", ( ) ] ' \\ - + _ . j 0 e : or #".split(" ")))
  .map(([text, at, mark]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + mark + text.slice(place + (at % 2));
  });

function pythonic(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

const shown = (text: string) => {
  const literal = readLiteral(text);
  return literal === undefined ? null : encoded(literal);
};
const same = (a: string, b: string) => sameLiteral(readLiteral(a)!, readLiteral(b)!);

pythonTest("every literal reads as CPython reads it, to the bit", () => {
  const texts = fc.sample(literalText, { numRuns: 1500, seed: 1 });
  const expected = readByPython(texts.map((text) => [text]));
  for (const [i, text] of texts.entries()) expect([text, shown(text)]).toEqual([text, expected[i][0]]);
  expect(expected.filter(([value]) => value === null).length).toBeLessThan(texts.length / 10);
});

pythonTest("what CPython refuses is refused, what it takes is taken", () => {
  // the ways of writing an infinity are the lab's own addition, and Unicode's names its one omission
  const texts = fc.sample(damagedText, { numRuns: 2500, seed: 2 });
  const expected = readByPython(texts.map((text) => [text]));
  for (const [i, text] of texts.entries()) expect([text, shown(text)]).toEqual([text, expected[i][0]]);
  expect(expected.filter(([value]) => value === null).length).toBeGreaterThan(texts.length / 4);
});

pythonTest(
  "two literals are equal when CPython finds them so, and the same when they are of one type throughout besides",
  () => {
    const pairs = fc.sample(fc.tuple(literalText, literalText, fc.boolean()), { numRuns: 1200, seed: 3 });
    const texts = pairs.map(([a, b, twice]): [string, string] => [a, twice ? `(${a})` : b]);
    let equal = 0;
    for (const [i, [a, b, both]] of readByPython(texts).entries()) {
      if (a === null || b === null) continue;
      // the encodings differ in type or value; -0.0 and 0.0 alone are equal and encoded apart
      const zero = (text: string | boolean) =>
        String(text).replaceAll("8000000000000000", "0000000000000000");
      expect([texts[i], same(...texts[i])]).toEqual([texts[i], both && zero(a) === zero(b)]);
      expect([texts[i], equalLiteral(readLiteral(texts[i][0])!, readLiteral(texts[i][1])!)]).toEqual([
        texts[i],
        both,
      ]);
      if (both) equal++;
    }
    expect(equal).toBeGreaterThan(400);
  },
);

test.each([
  ["inf", "float('inf')"],
  ["-inf", 'float("-Infinity")'],
  ["1e999", "float('inf')"],
  ["[inf, 1]", "[float( 'inf' ), 1]"],
])("%s and %s are the same number", (a, b) => {
  expect(same(a, b)).toBe(true);
});

test.each(["nan", "float('nan')", "-nan", "[1, nan]", "{1: float('NaN')}"])(
  "%s is not the same as itself",
  (text) => {
    expect(same(text, text)).toBe(false);
  },
);

test.each([
  ["1", "True"],
  ["1", "1.0"],
  ["[1]", "(1,)"],
  ["{1}", "{1.0}"],
  ["{'a': 0}", "{'a': False}"],
  ["'a'", "b'a'"],
  ["1", "(1+0j)"],
])("%s and %s are of different types", (a, b) => {
  expect(same(a, b)).toBe(false);
});

test.each([
  "",
  "'a\0'",
  ..."0 or True;f(1);x;[x for x in (1,)];__import__('os');2 ** 3;1 + 1;--1;-True;f'{1}'".split(";"),
  ..."'\\N{BULLET}';float('1');set([1]);{[]};{1: 2, 3};[1,, 2];1 2;'open".split(";"),
])("%j is no literal", (text) => {
  expect(readLiteral(text)).toBeUndefined();
});

test("brackets nested beyond Python's own bound, and texts beyond the lab's, are refused and not a fault", () => {
  expect(readLiteral("[".repeat(150) + "]".repeat(150))).toBeDefined();
  expect(readLiteral("[".repeat(100_000) + "]".repeat(100_000))).toBeUndefined();
  expect(readLiteral("9".repeat(300_000))).toBeUndefined();
  expect(shown("9".repeat(5000))).toBe(`int ${"9".repeat(5000)}`);
});

test.each([
  ["float of 130,000 letters", `float('${"a".repeat(130_000)}')`, undefined],
  ["float of 190,000 spaces", `float('${" ".repeat(190_000)}1')`, undefined],
  ["49,000 strings in a row", "'a' ".repeat(49_000), 49_000],
  ["49,000 strings of bytes in a row", "b'' ".repeat(49_000), 0],
])("a literal is read in time that grows with its length alone: %s", (_, text, length) => {
  const start = performance.now();
  const literal = readLiteral(text);
  // these took 10 s, or died
  expect(performance.now() - start).toBeLessThan(2000);
  const size = typeof literal === "string" ? literal.length : (literal as Sequence | undefined)?.items.length;
  expect(size).toBe(length);
});
