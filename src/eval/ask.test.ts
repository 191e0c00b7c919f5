import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { type AskOptions, answerKey, ask, type Kept } from "./ask.ts";
import { type Endpoint, type Parameters, type Reply, trouble, troubles } from "./endpoints/endpoint.ts";
import type { Question, QuestionSet } from "./question.ts";
import { judgeSamples } from "./scoring/score-samples.ts";

const parameters: Parameters = {
  ...{ temperature: 0, maximumTokens: 9, stop: [], contextTokens: null, seed: null },
};
const reply = (text: string): Reply => ({
  ...{ kind: "reply", text, finish: "stop", promptTokens: null, replyTokens: null },
});

/** Question i is asked in i + 1 turns; the answer is to be the turns' replies together. */
const question = (i: number): Question => ({
  ...{ id: `q${i}`, arm: "function", predict: "output", steps: i, expected: "" },
  next: (replies) => (replies.length <= i ? `question ${i}: ${replies.join("")}` : undefined),
  judge: async (replies) => ({ extracted: replies.join(""), grade: { kind: "correct" } }),
});

function setting(
  count: number,
  endpoint: Endpoint,
  more: Partial<Omit<AskOptions, "questions">> & { readonly questions?: QuestionSet } = {},
) {
  const kept = new Map<string, Kept>();
  const slept: number[] = [];
  const options: AskOptions & { readonly questions: QuestionSet } = {
    questions: { count, question, excluded: [] },
    ...{ samples: 2, parameters, identity: ["m"], endpoint, atMost: 3 },
    answers: { get: (key) => kept.get(key), keep: (answer) => void kept.set(answer.key, answer) },
    ...{ maximumRetries: 3, signal: new AbortController().signal, rng: rngFrom(1) },
    sleep: async (seconds) => void slept.push(seconds),
    ...more,
  };
  return { options, kept, slept };
}

test("a question of several turns is asked with its own replies, and each turn is kept", async () => {
  const prompts: string[] = [];
  const { options, kept } = setting(3, async ({ prompt, sample }) => {
    prompts.push(prompt);
    return reply(sample === 0 ? "a" : "b");
  });
  const tally = await ask(options);
  expect(tally).toEqual({ samples: 6, answered: 6, kept: 0, requests: 12, retries: 0, left: {} });
  expect(prompts.filter((prompt) => prompt.startsWith("question 2")).sort()).toEqual(
    ["", "", "a", "aa", "b", "bb"].map((said) => `question 2: ${said}`),
  );
  expect(kept.size).toBe(12);
  // again: all is there, nothing is asked
  expect(await ask(options)).toMatchObject({ answered: 6, kept: 6, requests: 0 });
  expect(prompts).toHaveLength(12);
  const judged = [];
  for await (const each of judgeSamples({
    ...options,
    execute: () => Promise.reject(new Error("nothing runs")),
  }))
    judged.push(each);
  expect(judged.map((each) => each.kind === "sample" && [each.sample.sample, each.sample.extracted])).toEqual(
    [0, 1, 2].flatMap((i) =>
      ["a", "b"].map((said, index) => [`function/output/q${i}/000${index}`, said.repeat(i + 1)]),
    ),
  );
});

test("trouble that passes is retried as often as allowed, other trouble not at all, and neither is kept", async () => {
  for (const [kind, { retry, fatal }] of Object.entries(troubles) as [
    keyof typeof troubles,
    { retry: boolean; fatal: boolean | "repeated" },
  ][]) {
    let requests = 0;
    const endpoint: Endpoint = async () => {
      requests++;
      return trouble(kind, "no", 7);
    };
    const { options, kept, slept } = setting(1, endpoint, { atMost: 1 });
    const tally = await ask(options);
    const samples = fatal ? 1 : 2;
    // what only matters when it lasts is known to last after three requests
    const asked = fatal === "repeated" ? 3 : retry ? 4 : 1;
    expect([kind, requests, tally.left]).toEqual([kind, samples * asked, { [kind]: samples }]);
    expect(tally.ended).toBe(fatal === false ? undefined : kind);
    expect([kept.size, slept.length, slept.every((seconds) => seconds >= 7)]).toEqual([
      0,
      samples * (asked - 1),
      true,
    ]);
  }
});

