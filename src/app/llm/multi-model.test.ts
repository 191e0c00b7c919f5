import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { callStatelab } from "../../../test/kit/cli.ts";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { chatReply, json, type Server, serverThat } from "../../eval/endpoints/server.test-helper.ts";
import { AskResults } from "../../schemas/eval.ts";
import { rightAnswer } from "./misbehaviours.test-helper.ts";

const root = tmpFolder("several");

const asked = (models: readonly string[], folder: string, ...more: readonly string[]) =>
  callStatelab([
    "llm eval",
    ...["--bench", "parity", "--set", "programs=6", "--base-url", server.url, "--out", folder],
    ...["--max-retries", "0", "--max-tokens", "2000", "--skip-token-count-check"],
    ...models.flatMap((model) => ["--model", model]),
    ...more,
  ]);

const usage = { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 };

/** `good` is right, `weak` always says the same, `gone` is not there. */
let server: Server;
beforeEach(async () => {
  server = await serverThat((one, response, count, request) => {
    if (one.body.model === "gone")
      return json({ error: { message: "no" } }, 401)(one, response, count, request);
    const text = one.body.model === "weak/1" ? "[ANSWER]0[/ANSWER]" : rightAnswer(one);
    json(chatReply(text, {}, usage))(one, response, count, request);
  });
});
afterEach(() => server.close());

test("several models are asked in turn, each in its own folder, and compared; the same command asks nothing again", async () => {
  const folder = join(root, "two");
  const first = await asked(["good", "weak/1"], folder);
  expect([first.code, server.asked.length]).toEqual([0, 12]);
  for (const [name, model] of [
    ["good", "good"],
    ["weak-1", "weak/1"],
  ]) {
    const results = AskResults.parse(JSON.parse(readFileSync(join(folder, name, "results.json"), "utf8")));
    expect([results.model, results.arms[0].programs]).toEqual([model, 6]);
  }
  const [row] = first.stdout.split("\n").filter((line) => line.includes("6 of 6"));
  expect(row).toMatch(/function\/output .*good +.*weak-1 +6 of 6 +100\.0/);
  const again = await asked(["good", "weak/1"], folder, "--json");
  expect(server.asked.length).toBe(12);
  const { models, comparisons } = JSON.parse(again.stdout);
  expect(models.map(({ asked: { kept } }: { asked: { kept: number } }) => kept)).toEqual([6, 6]);
  expect(comparisons).toMatchObject([{ arm: "function/output", programs: 6, of: 6 }]);
});

test("a model that refuses does not stop the others, and there is nothing to compare", async () => {
  const folder = join(root, "gone");
  const { code, stderr, stdout } = await asked(["gone", "good"], folder);
  expect(code).toBe(5);
  expect(stderr).toMatch(/unauthorized: status 401.*no/);
  expect(stderr).toContain("not compared: 1 of 2 models have results");
  expect(readdirSync(join(folder, "gone"))).toEqual(["answers.jsonl"]);
  expect(stdout).toContain(`good, in ${join(folder, "good")}`);
});

test("a budget is for all models together", async () => {
  const folder = join(root, "budget");
  // 0.002 a question
  const how = ["--price", "1,1", "--budget", "0.016", "--max-requests", "1"];
  const { code, stderr } = await asked(["good", "weak/1", "third"], folder, ...how);
  expect([code, server.asked.length]).toEqual([1, 8]);
  expect(stderr).toContain("weak/1:\nstatelab: 2 of 6 answered");
  expect(existsSync(join(folder, "third"))).toBe(false);
});

test("two models of one folder are refused before anything is asked", async () => {
  const { code, stderr } = await asked(["a/b", "a b"], join(root, "same"));
  expect(code).toBe(2);
  expect(stderr).toContain('--model: expected different models, got "a-b, twice"');
  expect(server.asked.length).toBe(0);
});
