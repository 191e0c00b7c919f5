import fc from "fast-check";
import { expect, test } from "vitest";
import { untilStop } from "./stop-sequences.ts";

/** The definition, on the whole text: it ends before the stop that is complete first, of several the longest. */
function endOf(text: string, stops: readonly string[]): string {
  for (let end = 0; end <= text.length; end++) {
    const complete = stops.filter((stop) => text.slice(0, end).endsWith(stop));
    if (complete.length > 0) return text.slice(0, end - Math.max(...complete.map((stop) => stop.length)));
  }
  return text;
}

test("however a text is cut into pieces, what is let out is the text before its first stop", () => {
  const letters = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom("a", "b", "\n"), minLength, maxLength });
  let stoppedOnce = 0;
  fc.assert(
    fc.property(
      fc.array(letters(1, 4), { maxLength: 12 }),
      fc.array(letters(1, 5), { maxLength: 3 }),
      (pieces, stops) => {
        const text = untilStop(stops);
        let out = "";
        let stopped = false;
        for (const piece of pieces) {
          const pushed = text.push(piece);
          out += pushed.text;
          expect(endOf(pieces.join(""), stops).startsWith(out)).toBe(true); // nothing is let out that must be taken back
          if (pushed.stop === undefined) continue;
          stopped = true;
          expect(pieces.join("").startsWith(out + pushed.stop)).toBe(true);
          break;
        }
        if (!stopped) out += text.rest();
        expect(out).toBe(endOf(pieces.join(""), stops));
        stoppedOnce += Number(stopped);
      },
    ),
    { seed: 7, numRuns: 2000 },
  );
  expect(stoppedOnce).toBeGreaterThan(200);
});

test("a text without stops is let out at once", () => {
  expect(untilStop([]).push("a b")).toEqual({ text: "a b" });
});
