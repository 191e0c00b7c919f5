import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { chatReply, json } from "../../eval/endpoints/server.test-helper.ts";
import { askedOf } from "./asked.test-helper.ts";
import { rightAnswer } from "./misbehaviours.test-helper.ts";
import { formatSummary } from "./run.ts";

const root = tmpFolder("budget");

test("a budget ends the asking, says so in every place", async () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
  const behaves: Parameters<typeof askedOf>[0] = (one, response, count, request) =>
    json(chatReply(rightAnswer(one), {}, usage))(one, response, count, request);
  // 1,000 at 2 and 500 at 4 per million tokens: 0.004 a question
  const how = { price: { input: 2, output: 4 }, budget: 0.012, maximumTokens: 1000 };
  const folder = join(root, "asked");
  const first = await askedOf(behaves, 8, folder, how);
  expect([first.tally.stopped, first.server.asked.length]).toEqual(["budget", 3]);
  expect(first.results).toMatchObject({
    tokens: { prompt: 3000, reply: 1500, counted: 3 },
    cost: { input: 2, output: 4 },
    arms: [{ correct: 3, unanswered: 0, notAsked: 5, programs: 3 }],
    left: {},
  });
  expect(first.results?.cost?.total).toBeCloseTo(0.012, 12);
  expect(first.results?.denominator).toContain("5 not sent, their programs excluded");
  expect(formatSummary(first.tally)).toContain(
    "spent 0.0120; the budget is spent, so no more requests were sent",
  );
});

test("a budget without a price is refused before anything is asked", async () => {
  const asked = askedOf(json(chatReply("x")), 1, join(root, "none"), { budget: 1 });
  await expect(asked).rejects.toThrow('--budget: expected a price: --price or --prices, got "none"');
});
