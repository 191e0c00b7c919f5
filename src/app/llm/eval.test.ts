import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { type Behaviour, chatReply, json, promptOf } from "../../eval/endpoints/server.test-helper.ts";
import { AskResults } from "../../schemas/eval.ts";
import { sha256 } from "../../storage/index.ts";
import { askedOf } from "./asked.test-helper.ts";
import { rightAnswer } from "./misbehaviours.test-helper.ts";
import { formatSummary } from "./run.ts";

const root = tmpFolder("eval");
let folders = 0;
afterEach(() => vi.unstubAllEnvs());

test("a budget ends the asking, says so in every place", async () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
  const behaves: Behaviour = (one, response, count, request) =>
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

test("the words of a file are what is sent, and the results say which they were and how many examples", async () => {
  const prompt = join(root, "mine.txt");
  writeFileSync(prompt, "{shots}\nWhat is p?\n{program}");
  const folder = join(root, "prompt");
  const { server } = await askedOf(json(chatReply("0")), 2, folder, { prompt, shots: 3 });
  for (const one of server.asked) {
    const [shots, program] = promptOf(one).split("\nWhat is p?\n");
    expect([shots.split("[/ANSWER]").length - 1, /^p = [\s\S]*== \?\?$/.test(program)]).toEqual([3, true]);
  }
  const results = AskResults.parse(JSON.parse(readFileSync(join(folder, "results.json"), "utf8")));
  expect([results.shots, results.prompt]).toEqual([3, sha256(readFileSync(prompt))]);
});

test("`upstream` is CRUXEval's prompts.py in the folder of data, which the lab does not bring along", async () => {
  const asked = (order: object) =>
    askedOf(json(chatReply("0")), 1, join(root, "upstream"), { prompt: "upstream", ...order });
  vi.stubEnv("STATELAB_DATA", undefined);
  await expect(asked({})).rejects.toThrow(
    /expected the file cruxeval\/prompts\.py, got "none".*repository \(MIT\)/,
  );
  mkdirSync(join(root, "data", "cruxeval"), { recursive: true });
  const words =
    'def make_direct_output_prompt(s):\n    return f"""Its words.\n{code}\nassert f({input}) == ??\n"""\n';
  writeFileSync(join(root, "data", "cruxeval", "prompts.py"), words);
  vi.stubEnv("STATELAB_DATA", join(root, "data"));
  const { server, results } = await asked({});
  expect(promptOf(server.asked[0])).toMatch(/^Its words\.\np = /);
  expect(results?.prompt).toBe(sha256(Buffer.from(words)));
});

test("what a file lacks, and a bench of one form, are said before anything is asked", async () => {
  const prompt = join(root, "prompts.py");
  writeFileSync(prompt, "");
  const refused = (order: object) => askedOf(json(chatReply("0")), 1, join(root, "none"), order);
  await expect(refused({ prompt })).rejects.toThrow("a function make_direct_output_prompt");
  await expect(refused({ shots: 1, bench: "s5" })).rejects.toThrow(/another benchmark, got "s5"/);
});

/** Ends its reply where a stop text begins that the request has, as servers do. */
const ending =
  (says: (right: string, wrong: string) => string): Behaviour =>
  (asked, ...rest) => {
    const right = rightAnswer(asked);
    const text = says(
      right,
      right.replace(/\d$/, (bit) => String(1 - Number(bit))),
    );
    const { stop, options } = asked.body as { stop?: string[]; options?: { stop?: string[] } };
    const ends = (stop ?? options?.stop ?? []).map((mark) => text.indexOf(mark)).filter((at) => at >= 0);
    const cut = text.slice(0, Math.min(text.length, ...ends));
    const reply =
      options === undefined
        ? { ...chatReply(cut), choices: [{ ...chatReply(cut).choices[0], text: cut }] }
        : { model: "m", message: { role: "assistant", content: cut }, done: true, done_reason: "stop" };
    json(reply)(asked, ...rest);
  };

const thinking: readonly ((right: string, wrong: string) => string)[] = [
  (right) =>
    `We have to put the complete assertion between [ANSWER] and [/ANSWER].\n\n[ANSWER]\n${right}\n[/ANSWER]`,
  (right) => `I will write [ANSWER][/ANSWER] around it. [ANSWER]${right}[/ANSWER]`,
  (right) => `The reply has to end with [/ANSWER].\n[ANSWER]\n${right}\n[/ANSWER]`,
  (right) => `I close it by \`[/ANSWER]\`.\n[ANSWER]\n${right}\n[/ANSWER]`,
  (right, wrong) => `Is it [ANSWER]${wrong}[/ANSWER]? Wait, that is wrong. [ANSWER]${right}[/ANSWER]`,
  (right, wrong) => `<think>Is it [ANSWER]${wrong}[/ANSWER]? No.</think>\n[ANSWER]${right}[/ANSWER]`,
  (right, wrong) => `<mm:think>[ANSWER]${wrong}[/ANSWER]</mm:think>[ANSWER]${right}[/ANSWER]`,
  (right, wrong) => `Is it [ANSWER]${wrong}[/ANSWER]? No.</think>\n[ANSWER]${right}[/ANSWER]`,
  (right, wrong) =>
    `<|channel|>analysis<|message|>[ANSWER]${wrong}[/ANSWER]?<|end|><|start|>assistant<|channel|>final<|message|>[ANSWER]${right}[/ANSWER]`,
  (right) => `[/ANSWER] comes last.\n[ANSWER]${right}[/ANSWER]`,
];

test.each(thinking.map((says) => [says("RIGHT", "WRONG"), says] as const))(
  "%j: the thought costs no answer",
  async (_, says) => {
    for (const protocol of ["chat", "ollama"] as const) {
      const { results, server } = await askedOf(ending(says), 4, join(root, String(folders++)), {
        maximumRetries: 0,
        protocol,
      });
      expect(results?.arms[0]).toMatchObject({ correct: 4, wrong: 0, unreadable: 0, outOfTokens: 0 });
      expect(results?.adapted).toEqual(["no stop"]);
      expect(server.asked).toHaveLength(5); // the first again without stop, the others so at once
    }
  },
);

test("a question for the answer alone, or for the rest of a text, is one request with its stop text", async () => {
  for (const [protocol, says] of [
    ["chat", (right: string) => `[ANSWER]\n${right}\n[/ANSWER]`],
    ["chat", (right: string) => `${right}\n[/ANSWER]`],
    ["chat", (right: string) => `<think>It is so.</think>\n${right}\n[/ANSWER]`],
    [
      "completion",
      (right: string) =>
        `${right}\n[/ANSWER]\n\n[PYTHON]\np = 1\nassert p == ??\n[/PYTHON]\n[ANSWER]\n7\n[/ANSWER]`,
    ],
  ] as const) {
    const { results, server } = await askedOf(ending(says), 4, join(root, String(folders++)), {
      maximumRetries: 0,
      protocol,
    });
    expect(results?.arms[0]).toMatchObject({ correct: 4 });
    expect([results?.adapted, server.asked.length]).toEqual([[], 4]);
  }
});
