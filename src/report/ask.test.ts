import { expect, test } from "vitest";
import type { AskResults, SampleRecord } from "../schemas/eval.ts";
import { askReport, failuresShown, speedWords } from "./ask.ts";
import { all, readMarkup, textOf, withClass } from "./markup.test-helper.ts";

const arm = (name: string, accuracy: number): AskResults["arms"][number] => ({
  ...{ arm: name, predict: "output", programs: 100, answers: 100, excluding: null },
  ...{ correct: 100 * accuracy, wrong: 97 - 100 * accuracy, unreadable: 3 },
  ...{ outOfTokens: 0, unanswered: 1, notAsked: 0 },
  passAt: [{ k: 1, value: accuracy, interval: [accuracy - 0.05, accuracy + 0.05] }],
  bySteps: [
    { from: 0, to: 4, programs: 60, accuracy: 0.75, interval: [0.6, 0.85] },
    { from: 5, to: 9, programs: 40, accuracy: 0.25, interval: [0.15, 0.4] },
  ],
});
const results: AskResults = {
  ...{ version: 1, missing: "both", bench: "cruxeval", params: { split: "test" }, model: "<b>model</b>" },
  ...{ endpoint: "http://localhost:8000/v1/", protocol: "chat", servedModels: { "model-2": 200 } },
  denominator: "202 samples: 200 answered; none out of tokens; 2 lost to the endpoint (2 server-error)",
  ...{ finishes: { stop: 200 }, adapted: [], tokens: { prompt: 12_000, reply: 400, counted: 200 } },
  ...{ cost: { input: 0.5, output: 1, total: 0.0064 }, speed: null, style: "direct", scoring: "strict" },
  ...{ samples: 1, seed: 0, data: "8368", traces: "11aa", shots: null, prompt: "22bb" },
  parameters: { temperature: 0, maximumTokens: 300, stop: ["[/ANSWER]"], contextTokens: null, seed: null },
  arms: [arm("function", 0.5), arm("traced", 0.8)],
  pairs: [
    { predict: "output", untraced: 0, traced: 1, programs: 36 },
    { predict: "output", untraced: 1, traced: 1, programs: 44 },
    { predict: "output", untraced: 1, traced: 0, programs: 9 },
  ],
  excluded: [{ id: "sample_9", reason: "the trace has 51 steps, 50 are taken" }],
  left: { "server-error": 2 },
};
const failure = (index: number): SampleRecord => ({
  ...{
    version: 1,
    sample: `function/output/sample_${index}/0000`,
    id: `sample_${index}`,
    index: 0,
    steps: 3,
  },
  ...{ arm: "function", predict: "output", prompt: `assert f('</pre><script>') == ?? ${index}` },
  ...{ replies: ["42 \u202E"], finish: "stop", promptTokens: 60, replyTokens: 1 },
  ...{ extracted: "42", expected: "'<i>'", verdict: "wrong", words: "another value" },
});

test("the page has the accuracy of each arm with its interval, the pairs, the steps and what was left", () => {
  const html = askReport(results, [failure(0)]);
  const page = readMarkup(html);
  const text = textOf(page);
  expect(text).toContain("<b>model</b> on cruxeval");
  expect(all(page, "data").map(({ attributes }) => attributes.value)).toEqual(["0.5", "0.8"]);
  expect(text).toContain("45.0 to 55.0");
  expect(text).toContain(
    "12,000 tokens in prompts, 400 in replies, counted by the server for 200 answers; 0.0064 at 0.5 and 1 per million",
  );
  expect(text).toContain("200 answered; none out of tokens; 2 lost to the endpoint (2 server-error).");
  expect(text).toContain("1: the trace has 51 steps, 50 are taken");
  const figures = all(page, "svg").map(({ attributes }) => attributes["aria-label"]);
  expect(figures).toEqual([
    "output prediction: 89 programs, 36 better as a trace, 9 better as a function.",
    expect.stringMatching(/^function, output\. 0 to 4 steps: 75\.0.%\. 5 to 9 steps: 25\.0.%\.$/),
    expect.stringMatching(/^traced, output/),
  ]);
  const [scatter] = all(page, "svg");
  const radii = all(scatter, "circle").map(({ attributes }) => Number(attributes.r));
  // areas are as the numbers of programs
  expect((radii[0] / radii[2]) ** 2).toBeCloseTo(36 / 9, 1);
});

test("a failure stands with its exact prompt, reply, extraction and verdict, and can add nothing to the page", () => {
  const html = askReport(results, [failure(0)]);
  const page = readMarkup(html);
  const shown = withClass(page, "command").map(textOf);
  expect(shown).toEqual(["assert f('</pre><script>') == ?? 0", "42 \uFFFD"]);
  expect(html).not.toContain("<script");
  const facts = all(page, "dd").map(textOf).slice(0, 3);
  expect(facts).toEqual(["42", "'<i>'", "wrong: another value"]);
});

test("a page of ten thousand long failures is no larger than that of sixty, and names the file with all", () => {
  const long = { ...failure(1), prompt: "x = 1\n".repeat(50_000), replies: ["y".repeat(100_000)] };
  const page = askReport(
    results,
    Array.from({ length: 10_000 }, () => long),
  );
  expect(page.length).toBeLessThan(2_000_000);
  expect(withClass(readMarkup(page), "command")).toHaveLength(2 * failuresShown);
  expect(page).toContain('href="samples.jsonl"');
});

test("without answers the page has dashes and draws nothing", () => {
  const none = { ...arm("function", 0), programs: 0, correct: 0, wrong: 0, unreadable: 0, bySteps: [] };
  const empty = {
    ...results,
    arms: [{ ...none, passAt: [{ k: 1, value: null, interval: null }] }],
    pairs: [],
  };
  const page = readMarkup(askReport(empty, []));
  expect(all(all(page, "table")[0], "td").map(textOf)[1]).toBe("\u2013");
  expect(all(page, "svg")).toEqual([]);
});

test("the speed of streamed replies in words, with no rate where no tokens were counted", () => {
  const speed = {
    replies: 3,
    firstToken: { median: 0.2, p95: 0.29 },
    tokensPerSecond: { median: 9.09, p5: 8.41 },
  };
  expect(speedWords(speed)).toBe(
    "first token after 0.2 s (95th percentile 0.29 s), then 9.1 tokens/s (5th percentile 8.4), over 3 replies",
  );
  expect(speedWords({ ...speed, replies: 1, tokensPerSecond: null })).toBe(
    "first token after 0.2 s (95th percentile 0.29 s), over 1 reply",
  );
  expect(askReport({ ...results, speed }, [])).toContain("then 9.1 tokens/s");
});
