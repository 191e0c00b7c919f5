import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callStatelab, words } from "../../test/kit/cli.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { marginalAdversary, massDecay, referenceRows } from "../analysis/belief/index.ts";
import { natsTable } from "../app/belief/tables.ts";

const root = tmpFolder("belief");

const belief = (args: string[]) => callStatelab(["belief", ...args]);

/** In the file's own words: a coin that is thrown at every action. */
const coin = `
states: [heads, tails]
actions:
  throw: {heads: {heads: 0.5, tails: 0.5}, tails: {heads: 0.5, tails: 0.5}}
`;
const file = join(root, "coin.yaml");
writeFileSync(file, coin);

test("--json is the record of the analysis", async () => {
  const call = words("--variables 2 --probability 0.3 --spacing 1 --num-reveals 400 --seed 4");
  const { code, stdout } = await belief([...call, "--json"]);
  expect(code).toBe(0);
  const measured = massDecay({ variables: 2, probability: 0.3, spacing: 1, reveals: 400, seed: 4 });
  expect(JSON.parse(stdout)).toEqual({ rows: [JSON.parse(JSON.stringify(measured))] });
});

test("below a row of the reference table stand its numbers and the differences", () => {
  const setting = { variables: 5, probability: 0.5, spacing: 1, reveals: 400, seed: 0, window: 2 };
  const tiny = massDecay({ ...setting, variables: 2 });
  const row = { ...tiny, setting, reference: referenceRows[0], deviations: { exact: -1.25, row: 2 } };
  expect(natsTable([row]).rows.slice(1)).toEqual([
    ["", "reference", "0.598", undefined, "1.029", "0.743", "0.595"],
    ["", "difference", "-1.3", undefined, "2.0", undefined, undefined],
  ]);
});

test("the tables show each filter, the mass and every precision", async () => {
  const { stdout, stderr } = await belief(
    words("--variables 2 --probability 0.5 --spacing 1 --num-reveals 400"),
  );
  expect(stderr).toBe("");
  const [nats, calibration, mass, underflow] = stdout.split("\n\n");
  // Two variables and a fair coin: ln 2 a reveal, to the last digit.
  expect(nats).toMatch(/p 0\.5 +r 1 +0\.6931 ±0\.0000 +0\.6931 ±0\.0000/);
  expect(calibration).toContain("calibration error");
  expect(mass).toMatch(/-0\.3010 +0\.6931 ±0\.0000 +0\.6931 ±0\.0000 +0\.0 +0\.6931 to 0\.6931/);
  expect(underflow).toMatch(/float16 +14 +14\.0 ±0\.0 +24\.0 ±0\.0 +24 +24\.0 ±0\.0/);
});

test("of an automaton in a file the exact and the windowed filter are shown: a thrown coin costs ln 2", async () => {
  const { code, stdout } = await belief([file, ...words("--spacing 3 --num-reveals 400 --json")]);
  expect(code).toBe(0);
  const { filters, underflow, setting } = JSON.parse(stdout);
  expect(setting).toMatchObject({ spacing: 3, window: 6 });
  expect(filters.map((score: { filter: string }) => score.filter)).toEqual(["exact", "windowed"]);
  for (const { nats } of filters) expect(nats.mean).toBeCloseTo(Math.LN2, 12);
  expect(underflow[3].predicted).toEqual({ normal: 14, alive: 24 });
});

test("the adversary's worst sequences are those of the analysis, written by names", async () => {
  const call = words("adversary --length 6 --beam 20 --marginal-update row");
  const options = { variables: 4, probability: 0.5, rule: "row", length: 6, beam: 20, seed: 0 } as const;
  const { stdout } = await belief([...call, "--json"]);
  expect(JSON.parse(stdout)).toEqual({ found: [marginalAdversary(options)] });
  const shown = await belief(call);
  expect(shown.stdout).toMatch(/6 events +2\.08/);
  expect(shown.stdout).toMatch(/row {3}[abcd] = [1234] +0\.125 +([abcd]{2} [abcd]=[1234] ?){3}$/m);
});

test("--query-policy tells what remains where somebody chooses, by name, beside what was found before", async () => {
  const call = words("--probability 0.5 --spacing 1 --num-reveals 160");
  const { code, stdout } = await belief([...call, "--query-policy", "greedy,round-robin"]);
  expect(code).toBe(0);
  const [head, own, reference] = stdout.split("\n");
  expect(head).toMatch(/^remaining nats +greedy +round-robin$/);
  expect(own).toMatch(/^p 0\.5 +r 1 +0\.0000 ±0\.0000 +0\.\d{4} ±/);
  expect(reference).toMatch(/reference +0\.000 +0\.725$/);
  expect(stdout).toMatch(/gain in nats per reveal.*\n.*0\.6931 ±0\.0000/);
  const { stdout: json } = await belief([...call, ...words("--query-policy random --variables 3 --json")]);
  const [row] = JSON.parse(json).rows;
  expect(row.setting).toEqual({ variables: 3, probability: 0.5, spacing: 1, reveals: 160, seed: 0 });
  expect(row.reference).toBeUndefined();
  expect(row.scores.map(({ choice }: { choice: string }) => choice)).toEqual(["random"]);
});
