import { expect, test } from "vitest";
import { claimParts } from "./extract-claims.ts";
import { sameValue } from "./parse-values.ts";

const claimed = (text: string) =>
  claimParts(text).map(({ claims }) =>
    claims
      .map(({ name, value, place }) => `${name}=${value}${place === null ? "" : ` ${JSON.stringify(place)}`}`)
      .join(" | "),
  );

test.each([
  [
    "After line 5 (2nd time): total = 3, `i` is now 1. Then line 6: total = 3 + 4 = 7.",
    ['total=3 {"line":5,"time":2} | i=1 {"line":5,"time":2}', 'total=7 {"line":6}'],
  ],
  ["# a=3 b=5 c=2\n# a=1 b=5 c=2", ["a=3 | b=5 | c=2", "a=1 | b=5 | c=2"]],
  [
    "| step | a | b |\n|---|---|---|\n| 1 | 4 | [2, 3] |\n| 2 | - | 'x' |",
    ['a=4 {"step":1} | b=[2, 3] {"step":1}', "b='x' {\"step\":2}"],
  ],
  ["```python\ntotal += xs[i]  # total = 3, i = 0\nx = 9\n```", ["total=3 | i=0"]],
  ["Line 3:\n- total: 1_000\n- ok: true\n", ['total=1_000 {"line":3} | ok=true {"line":3}']],
  ["a, b = 1, 2 after step 4, and c is 5.", ['a=1 {"step":4} | b=2 {"step":4} | c=5 {"step":4}']],
  [
    '{"line": 5, "time": 2, "state": {"t": 3, "b": [1, {"k": 2}]}}',
    ['t=3 {"line":5,"time":2} | b=[1, {"k": 2}] {"line":5,"time":2}'],
  ],
  ["state = {'x': 1, 'y': 'a = 4'}; x = 4. Wait, no: x = 5.", ["x=5 | y='a = 4'"]],
  ["So f returns [1, 2].", ['return=[1, 2] {"end":true}']],
  ["line 2, second time, x = -1.5e3", ['x=-1.5e3 {"line":2,"time":2}']],
])("%j claims what it says", (text, expected) => {
  expect(claimed(text)).toEqual(expected);
});

test.each([
  "Is x = 3?",
  "If x = 3, the branch is taken.",
  "I expect x = 4.",
  "assert x == 3",
  ">>> x = 3",
  "```python\nx = 3\n```",
  "x += 3; x <= 4; x != 5; f(x=3 + y)",
  "x is not 3",
  "x = 3 or 4, y = 3 + z",
  "see http://host/x?a=b",
])("%j claims nothing", (text) => {
  expect(claimed(text).filter((each) => /^[xy]=/.test(each))).toEqual([]);
});

test("the parts of a text are the text", () => {
  const text = "So:\n\nAfter line 2: x = 1.\nThen line 3, x = 2!\n| step | x |\n|--|--|\n| 9 | 1 |\nend";
  expect(
    claimParts(text)
      .map((part) => part.text)
      .join(""),
  ).toBe(text);
  expect(claimParts(text)).toHaveLength(3);
});

test("values are the same however they are written, and not where Python tells them apart", () => {
  for (const [claimed, truth] of [
    ["1_000", "1000"],
    ["0x10", "16"],
    ["3.0", "3"],
    ["true", "True"],
    ['{"a": [1,2], "b": null}', "{'b': None, 'a': [1, 2]}"],
    ["{3, 1}", "{1, 3}"],
    ["<Point x=1>", "<Point x=1>"],
  ])
    expect(sameValue(claimed, truth), claimed).toBe(true);
  for (const [claimed, truth] of [
    ["[1, 2]", "(1, 2)"],
    ["'3'", "3"],
    ['"true"', "True"],
    ["4", "3"],
  ])
    expect(sameValue(claimed, truth), claimed).toBe(false);
  expect(sameValue("about 3", "3")).toBeUndefined();
});
