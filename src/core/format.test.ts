/** @file Shown numbers against their own arithmetic. */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  duration,
  formatList,
  integer,
  percent,
  percentRange,
  shellWord,
  short,
  shortened,
  wrapped,
} from "./format.ts";

test("only an accuracy of exactly 1 is shown as 100.0, only 0 as 0.0", () => {
  expect([1, 0.99999, 0.9994, 0.0001, 0].map(percent)).toEqual(["100.0", ">99.9", "99.9", "<0.1", "0.0"]);
});

test("a range with a negative share is read with a word between", () => {
  expect(percentRange(0.881, 1)).toBe("88.1-100.0");
  expect(percentRange(0, 0.02)).toBe("0.0-2.0");
  expect(percentRange(-0.015, -0.006)).toBe("−1.5 to −0.6");
});

test("a shown percentage is within its rounding of the share", () => {
  fc.assert(
    fc.property(fc.double({ min: -1, max: 1, noNaN: true }), (share) => {
      const shown = Number(percent(share).replace("\u2212", "-").replace(/[<>]/, ""));
      expect(Math.abs(shown - share * 100)).toBeLessThanOrEqual(0.1 + 1e-9);
    }),
    { seed: 3 },
  );
});

test("integers are grouped by thousands", () => {
  expect([0, 999, 1000, 1234567].map(integer)).toEqual(["0", "999", "1,000", "1,234,567"]);
  expect([999, 86_412, 13_641_216].map(short)).toEqual(["999", "86k", "13.6M"]);
});

test("durations use the unit that fits", () => {
  expect([3.21, 59, 341.7, 7260].map(duration)).toEqual(["3.2 s", "59 s", "5 min 42 s", "2 h 1 min"]);
});

test("lists end in and", () => {
  expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(formatList)).toEqual([
    "",
    "a",
    "a and b",
    "a, b and c",
  ]);
});

test("wrapping keeps every word that fits, in order, and no line is too long", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,9}$/)), (words) => {
      const lines = wrapped(words.join(" "), 12);
      expect(lines.join(" ").split(" ").filter(Boolean)).toEqual(words);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(12);
    }),
    { seed: 4 },
  );
});

test("shortening never cuts a character in half", () => {
  expect(shortened("\u{1F600}\u{1F601}\u{1F602}", 2)).toBe("\u{1F600}\u2026");
});

test("a word of a command to repeat comes back from a shell as it was", () => {
  const words = [..."runs/with space|it's|a$(b)|`c`|d\"e|f;g|*||plain/path-1.0".split("|"), "tab\there"];
  const said = execFileSync("sh", ["-c", `printf '%s\\0' ${words.map(shellWord).join(" ")}`], {
    encoding: "utf8",
  });
  expect(said.split("\0").slice(0, -1)).toEqual(words);
  expect(shellWord("runs/beta/betaMax=2")).toBe("runs/beta/betaMax=2");
});

test("every command that is printed with a path of the user's has it quoted", () => {
  const root = fileURLToPath(new URL("../", import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !file.includes(".test") && !file.includes(".soak"),
  );
  const bare = /statelab [a-z]+ \$\{(?!shellWord\()[\w.]*(?:folder|path|file|from|home|out|chosen|at)\}/gi;
  const found = files.flatMap((file) => readFileSync(join(root, file), "utf8").match(bare) ?? []);
  expect(found).toEqual([]);
});
