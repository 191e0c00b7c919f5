import { expect, test } from "vitest";
import { paintFor } from "./colour.ts";

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
