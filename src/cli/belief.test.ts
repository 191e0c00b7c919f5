import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { marginalAdversary, massDecay, referenceRows } from "../analysis/belief/index.ts";
import { natsTable } from "../app/belief/tables.ts";
import { command } from "./belief.ts";
import { runCommandLine } from "./lib/dispatch.ts";

const root = tmpFolder("belief");

async function belief(args: string[], signal = new AbortController().signal) {
  const printed: string[] = [];
  const said: string[] = [];
  const table = { belief: { summary: command.summary, load: async () => ({ command }) } };
  const streams = { print: (text: string) => printed.push(text), say: (text: string) => said.push(text) };
  const code = await runCommandLine(table, ["belief", ...args], streams, signal);
  return { code, printed: printed.join("\n"), said: said.join("\n") };
}

/** In the file's own words: a coin that is thrown at every action. */
const coin = `
states: [heads, tails]
actions:
  throw: {heads: {heads: 0.5, tails: 0.5}, tails: {heads: 0.5, tails: 0.5}}
`;
const file = join(root, "coin.yaml");
writeFileSync(file, coin);

test("--json is the record of the analysis", async () => {
  const call = [
    "--variables",
    "2",
    "--probability",
    "0.3",
    "--spacing",
    "1",
    "--reveals",
    "400",
    "--seed",
    "4",
  ];
  const { code, printed } = await belief([...call, "--json"]);
  expect(code).toBe(0);
  const measured = massDecay({ variables: 2, probability: 0.3, spacing: 1, reveals: 400, seed: 4 });
  expect(JSON.parse(printed)).toEqual({ rows: [JSON.parse(JSON.stringify(measured))] });
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
  const { printed, said } = await belief([
    "--variables",
    "2",
    "--probability",
    "0.5",
    "--spacing",
    "1",
    "--reveals",
    "400",
  ]);
  expect(said).toBe("");
  const [nats, calibration, mass, underflow] = printed.split("\n\n");
  // Two variables and a fair coin: ln 2 a reveal, to the last digit.
  expect(nats).toMatch(/p 0\.5 +r 1 +0\.6931 ±0\.0000 +0\.6931 ±0\.0000/);
  expect(calibration).toContain("calibration error");
  expect(mass).toMatch(/-0\.3010 +0\.6931 ±0\.0000 +0\.6931 ±0\.0000 +0\.0 +0\.6931 to 0\.6931/);
  expect(underflow).toMatch(/float16 +14 +14\.0 ±0\.0 +24\.0 ±0\.0 +24 +24\.0 ±0\.0/);
});

test("of an automaton in a file the exact and the windowed filter are shown: a thrown coin costs ln 2", async () => {
  const { code, printed } = await belief([file, "--spacing", "3", "--reveals", "400", "--json"]);
  expect(code).toBe(0);
  const { filters, underflow, setting } = JSON.parse(printed);
  expect(setting).toMatchObject({ spacing: 3, window: 6 });
  expect(filters.map((score: { filter: string }) => score.filter)).toEqual(["exact", "windowed"]);
  for (const { nats } of filters) expect(nats.mean).toBeCloseTo(Math.LN2, 12);
  expect(underflow[3].predicted).toEqual({ normal: 14, alive: 24 });
});

test("the adversary's worst sequences are those of the analysis, written by names", async () => {
  const call = ["adversary", "--length", "6", "--beam", "20", "--rule", "row"];
  const options = { variables: 4, probability: 0.5, rule: "row", length: 6, beam: 20, seed: 0 } as const;
  const { printed } = await belief([...call, "--json"]);
  expect(JSON.parse(printed)).toEqual({ found: [marginalAdversary(options)] });
  const shown = await belief(call);
  expect(shown.printed).toMatch(/6 events +2\.08/);
  expect(shown.printed).toMatch(/row {3}[abcd] = [1234] +0\.125 +([abcd]{2} [abcd]=[1234] ?){3}$/m);
});

test("an interrupted call says so and prints nothing", async () => {
  const controller = new AbortController();
  const running = belief(["--reveals", "1000000"], controller.signal);
  setTimeout(() => controller.abort(), 200);
  const { code, printed, said } = await running;
  expect([code, printed]).toEqual([1, ""]);
  expect(said).toContain("stopped");
});

test.each([
  [["tabel"], 'belief: expected table, adversary or the file of an automaton, got "tabel"'],
  [["--probability", "1"], '--probability: expected a number between 0 and 1, got "1"'],
  [["--variables", "7"], '--variables: expected at most 6 variables, got "7"'],
  [["--spacing", "0"], '--spacing: expected an integer of at least 1, got "0"'],
  [["adversary", "--rule", "column"], "--rule: expected one of row, row+column, sinkhorn"],
  [[file, "--probability", "0.5"], 'got "--probability". It is a flag of belief table and belief adversary'],
])("belief %j is refused in one sentence with exit code 2", async (args, message) => {
  const { code, said, printed } = await belief(args);
  expect(code).toBe(2);
  expect(said).toContain(message);
  expect(said.split("\n")).toHaveLength(1);
  expect(printed).toBe("");
});

test("--choose tells what remains where somebody chooses, by name, beside what was found before", async () => {
  const call = ["--probability", "0.5", "--spacing", "1", "--reveals", "160"];
  const { code, printed } = await belief([...call, "--choose", "greedy,round-robin"]);
  expect(code).toBe(0);
  const [head, own, reference] = printed.split("\n");
  expect(head).toMatch(/^nats that remain +greedy +round-robin$/);
  expect(own).toMatch(/^p 0\.5 +r 1 +0\.0000 ±0\.0000 +0\.\d{4} ±/);
  expect(reference).toMatch(/reference +0\.000 +0\.725$/);
  expect(printed).toMatch(/gain a reveal, nats.*\n.*0\.6931 ±0\.0000/);
  const { printed: json } = await belief([...call, "--choose", "random", "--variables", "3", "--json"]);
  const [row] = JSON.parse(json).rows;
  expect(row.setting).toEqual({ variables: 3, probability: 0.5, spacing: 1, reveals: 160, seed: 0 });
  expect(row.reference).toBeUndefined();
  expect(row.scores.map(({ choice }: { choice: string }) => choice)).toEqual(["random"]);
});

test.each([
  [["--choose", "greediest"], /--choose: expected one of random, round-robin, greedy, got "greediest"/],
  [["adversary", "--choose", "greedy"], /belief adversary: expected a flag of belief adversary/],
])("%j is refused in a sentence", async (args, words) => {
  const { code, said } = await belief([...args]);
  expect([code, said]).toEqual([2, expect.stringMatching(words)]);
});
