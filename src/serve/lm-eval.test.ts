/**
 * @file lm-evaluation-harness's own sequences of requests, as its source makes and reads them (`lm_eval/models/api_models.py`,
 * `openai_completions.py`, `utils.py`): written down from there as facts. The harness itself runs in test/python/clients.soak.ts.
 */

import { afterAll, expect, test } from "vitest";
import { runParallel } from "../models/conformance.test-helper.ts";
import { logSoftmax } from "./sampling.ts";
import { type Completion, modelOf, serve, session, tokenizer } from "./served.test-helper.ts";

const model = modelOf("transformer");
const server = await serve(model);
afterAll(() => server.close());

/** Every request has this header, also where there is no key: "Bearer " and nothing. */
const headers = { authorization: "Bearer ", "content-type": "application/json" };
// biome-ignore lint/suspicious/noExplicitAny: documents of several forms, each looked at by the test that asked for it
async function ask(path: string, body?: object): Promise<{ status: number; json: any }> {
  const posted = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${server.url}${path}`, { headers, ...posted });
  return { status: response.status, json: await response.json() };
}
const encode = async (prompt: string): Promise<number[]> =>
  (await ask("/tokenize", { prompt, add_special_tokens: false })).json.tokens;

test("tokenizer_backend=remote finds its tokenizer, and that there is no end token", async () => {
  const { status, json } = await ask("/tokenizer_info");
  expect(status).toBe(200);
  expect(json).toMatchObject({ bos_token: null, eos_token: null, pad_token: null });
  expect(await encode(session)).toEqual(tokenizer.encode(session));
  expect((await ask("/detokenize", { tokens: tokenizer.encode(session) })).json).toEqual({ prompt: session });
  // "auto" tries the word "test", which a tracker does not know, and falls back to the tokenizer's folder.
  expect((await ask("/tokenize", { prompt: "test", add_special_tokens: false })).status).toBe(400);
});

test("local-completions: multiple choice in batches of two, the longest first, has the log-likelihoods of the whole sequence", async () => {
  const choices = ["1", "2", "3"];
  const requests: { context: number[]; all: number[] }[] = [];
  for (const context of [session, `>>> a = 1\n${session}`]) {
    const prefix = await encode(context);
    // Encoded together and cut, as its `_encode_pair` does.
    for (const choice of choices) requests.push({ context: prefix, all: await encode(context + choice) });
  }
  const ordered = requests.toSorted((a, b) => b.all.length - a.all.length);
  const sums: number[] = [];
  for (let i = 0; i < ordered.length; i += 2) {
    const batch = ordered.slice(i, i + 2);
    const { json } = await ask("/v1/completions", {
      ...{ model: "tiny", prompt: batch.map(({ all }) => all), temperature: 0, max_tokens: 1 },
      ...{ logprobs: 1, seed: 1234, echo: true },
    });
    const answered = [...(json as Completion).choices].sort((a, b) => a.index - b.index);
    for (const [n, { logprobs }] of answered.entries()) {
      const read = logprobs?.token_logprobs.slice(batch[n].context.length, -1) as number[];
      const tops = logprobs?.top_logprobs.slice(batch[n].context.length, -1) ?? [];
      expect(read).toHaveLength(batch[n].all.length - batch[n].context.length);
      expect(tops.every((top) => Object.keys(top ?? {}).length > 0)).toBe(true);
      sums.push(read.reduce((a, b) => a + b, 0));
    }
  }
  for (const [n, { context, all }] of ordered.entries()) {
    const { logits } = await runParallel(model.model, model.tree, [all]);
    const wanted = all
      .slice(context.length)
      .map((id, i) => logSoftmax(logits[0][context.length + i - 1])[id]);
    expect(Math.abs(sums[n] - wanted.reduce((a, b) => a + b, 0))).toBeLessThan(1e-4);
  }
});

test("local-completions: generate_until sends ids, its seed and a list of stops, and reads each choice's text by its index", async () => {
  const prompt = [await encode(session), await encode(">>> a = 2\n")];
  const { status, json } = await ask("/v1/completions", {
    ...{ prompt, model: "tiny", max_tokens: 6, temperature: 0, stop: ["\n\n", "\n"], seed: 1234 },
  });
  expect(status).toBe(200);
  const texts: (string | undefined)[] = [undefined, undefined];
  for (const { index, text } of (json as Completion).choices) texts[index] = text;
  expect(texts.every((text) => typeof text === "string" && !text.includes("\n"))).toBe(true);
});

test("local-chat-completions: messages with a type beside them and an empty list of stops", async () => {
  const { status, json } = await ask("/v1/chat/completions", {
    messages: [{ role: "user", content: session, type: "text" }],
    ...{ model: "tiny", max_tokens: 3, temperature: 0, stop: [], seed: 1234 },
  });
  expect(status).toBe(200);
  const { json: text } = await ask("/v1/completions", {
    ...{ model: "tiny", prompt: session, max_tokens: 3, temperature: 0 },
  });
  expect(json.choices[0].message.content).toBe(text.choices[0].text);
});

test("without a prefix token a task with an empty context cannot be asked; with custom_prefix_token_id it can", async () => {
  const body = { model: "tiny", temperature: 0, max_tokens: 1, logprobs: 1, seed: 1234, echo: true };
  const [id] = tokenizer.encode("\n");
  expect((await ask("/v1/completions", { ...body, prompt: [[null, id]] })).status).toBe(400);
  const { json } = await ask("/v1/completions", { ...body, prompt: [[id, ...tokenizer.encode(">>> a")]] });
  expect((json as Completion).choices[0].logprobs?.token_logprobs.slice(1, -1)).toHaveLength(
    tokenizer.encode(">>> a").length,
  );
});
