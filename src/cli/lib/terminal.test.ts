import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LabError } from "../../core/error.ts";
import { runCommandLine } from "./dispatch.ts";
import { coloured, paintFor, printed } from "./terminal.ts";

test.each([
  ["\u001b[2J\u001b[H", "\\u001b[2J\\u001b[H"],
  ["\u001b]0;title\u0007", "\\u001b]0;title\\u0007"],
  ["\u009b2J", "\\u009b2J"],
  ["evil\u202etxt.exe", "evil\\u202etxt.exe"],
  ["\u001b[8mhidden", "\\u001b[8mhidden"],
  ["over\rwritten", "over\\u000dwritten"],
  ["a\tb\nc \u00e9 \u4e16", "a\tb\nc \u00e9 \u4e16"],
])("%j is printed as %j", (text, shown) => {
  expect(printed(text)).toBe(shown);
});

test("the styles of the lab stay, whatever they stand around", () => {
  expect(printed(coloured("red", "a\u001b[5mb"))).toBe("\u001b[31ma\\u001b[5mb\u001b[39m");
});

test("nothing that is printed holds a control besides line ends, tabs and styles, and a JSON document stays the same", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const left = printed(text).replaceAll(/[\n\t]/g, "");
      expect(left).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u); // no style is among what is drawn
      expect(JSON.parse(printed(JSON.stringify({ text })))).toEqual({ text });
    }),
    { seed: 1, numRuns: 500 },
  );
});

test("a command's words and its mistakes go through it", async () => {
  const words: string[] = [];
  const streams = { print: (text: string) => words.push(text), say: (text: string) => words.push(text) };
  const command = {
    ...{ name: "bad", summary: "", usage: "bad", options: {}, examples: [] },
    async run({ print, say }: { print: (text: string) => void; say: (text: string) => void }) {
      print("\u001b[2J");
      say("\u009b2J");
      throw new LabError("tensor \u202e");
    },
  };
  const table = { Commands: { bad: { summary: "", load: async () => ({ command }) } } };
  expect(await runCommandLine(table, ["bad"], streams, new AbortController().signal)).toBe(2);
  expect(words).toEqual(["\\u001b[2J", "\\u009b2J", "statelab: tensor \\u202e"]);
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
