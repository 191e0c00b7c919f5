import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Score } from "../../src/schemas/samples.ts";
import { callStatelab } from "../kit/cli.ts";

const samples = join(process.env.STATELAB_DATA ?? "../shared/data", "cruxeval/samples");
const there = existsSync(samples);
if (!there) console.warn(`skipped: no ${samples}; STATELAB_DATA names the folder with the published files`);
const small = process.env.SOAK_SLICE === "ci";

async function score(predict: string, scoring: string): Promise<Score> {
  const file = join(samples, `generations_codellama-7b_temp0.2_${predict}.json`);
  const args = ["llm score", "cruxeval", file, "--predict", predict, "--scoring", scoring, "--json"];
  const { code, stdout } = await callStatelab(args);
  expect(code).toBe(0);
  return Score.parse(JSON.parse(stdout));
}

test.skipIf(!there || small)("in the sandbox too all 16,000 verdicts are the published ones", async () => {
  for (const predict of ["output", "input"]) {
    const published = JSON.parse(
      readFileSync(join(samples, `scored_codellama-7b_temp0.2_${predict}.json`), "utf8"),
    );
    const { verdicts, passAt1, passAt5 } = await score(predict, "upstream");
    expect([passAt1, passAt5]).toEqual([published.pass_at_1, published.pass_at_5]);
    expect(verdicts).toEqual(published.raw_scored_generations);
  }
});

test.skipIf(!there)("strict scores are those of the documentation", async () => {
  const output = await score("output", "strict");
  expect([output.passAt1?.toFixed(4), output.passAt5?.toFixed(4)]).toEqual(["34.2125", "40.2867"]);
  if (small) return;
  const input = await score("input", "strict");
  expect([input.passAt1?.toFixed(4), input.passAt5?.toFixed(4)]).toEqual(["35.8500", "44.8661"]);
});
