import { expect, test } from "vitest";
import { marginalAdversary, marginalRules } from "../../src/analysis/belief/index.ts";
import { page, tableOf } from "./docs.test-helper.ts";

const text = page("docs/concepts/belief.md");

interface Claim {
  readonly statement: string;
  readonly values: readonly number[];
}

test("losses on docs/concepts/belief.md are those of the committed rows", () => {
  const { claims }: { claims: Claim[] } = JSON.parse(page("evidence/mass-decay/laptop.json"));
  const rows = tableOf(text, "p", "r");
  expect(rows).toHaveLength(4);
  for (const [p, r, ...shown] of rows)
    for (const [i, filter] of ["exact", "Sinkhorn", "row + column", "row only"].entries()) {
      const found = claims.find(
        ({ statement }) =>
          statement.startsWith(`Loss of the ${filter} filter`) &&
          statement.endsWith(`probability ${p}, a reveal every ${r}`),
      );
      expect(found?.values[0].toFixed(3), `${filter}, p ${p}, r ${r}`).toBe(shown[i]);
    }
});

test("reveals until the mass is zero are those of the log", () => {
  const log = page("evidence/mass-decay/log.md");
  for (const [format, reveals] of tableOf(text, "format"))
    expect(log).toMatch(new RegExp(`${format} \\d+ and ${reveals.replace(".", "\\.")}\\b`));
});

test("the adversary finds what docs/concepts/belief.md shows", () => {
  const found = marginalRules.map((rule) =>
    marginalAdversary({ variables: 4, probability: 0.5, rule, length: 16, beam: 100, seed: 0 }),
  );
  const line = (name: string) => new RegExp(`^${name}(.*)$`, "m").exec(text)?.[1].trim().split(/\s+/);
  expect(line("16 events")).toEqual(found.map(({ growth }) => growth.at(-1)?.error.toFixed(2)));
  expect(line("nats per event, second half")).toEqual(found.map(({ nearSlope }) => nearSlope.toFixed(3)));
});
