import { expect, test } from "vitest";
import { jsonRows, jsonText, notFinite } from "./json.ts";

test("a number that is not finite is refused by its key, where JSON would have a null", () => {
  for (const loss of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    expect(JSON.stringify({ a: { loss } })).toBe('{"a":{"loss":null}}');
    expect(() => jsonText({ a: { loss } }, "x.jsonl")).toThrow(
      `x.jsonl: expected a finite loss, got "${loss}"`,
    );
  }
  expect(jsonText({ a: [1, null, "NaN"] }, "x")).toBe('{"a":[1,null,"NaN"]}');
  expect(jsonText({ a: 1 }, "x", 2)).toBe('{\n  "a": 1\n}');
});

test("as rows it is the same JSON, a row a line", () => {
  const value = { seeds: [0, 1], rows: [{ a: [1, 2] }, { a: [] }], none: [], left: undefined };
  const text = jsonRows(value, "x");
  expect(text).toBe('{\n"seeds": [0,1],\n"rows": [\n{"a":[1,2]},\n{"a":[]}\n],\n"none": []\n}\n');
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
  expect(() => jsonRows({ rows: [{ loss: Number.NaN }] }, "x")).toThrow("expected a finite loss");
});

test("the first number that is not finite is found among floats and integers", () => {
  expect(notFinite(Float32Array.of(1, Number.NEGATIVE_INFINITY, Number.NaN))).toBe(Number.NEGATIVE_INFINITY);
  expect(notFinite(Float32Array.of(1, 3e38))).toBeUndefined();
  expect(notFinite(BigInt64Array.of(1n, 2n ** 60n))).toBeUndefined();
});
