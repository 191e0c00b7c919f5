import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { chatReply, json } from "../../eval/endpoints/server.test-helper.ts";
import { type AskResults, SampleRecord } from "../../schemas/eval.ts";
import { readLog } from "../../storage/index.ts";
import { askedOf } from "../llm/asked.test-helper.ts";
import { evalSample, evalSamples, listEvals } from "./evals.ts";

const root = tmpFolder("askings");

beforeAll(async () => {
  // parity, of which every fifth question is not answered
  await askedOf(
    (asked, response, count, request) =>
      (count % 5 === 4
        ? json({ error: { message: "no" } }, 400)
        : json(chatReply(count % 2 === 0 ? "[ANSWER]1[/ANSWER]" : "?")))(asked, response, count, request),
    25,
    join(root, "deep", "asked"),
    {},
  );
  mkdirSync(join(root, "damaged"));
  writeFileSync(join(root, "damaged", "results.json"), "{");
  writeFileSync(join(root, "damaged", "samples.jsonl"), "");
}, 60_000);

const name = join("deep", "asked");
const samples = () => readLog(join(root, name, "samples.jsonl"), SampleRecord);

test("askings are listed with what they came to, and what the endpoint lost apart; a damaged one says why", async () => {
  const [damaged, asked] = await listEvals(root);
  expect(damaged.problem).toContain("results.json");
  const written = JSON.parse(readFileSync(join(root, name, "results.json"), "utf8")) as AskResults;
  expect(asked).toMatchObject({ name, bench: "parity", model: "m", left: written.left });
  expect(asked.arms).toEqual(written.arms);
  expect(written.arms[0].unanswered).toBeGreaterThan(0);
});

test("samples are chosen by verdict, arm, steps and name; each is given as it stands in the file", async () => {
  const all = samples();
  const list = (await evalSamples(root, name, {}))!;
  expect([list.all, list.found]).toEqual([all.length, all.length]);
  expect(list.samples.map(({ sample }) => sample)).toEqual(all.map(({ sample }) => sample));
  for (const verdict of ["correct", "wrong", "unreadable", "out-of-tokens"]) {
    const own = all.filter((each) => each.verdict === verdict).length;
    expect((await evalSamples(root, name, { verdict }))!.found).toBe(own);
    expect(list.verdicts[verdict] ?? 0).toBe(own);
  }
  const steps = all.flatMap((each) => each.steps ?? []);
  const middle = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)];
  expect((await evalSamples(root, name, { mostSteps: middle }))!.found).toBe(
    steps.filter((each) => each <= middle).length,
  );
  const text = "/output/";
  const named = all.filter(({ sample, words }) => `${sample}\n${words}`.includes(text)).length;
  expect([named > 0, (await evalSamples(root, name, { text }))!.found]).toEqual([true, named]);
  expect((await evalSamples(root, name, { text: "no such name" }))!.found).toBe(0);
  expect((await evalSamples(root, name, { arm: "traced" }))!.found).toBe(0);
  expect((await evalSamples(root, name, { from: all.length - 1 }))!.samples).toHaveLength(1);
  for (const each of all) expect(await evalSample(root, name, each.sample)).toEqual(each);
  expect(await evalSample(root, name, "../secret")).toBeUndefined();
  expect(await evalSamples(root, "../..", {})).toBeUndefined();
});

test("a file that was written anew is read anew; a damaged line is refused with its place", async () => {
  const path = join(root, name, "samples.jsonl");
  const before = readFileSync(path, "utf8");
  appendFileSync(path, `${JSON.stringify({ ...samples()[0], sample: "function/output/new/0" })}\n`);
  expect(await evalSample(root, name, "function/output/new/0")).toMatchObject({
    verdict: samples()[0].verdict,
  });
  appendFileSync(path, "{}\n");
  await expect(evalSamples(root, name, {})).rejects.toThrow(/samples\.jsonl, byte \d+/);
  writeFileSync(path, before);
});
