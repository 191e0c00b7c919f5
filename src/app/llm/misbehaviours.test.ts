import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { type Misbehaviour, misbehaviours } from "../../eval/endpoints/misbehaviors.test-helper.ts";
import { type Behaviour, chatReply, json } from "../../eval/endpoints/server.test-helper.ts";
import { AskResults, SampleRecord } from "../../schemas/eval.ts";
import type { EvalConfig } from "../../schemas/eval-config.ts";
import { readLog } from "../../storage/index.ts";
import { askedOf } from "./asked.test-helper.ts";
import { mixedServer, rightAnswer } from "./misbehaviours.test-helper.ts";

const root = tmpFolder("misbehaviours");
let folders = 0;

const asked = (behaves: Behaviour, programs: number, more: Omit<Partial<EvalConfig>, "settings">) =>
  askedOf(behaves, programs, join(root, String(folders++)), more);
const read = (folder: string, name: string) => readFileSync(join(folder, name), "utf8");

/** The first of two questions meets it, for good; the second is answered. So there is always a report to look into. */
function firstMeets(which: Misbehaviour): Behaviour {
  let first: string | undefined;
  return (one, response, count, request) => {
    const prompt = JSON.stringify(one.body.messages);
    first ??= prompt;
    const right = rightAnswer(one);
    // 404 comes once: more than two in a row end the asking
    const behaves =
      prompt === first && !(which.ends === "not-found" && count > 0)
        ? which.behaves(right)
        : json(chatReply(right));
    behaves(one, response, count, request);
  };
}

describe("each misbehaviour has its class, its place in the report, and is asked again or not", () => {
  test.concurrent.each(misbehaviours.map((each) => [each.name, each] as const))(
    "%s",
    { timeout: 60_000 },
    async (_, which) => {
      const { ends, retried, fatal } = which;
      const { tally, results, folder, server } = await asked(firstMeets(which), 2, {
        maximumRetries: 1,
        ...(/timeout/.test(ends) && { idleSeconds: 0.5, totalSeconds: 1 }),
      });
      if (fatal) {
        expect([tally.ended, tally.left, results, server.asked.length]).toEqual([
          ends,
          { [ends]: 1 },
          undefined,
          1,
        ]);
        return;
      }
      // What is retried was sent once more; asking without `stop` is no retry.
      expect([tally.retries, tally.ended]).toEqual([retried ? 1 : 0, undefined]);
      const cured = ends === "not-found";
      const [arm] = AskResults.parse(JSON.parse(read(folder, "results.json"))).arms;
      const endpoints = ends !== "answered" && ends !== "out-of-tokens" && !cured;
      expect(arm).toMatchObject({
        ...{ correct: ends === "answered" || cured ? 2 : 1, wrong: 0, unreadable: 0 },
        outOfTokens: ends === "out-of-tokens" ? 1 : 0,
        unanswered: endpoints ? 1 : 0,
        programs: endpoints ? 1 : 2,
      });
      expect(tally.left).toEqual(endpoints ? { [ends]: 1 } : {});
      const report = read(folder, "report.html");
      const words = endpoints
        ? `1 lost to the endpoint (1 ${ends})`
        : ends === "out-of-tokens"
          ? "1 out of tokens, counted as wrong"
          : "2 answered; none out of tokens; none lost";
      expect(report).toContain(words);
    },
  );
});

test("there are at least 55 of them, each with a name of its own", () => {
  expect(misbehaviours.length).toBeGreaterThanOrEqual(55);
  expect(new Set(misbehaviours.map(({ name }) => name)).size).toBe(misbehaviours.length);
});

test("1,000 requests with all of them mixed in: none is lost, none doubled, none counted as the model's", {
  timeout: 300_000,
}, async () => {
  const mixed = mixedServer(1, { timeouts: false });
  const { tally, folder } = await asked(mixed.behaves, 1_000, {
    ...{ maximumRetries: 40, atMost: 16, settings: ["length=48"] }, // so long that no two are alike
  });
  mixed.check(tally, 1_000);
  const results = AskResults.parse(JSON.parse(read(folder, "results.json")));
  const samples = readLog(join(folder, "samples.jsonl"), SampleRecord);
  expect(new Set(samples.map(({ sample }) => sample)).size).toBe(samples.length);
  const [{ correct, wrong, unreadable, outOfTokens, unanswered }] = results.arms;
  expect([wrong, unreadable, correct + outOfTokens + unanswered]).toEqual([0, 0, 1_000]);
  expect([outOfTokens, unanswered]).toEqual([mixed.outOfTokens(), mixed.lost()]);
  expect(Math.min(correct, outOfTokens, unanswered)).toBeGreaterThan(5);
  expect(mixed.met.size).toBe(mixed.all);
});
