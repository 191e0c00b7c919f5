import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Exhibit, exhibitNamed, exhibits, sparsestLearned, standing } from "./demo-models.ts";
import { why } from "./explanations.ts";
import { makeReader } from "./read.ts";
import { drawn, play } from "./session.ts";

/** Share of right answers to fresh sessions. */
async function measured(
  exhibit: Exhibit,
  sessions: number,
  ...of: [number, number, "partial" | "full"]
): Promise<number> {
  const file = readFileSync(new URL(`../models/${exhibit.id}.safetensors`, import.meta.url));
  const read = await makeReader(exhibit, file);
  let [right, asked] = [0, 0];
  for (let seed = 0; seed < sessions; seed++) {
    const { text, reveals } = play(drawn(...of, 5000 + seed));
    const said = read(
      text,
      reveals.map(({ before }) => before),
    );
    for (const [i, shares] of said.entries()) {
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
      if (1 + shares.indexOf(Math.max(...shares)) === reveals[i].value) right++;
      asked++;
    }
  }
  return right / asked;
}

test.each(exhibits.map((exhibit) => [exhibit.label, exhibit] as const))(
  "%s answers in the page as it did in the experiment, where it has learned and where it has not",
  async (_, exhibit) => {
    const { commands, spacing, full } = sparsestLearned(exhibit)!; // each has learned something
    expect(await measured(exhibit, 4, commands, spacing, full ? "full" : "partial")).toBeGreaterThan(0.9);
    const sparse = exhibit.conditions.find((each) => each.commands === 48 && each.spacing === 8)!.accuracy;
    const here = await measured(exhibit, 3, 48, 8, "partial"); // 18 answers
    const spread = 3 * Math.sqrt(Math.max(0.02, sparse * (1 - sparse)) / 18);
    expect(Math.abs(here - sparse)).toBeLessThan(spread + 0.02);
  },
);

test("each model says why, and which sessions it fits; of one that fits none no answer counts", () => {
  for (const exhibit of exhibits) expect(why[exhibit.id]).toMatch(/\.$/);
  const [deltanet] = exhibits;
  expect(standing(deltanet, { swaps: 12, spacing: 12, full: false })).toContain(
    "This session is in that range.",
  );
  expect(standing(deltanet, { swaps: 96, spacing: 12, full: false })).toContain("This session is longer.");
  const transformer = exhibitNamed("transformer");
  expect(standing(transformer, { swaps: 12, spacing: 1, full: false })).toContain(
    "This session reveals less.",
  );
  const none = { ...deltanet, conditions: deltanet.conditions.map((each) => ({ ...each, accuracy: 0.5 })) };
  expect(standing(none, { swaps: 12, spacing: 1, full: true })).toContain("not evidence");
});