test("one 404 ends nothing, three in a row before any reply do, and later it takes twenty-five", async () => {
  const answers = (missing: (request: number) => boolean) => {
    let requests = 0;
    const endpoint: Endpoint = async () =>
      missing(requests++) ? trouble("not-found", "status 404") : reply("x");
    const questions = { count: 40, question, excluded: [] };
    return ask(setting(40, endpoint, { questions, maximumRetries: 0, atMost: 1, samples: 1 }).options);
  };
  expect(await answers((request) => request === 0)).toMatchObject({ answered: 39, left: { "not-found": 1 } });
  const none = await answers(() => true);
  expect([none.requests, none.ended]).toEqual([3, "not-found"]);
  const later = await answers((request) => request >= 10);
  expect([later.answered, later.requests - 10 <= 25]).toEqual([4, true]);
  expect((await answers((request) => request % 3 > 0)).ended).toBe(undefined);
});

test("a wait for a retry is told, and nobody waits when the account has no credit left", async () => {
  let requests = 0;
  const waits: [string, number][] = [];
  const endpoint: Endpoint = async () =>
    requests++ === 0 ? trouble("rate-limited", "slow down", 500) : trouble("no-credit", "status 402");
  const { options } = setting(8, endpoint, {
    ...{ atMost: 2, sleep: undefined as never, onWait: (kind, seconds) => waits.push([kind, seconds]) },
  });
  const { sleep: _, ...waiting } = options;
  const tally = await ask(waiting);
  expect([tally.ended, tally.requests, waits.length]).toEqual(["no-credit", 2, 1]);
  expect(waits[0][1]).toBeGreaterThanOrEqual(500);
});

test("what is spent ends the asking cleanly: requests under way are kept, and nothing more is asked", async () => {
  const endpoint: Endpoint = async () => ({ ...reply("x"), promptTokens: 100, replyTokens: 10 });
  const cost = ({ promptTokens }: Reply) => (promptTokens === null ? null : promptTokens / 100);
  const questions = { count: 20, question: (i: number) => ({ ...question(0), id: `q${i}` }), excluded: [] };
  const more = { budget: { most: 5, cost }, samples: 1, questions };
  const { options, kept } = setting(20, endpoint, more);
  const tally = await ask(options);
  expect([tally.stopped, tally.answered, kept.size]).toEqual(["budget", tally.requests, tally.requests]);
  // three are asked at the same time
  expect(tally.requests >= 5 && tally.requests <= 7).toBe(true);
  const blind = await ask(setting(20, async () => reply("x"), { ...more, atMost: 1 }).options);
  expect([blind.stopped, blind.answered]).toEqual(["unknown cost", 1]);
});

test("never more requests are under way than allowed, and a stop ends them all", async () => {
  let underWay = 0;
  let most = 0;
  const controller = new AbortController();
  const endpoint: Endpoint = async (_, signal) => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 5));
    underWay--;
    signal.throwIfAborted();
    return reply("x");
  };
  const { options, kept } = setting(20, endpoint, { signal: controller.signal, samples: 1 });
  const running = ask({
    ...options,
    onProgress: ({ answered }) => answered === 5 && controller.abort(new Error("stop")),
  });
  await expect(running).rejects.toThrow("stop");
  expect([most, underWay]).toEqual([3, 0]);
  expect(kept.size).toBeGreaterThanOrEqual(5);
});

test("the key of an answer changes with all that decides about it", async () => {
  const base = { prompt: "p", sample: 0, parameters };
  const keys = await Promise.all([
    answerKey(["m"], "n", 0, base),
    answerKey(["m", "x"], "n", 0, base),
    answerKey(["k"], "n", 0, base),
    answerKey(["m"], "o", 0, base),
    answerKey(["m"], "n", 1, base),
    answerKey(["m"], "n", 0, { ...base, prompt: "q" }),
    answerKey(["m"], "n", 0, { ...base, sample: 1 }),
    ...[{ temperature: 1 }, { maximumTokens: 8 }, { stop: ["x"] }, { contextTokens: 1 }, { seed: 1 }].map(
      (change) => answerKey(["m"], "n", 0, { ...base, parameters: { ...parameters, ...change } }),
    ),
  ]);
  expect(new Set(keys).size).toBe(keys.length);
  expect(await answerKey(["m"], "n", 0, base)).toBe(keys[0]);
});
