import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { coloured as always, paintFor } from "../cli/colour.ts";
import { textTable } from "./text-table.ts";

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

test.each([
  [{ isTTY: true }, {}, true],
  [{ isTTY: false }, {}, false],
  [{ isTTY: true }, { NO_COLOR: "1" }, false],
  [{ isTTY: true }, { NO_COLOR: "1", FORCE_COLOR: "1" }, false],
  [{ isTTY: true }, { NO_COLOR: "" }, true],
  [{ isTTY: false }, { FORCE_COLOR: "1" }, true],
  [{ isTTY: true }, { TERM: "dumb" }, false],
])("the stream %j with the environment %j is coloured: %s", (stream, environment, coloured) => {
  expect(paintFor(stream, environment)("red", "x") === "\u001b[31mx\u001b[39m").toBe(coloured);
});
