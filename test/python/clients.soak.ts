/** @file Python clients and harnesses at `statelab serve` get the answers of `statelab evaluate`. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Running, startStatelab, succeed } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { here, isInstalled, python } from "./python.test-helper.ts";

const root = tmpFolder("python-clients");
const file = join(root, "reveals.jsonl");
const small = `
seed: 4
task: { name: repl, variables: 3, commands: 4, spacing: 1 }
model: { name: deltanet, layers: 2, width: 32, heads: 2 }
train: { steps: 150, batch: 32, learningRate: 0.01, warmupSteps: 5 }
evaluate: { examples: 8, settings: [{}, { commands: 9, spacing: 3 }] }
`;

let server: Running | undefined;
let document: { url: string; model: string };
let answers: string[];

beforeAll(async () => {
  writeFileSync(join(root, "small.yaml"), small);
  await succeed(root, "train small.yaml --out run");
  await succeed(root, `evaluate run --save-predictions ${file}`);
  const rows = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rows.every(({ margin }) => margin > 1e-4)).toBe(true);
  answers = rows.map(({ answer }) => answer);
  expect(new Set(answers).size).toBeGreaterThan(2);
  server = startStatelab(root, "serve run --port 0 --json");
  const [printed] = await server.process.stdout!.take(1).toArray();
  document = JSON.parse(printed);
}, 120_000);

afterAll(() => void server?.process.kill());

const clients = [
  ["openai", "openai"],
  ["anthropic", "anthropic"],
  ["litellm", "litellm"],
  ["lm-eval", "lm-eval"],
  ["inspect", "inspect-ai"],
];
for (const [client, installed] of clients)
  test.skipIf(!isInstalled(installed))(
    client,
    () => {
      const { stdout, stderr } = python([here("clients.py"), client, document.url, document.model, file]);
      if (stdout === "") throw new Error(stderr);
      const { refused, ...replies } = JSON.parse(stdout.trim().split("\n").at(-1)!); // below its progress bars
      expect(Object.keys(replies).length).toBeGreaterThan(0);
      for (const [how, given] of Object.entries(replies)) expect(given, how).toEqual(answers);
      if (client === "openai") expect(refused).toContain("expected tools to be empty or left out");
    },
    120_000,
  );
