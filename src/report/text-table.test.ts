import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { type Paint, textTable } from "./text-table.ts";

const always: Paint = (style, text) => `\u001b[${style === "red" ? 31 : 1}m${text}\u001b[0m`;

test("words stand left, numbers right, empty cells stay empty", () => {
  const table = textTable({
    columns: ["model", "accuracy", "steps"],
    rows: [
      ["deltanet[-1,1]", "0.998", 500],
      ["lstm", "0.51", 12_000],
      ["β", null, undefined],
    ],
  });
  expect(table).toBe(
    [
      "model           accuracy  steps",
      "deltanet[-1,1]     0.998    500",
      "lstm                0.51  12000",
      "β",
    ].join("\n"),
  );
});

test("colours take no room", () => {
  const rows = (paint: (text: string) => string) => [
    [paint("a"), "1"],
    ["bbb", paint("22")],
  ];
  const painted = textTable({ columns: ["x", "y"], rows: rows((text) => always("red", text)) }, always);
  expect(painted).not.toBe(stripVTControlCharacters(painted));
  expect(stripVTControlCharacters(painted)).toBe(
    textTable({ columns: ["x", "y"], rows: rows((text) => text) }),
  );
});

test("in a terminal the widest column is wrapped, at spaces and where there are none", () => {
  const table = {
    columns: ["test", "what was said"],
    rows: [
      ["a", "one two three"],
      ["b", "abcdefghijkl"],
    ],
  };
  expect(textTable(table, undefined, 16)).toBe(
    ["test  what was", "      said", "a     one two", "      three", "b     abcdefghij", "      kl"].join(
      "\n",
    ),
  );
  expect(textTable(table, undefined, 80).split("\n")).toHaveLength(3);
});
