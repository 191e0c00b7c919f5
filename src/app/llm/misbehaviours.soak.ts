import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { AskResults } from "../../schemas/eval.ts";
import { askedOf } from "./asked.test-helper.ts";
import { mixedServer } from "./misbehaviours.test-helper.ts";

const root = tmpFolder("misbehaviours");
const questions = process.env.SOAK_SLICE === "ci" ? 1_000 : 10_000;

test(`${questions} requests with every misbehaviour mixed in, silence included: none is lost, none doubled, none counted as the model's`, async () => {
  const mixed = mixedServer(2, { timeouts: true });
  const folder = join(root, "mixed");
  const { tally } = await askedOf(mixed.behaves, questions, folder, {
    // Client and server share this process: where it stands still for longer than these, an answer that is there counts as silence.
    ...{ maximumRetries: 40, atMost: 64, idleSeconds: 5, totalSeconds: 10, settings: ["length=48"] },
  });
  mixed.check(tally, questions);
  const [{ correct, wrong, unreadable, outOfTokens, unanswered }] = AskResults.parse(
    JSON.parse(readFileSync(join(folder, "results.json"), "utf8")),
  ).arms;
  console.log(`${tally.requests} requests, ${tally.retries} retries`, { correct, outOfTokens, unanswered });
  expect([wrong, unreadable]).toEqual([0, 0]);
  expect([outOfTokens, unanswered, correct]).toEqual([
    mixed.outOfTokens(),
    mixed.lost(),
    questions - mixed.outOfTokens() - mixed.lost(),
  ]);
  const lines = readFileSync(join(folder, "samples.jsonl"), "utf8").trim().split("\n");
  expect(new Set(lines.map((line) => JSON.parse(line).sample)).size).toBe(correct + outOfTokens);
}, 3_600_000);
