import { expect, test } from "vitest";
import { parseHistory } from "../../schemas/execution-trace.ts";
import { executionLabels, LARGE, valueLabel } from "./execution-labels.ts";
import { pythonTest, runPython } from "./python.test-helper.ts";

const source = `def g(n):
    return [n] * n

def f(n, word="", rest=None):
    total = 0
    for i in range(n):
        if i > 1:
            total -= 10 ** 9
        else:
            total += i
    pair = (n, total)
    known = {n: None}
    ones = {1}
    empty = g(0)
    half = n / 2
    huge = -10 ** 30
    yes = n > 1
    if n > 100:
        total = None
    return total
`;

pythonTest(
  "of a function with a loop: each line once, the last value of each variable by class and type",
  () => {
    const [record] = runPython([{ operation: "history", source, call: "f(4, 'a')", options: {} }]);
    const { lines, values } = executionLabels(parseHistory(record, "f"));
    expect(lines).toEqual([2, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20]);
    expect(
      Object.fromEntries(Object.entries(values).map(([name, { value, type }]) => [name, `${value} ${type}`])),
    ).toEqual({
      ...{ n: "small int", word: "filled str", rest: "null NoneType", total: "-large int", i: "small int" },
      ...{ pair: "filled tuple", known: "filled dict", ones: "filled set", empty: "empty list" },
      ...{ half: "other float", huge: "-large int", yes: "true bool" },
    });
  },
);

test("an integer is small below the bound, without its sign; what has no class of its own is other", () => {
  const classes = [0, 1, LARGE - 1, LARGE, -1, 1 - LARGE, -LARGE].map((value) => valueLabel(value).value);
  expect(classes).toEqual(["zero", "small", "small", "large", "-small", "-small", "-large"]);
  expect(valueLabel({ id: 1, is: [] })).toEqual({ value: "empty", type: "list" });
  expect(valueLabel({ float: "-0.0" })).toEqual({ value: "zero", type: "float" });
  expect(valueLabel({ object: "Point", fields: {} })).toEqual({ value: "other", type: "other" });
  expect(valueLabel({ cut: 3 })).toEqual({ value: "other", type: "other" });
});
