import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runParallel } from "../models/conformance.test-helper.ts";
import { logSoftmax } from "./sampling.ts";
import { type Completion, documentsOf, modelOf, serve, session, tokenizer } from "./served.test-helper.ts";

/** Log-probabilities of every place of a sequence, from the graph of the whole sequence. */
async function wholeSequence(model: ReturnType<typeof modelOf>, ids: readonly number[]): Promise<number[][]> {
  const { logits } = await runParallel(model.model, model.tree, [ids]);
  return logits[0].map((row) => [...logSoftmax(row)]);
}

const largestOf = (row: readonly number[]) => row.indexOf(Math.max(...row));

describe.each(["deltanet", "lstm", "transformer"] as const)("%s", (name) => {
  const model = modelOf(name);
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    server = await serve(model);
  });
  afterAll(() => server.close());

  test("greedy decoding takes the largest logit of the whole sequence, computed anew for each token", async () => {
    const { choices } = await server.complete({ prompt: session, temperature: 0, max_tokens: 12 });
    const ids = tokenizer.encode(session);
    let wanted = "";
    for (let i = 0; i < 12; i++) {
      const next = largestOf((await wholeSequence(model, ids)).at(-1)!);
      ids.push(next);
      wanted += tokenizer.tokens[next];
    }
    expect(choices).toEqual([{ index: 0, text: wanted, finish_reason: "length", logprobs: null }]);
  });

  test("echoed log-probabilities are those of the whole sequence; the first token has none", async () => {
    const { choices, usage } = await server.complete({
      ...{ prompt: session, temperature: 0, max_tokens: 1, echo: true, logprobs: 3 },
    });
    const [{ text, logprobs }] = choices;
    const ids = tokenizer.encode(text);
    expect(text.startsWith(session)).toBe(true);
    expect(usage).toEqual({ prompt_tokens: ids.length - 1, completion_tokens: 1, total_tokens: ids.length });
    const rows = await wholeSequence(model, ids);
    expect(logprobs?.tokens).toEqual(ids.map((id) => tokenizer.tokens[id]));
    expect(logprobs?.tokens.map((token, i) => text.startsWith(token, logprobs.text_offset[i]))).not.toContain(
      false,
    );
    expect([logprobs?.token_logprobs[0], logprobs?.top_logprobs[0]]).toEqual([null, null]);
    for (let i = 1; i < ids.length; i++) {
      const row = rows[i - 1];
      const own = logprobs?.token_logprobs[i] ?? Number.NaN;
      expect(Math.abs(own - row[ids[i]])).toBeLessThan(1e-4);
      const top = logprobs?.top_logprobs[i] ?? {};
      const best = [...row].sort((a, b) => b - a).slice(0, 3);
      expect([3, 4]).toContain(Object.keys(top).length); // the token itself is always among them
      expect(top[tokenizer.tokens[ids[i]]]).toBe(own);
      const told = Object.values(top).sort((a, b) => b - a);
      for (const [k, value] of best.entries()) expect(Math.abs(told[k] - value)).toBeLessThan(1e-4);
    }
  });
});

describe("the protocol", () => {
  const model = modelOf("deltanet");
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    server = await serve(model);
  });
  afterAll(() => server.close());

  const sampled = { prompt: session, max_tokens: 20, temperature: 1.3, seed: 5 };

  test("the pieces of a stream make up the whole reply, log-probabilities and usage included", async () => {
    const cases = [
      sampled,
      { ...sampled, n: 3, logprobs: 2, echo: true },
      { ...sampled, prompt: [session, ">>> a"], stop: ["\n", ", "], logprobs: 0 },
      { ...sampled, max_tokens: 0, echo: true, logprobs: 1 },
    ];
    for (const body of cases) {
      const whole = await server.complete(body);
      const streaming = { ...body, stream: true, stream_options: { include_usage: true } };
      const response = await server.post(streaming);
      expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
      const documents = documentsOf(await response.text());
      const last = documents.pop();
      expect(last).toMatchObject({ choices: [], usage: whole.usage });
      expect(documents.every(({ usage }) => usage === null)).toBe(true);
      expect(whole.choices.map((_, index) => joined(documents, index))).toEqual(whole.choices);
    }
  });

  function joined(documents: Completion[], index: number) {
    const own = documents.flatMap(({ choices }) => choices.filter((choice) => choice.index === index));
    const all = <T>(read: (choice: (typeof own)[number]) => readonly T[] | undefined) =>
      own.flatMap((c) => read(c) ?? []);
    expect(own.slice(0, -1).every(({ finish_reason }) => finish_reason === null)).toBe(true);
    return {
      index,
      text: own.map(({ text }) => text).join(""),
      logprobs: own[0].logprobs && {
        tokens: all((c) => c.logprobs?.tokens),
        token_logprobs: all((c) => c.logprobs?.token_logprobs),
        top_logprobs: all((c) => c.logprobs?.top_logprobs),
        text_offset: all((c) => c.logprobs?.text_offset),
      },
      finish_reason: own.at(-1)?.finish_reason,
    };
  }

  test("the same seed gives the same replies, beside any other request; another seed or reply others", async () => {
    const body = { ...sampled, n: 2, max_tokens: 40 };
    const alone = await server.complete(body);
    const [beside] = await Promise.all([
      server.complete(body),
      ...[1, 2, 3].map((seed) => server.complete({ ...sampled, seed, max_tokens: 60 })),
    ]);
    expect(beside.choices).toEqual(alone.choices);
    expect((await server.complete({ ...body, seed: 6 })).choices).not.toEqual(alone.choices);
    expect(alone.choices[0].text).not.toBe(alone.choices[1].text);
  });

  test("requests without a seed draw differently, and the same after a restart with the same seed", async () => {
    const { seed: _, ...unseeded } = sampled;
    const texts = async (seed: number) => {
      const fresh = await serve(model, { seed });
      const found = [];
      for (let i = 0; i < 2; i++) found.push((await fresh.complete(unseeded)).choices[0].text);
      await fresh.close();
      return found;
    };
    const [first, again, other] = [await texts(3), await texts(3), await texts(4)];
    expect(first).toEqual(again);
    expect(first[0]).not.toBe(first[1]);
    expect(first).not.toEqual(other);
  });

  test("a reply ends before its stop text, and says so; made tokens count all the same", async () => {
    const whole = (await server.complete(sampled)).choices[0].text;
    const stop = whole.slice(9, 12);
    const { choices, usage } = await server.complete({ ...sampled, stop });
    expect(choices[0]).toMatchObject({ text: whole.slice(0, whole.indexOf(stop)), finish_reason: "stop" });
    expect(usage?.completion_tokens).toBeLessThan(20);
    expect(usage?.completion_tokens).toBeGreaterThan(0);
  });

  test("prompts are texts or token ids, one or several; replies stand in their order", async () => {
    const ids = tokenizer.encode(session);
    const greedy = { temperature: 0, max_tokens: 3 };
    const one = (await server.complete({ ...greedy, prompt: session })).choices[0].text;
    const other = (await server.complete({ ...greedy, prompt: ">>> a" })).choices[0].text;
    expect((await server.complete({ ...greedy, prompt: ids })).choices[0].text).toBe(one);
    const { choices, usage } = await server.complete({
      ...{ ...greedy, n: 2, prompt: [ids, tokenizer.encode(">>> a")] },
    });
    expect(choices.map(({ text }) => text)).toEqual([one, one, other, other]);
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(usage).toEqual({
      prompt_tokens: ids.length + 2,
      completion_tokens: 12,
      total_tokens: ids.length + 14,
    });
  });
});
