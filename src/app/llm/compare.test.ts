import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { command } from "../../cli/compare.ts";
import { clusteredDifference } from "../../core/cluster-robust.ts";
import { chatReply, json, promptOf } from "../../eval/endpoints/server.test-helper.ts";
import { askedOf } from "./asked.test-helper.ts";
import { compareEvals, isAsking } from "./compare.ts";
import { rightAnswer } from "./misbehaviours.test-helper.ts";

const root = tmpFolder("compare-askings");
const [good, weak, lossy, other] = ["good", "weak", "lossy", "other"].map((name) => join(root, name));

/** A stable choice by the question, 0 to 2: some prompts are answered wrongly, or not at all. */
const third = (prompt: string) => [...prompt].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 3;

beforeAll(async () => {
  const wrong = json(chatReply("[ANSWER]7[/ANSWER]"));
  const lost = json({ error: { message: "no" } }, 500);
  for (const [folder, programs, strange, behaves] of [
    [good, 12, 3, lost],
    [weak, 12, 0, wrong],
    [lossy, 12, 1, lost],
    [other, 5, 3, lost],
  ] as const)
    await askedOf(
      (one, ...rest) =>
        (third(promptOf(one)) === strange ? behaves : json(chatReply(rightAnswer(one))))(one, ...rest),
      ...([programs, folder] as const),
    );
}, 60_000);

test("two askings are compared over the programs that both answered, with the interval of the pairs", async () => {
  const [{ arm, programs, of, shares, difference, interval }, ...more] = await compareEvals([good, weak]);
  expect(more).toEqual([]);
  expect([arm, programs, of, shares[0]]).toEqual(["function/output", 12, 12, 1]);
  const wrong = Math.round((1 - shares[1]) * 12);
  expect(wrong).toBeGreaterThan(0);
  expect(difference).toBeCloseTo(-wrong / 12, 9);
  const pairs = Array.from({ length: 12 }, (_, i) => ({ asked: 1, rightA: 1, rightB: i < wrong ? 0 : 1 }));
  expect(interval).toEqual(clusteredDifference(pairs).interval);
  expect(interval[0]).toBeLessThan(difference);
});

test("a program that the endpoint did not deliver to one is in neither", async () => {
  const [{ programs, of, shares, difference }] = await compareEvals([good, lossy]);
  expect(programs).toBeLessThan(12);
  expect(of).toBe(12);
  expect(shares).toEqual([1, 1]);
  expect(difference).toBe(0);
});

test("the command prints a table, and refuses what was not asked the same", async () => {
  const printed: string[] = [];
  const call = (positionals: string[], asJson = false) =>
    command.run({
      ...{ positionals, values: { name: [] }, json: asJson, signal: new AbortController().signal },
      print: (text) => void printed.push(text),
      say: () => {},
    });
  await call([good, weak, lossy]);
  expect(printed[0].split("\n")).toHaveLength(4);
  expect(printed[0]).toMatch(/function\/output +\S+good +\S+weak +12 of 12 +100\.0 .*-\d+\.\d \[/);
  await call([good, weak], true);
  expect(JSON.parse(printed[1]).comparisons[0].programs).toBe(12);
  await expect(call([good, other])).rejects.toThrow(/other: expected params .*"programs":12.*as .*good has/);
  await expect(call([good])).rejects.toThrow(/at least two contenders/);
  await expect(call([good, root])).rejects.toThrow(/expected a folder of statelab llm eval/);
  expect([isAsking(good), isAsking(root)]).toEqual([true, false]);
});
