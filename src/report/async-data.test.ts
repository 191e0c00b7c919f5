import { expect, test } from "vitest";
import { type StreamedKind, streamSection } from "./async-data.ts";
import { all, readMarkup, textOf } from "./markup.test-helper.ts";

/** A maker of 2 s a batch, by weights or not, and a training of 1 s: it waits a second in each step of two. */
const kind = (staleness: number | undefined): StreamedKind => ({
  ...{ name: "fed", index: 0 },
  runs: [
    {
      ...{ seed: 7, batch: 8 },
      stream: {
        bounds: { prefetch: 4, maxStaleness: 1 },
        steps: Array.from({ length: 60 }, (_, i) => ({
          ...{ step: i + 1, seconds: 2, waited: 1, blockSeconds: 2, blockWaited: 0, unread: 0 },
          ...(staleness !== undefined && { staleness }),
        })),
      },
    },
  ],
});
const rowsOf = (kinds: readonly StreamedKind[]) =>
  all(readMarkup(`<main>${streamSection(kinds)}</main>`), "tr").map((row) =>
    [...all(row, "th"), ...all(row, "td")].map((cell) => textOf(cell).replaceAll(/\s/g, " ")),
  );

test("samples a second, who waited, and how old the weights were", () => {
  const measured = (own: readonly string[]) => ["fed", "7", "4", ...own, "4", "50.0 %", "0.0 %"];
  expect(rowsOf([kind(1)])).toContainEqual(measured(["1", "1.00", "1"]));
  expect(rowsOf([kind(undefined)])).toContainEqual(measured(["\u2013", "\u2013", "\u2013"]));
});

test("what the same times would have come to with other bounds and more makers", () => {
  // One maker takes 2 s a batch whatever is ahead; with staleness 0 both in turn, 3 s; two keep a training of 1 s busy.
  expect(rowsOf([kind(undefined)])).toContainEqual(["fed", "ahead 4", "4", "8", "8"]);
  expect(rowsOf([kind(1)])).toContainEqual(["fed", "staleness 0", "3", "3", "3"]);
  expect(rowsOf([kind(1)])).toContainEqual(["fed", "staleness 2", "4", "8", "8"]);
});

test("runs that make their examples themselves have no such part", () => {
  expect(streamSection([])).toBeNull();
  expect(streamSection([{ name: "alone", index: 0, runs: [] }])).toBeNull();
});
