import fc from "fast-check";
import { expect, test } from "vitest";
import { readLiteral } from "../values/literal.ts";
import { isDictionary, isFloat, isSequence, type Value } from "../values/value.ts";
import { mappedRow, parseColumns, pythonText } from "./columns.ts";

const columns = parseColumns("code=source, input=the args,output=result,id=key");

test("columns become the fields of a row: texts as they stand, other values as Python writes them", () => {
  const row = {
    ...{ key: 7, source: "def g(n): return n", "the args": "2, 'a'", result: [1, true, null, { a: "b'" }] },
  };
  expect(mappedRow({ ...row, more: 1 }, columns, "x, line 1")).toEqual({
    ...{ code: row.source, input: "2, 'a'", output: `[1, True, None, {"a": "b'"}]`, id: 7 },
  });
});

test("a column that is not there is named, with those that are", () => {
  expect(() => mappedRow({ source: "", args: "", results: "", key: "" }, columns, "x.jsonl, line 3")).toThrow(
    'x.jsonl, line 3: expected the column the args, for input, got "source, args, results, key"',
  );
  expect(() => mappedRow({ source: 1, "the args": "", result: "", key: "" }, columns, "x")).toThrow(
    "x: expected text in the column source, got 1",
  );
  expect(() => mappedRow([1], columns, "x")).toThrow("x: expected a row with columns");
});

test("fields that are none, or missing, are refused before a row is read", () => {
  expect(() => parseColumns("code=a,inputs=b,output=c")).toThrow(
    '--fields: expected a field: code, input, output, function_name, id, got "inputs". Did you mean input?',
  );
  expect(() => parseColumns("code=a,output=c")).toThrow(
    '--fields: expected columns for code, input, output, got "none for input"',
  );
  expect(() => parseColumns("code")).toThrow("--fields: expected FIELD=COLUMN,...");
});

function asJson(value: Value): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (isFloat(value)) return value.float;
  if (isDictionary(value))
    return Object.fromEntries(value.entries.map(([key, item]) => [asJson(key), asJson(item)]));
  return isSequence(value) && value.kind === "list" ? value.items.map(asJson) : value;
}

test("every value of JSON that is no text is a literal of Python with the same content", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (value) => {
      const literal = readLiteral(pythonText(value));
      expect(literal, pythonText(value)).toBeDefined();
      expect(JSON.stringify(asJson(literal!))).toBe(JSON.stringify(value)); // it is defined
    }),
    { seed: 1, numRuns: 100 },
  );
});
