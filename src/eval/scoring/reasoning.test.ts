import { expect, test } from "vitest";
import { splitReasoning } from "./reasoning.ts";

test.each([
  ["<think>17, then 18.</think>\n18", "\n18", "17, then 18."],
  [
    "\n<think>\nIs it [ANSWER] 3 [/ANSWER]? No.\n</think>\n\n[ANSWER]\n18",
    "\n\n[ANSWER]\n18",
    "\nIs it [ANSWER] 3 [/ANSWER]? No.\n",
  ],
  ["17, then 18.\n</think>\n\n18", "\n\n18", "17, then 18.\n"],
  ["<THINK>a</THINK>18", "18", "a"],
  ["[THINK]a[/THINK]18", "18", "a"],
  ["<think></think>18", "18", ""],
  ["18", "18", ""],
  // what is no reasoning stays: a tag inside of an answer
  ["'<think>a</think>b'", "'<think>a</think>b'", ""],
  ["'a</think>'", "'a</think>'", ""],
  ["['</think>', 1]", "['</think>', 1]", ""],
])("%j answers %j", (text, answer, reasoning) => {
  expect(splitReasoning(text)).toEqual({ answer, reasoning, unfinished: false });
});

test("reasoning without an end has answered nothing", () => {
  expect(splitReasoning("<think>17, then [ANSWER] 18")).toEqual({
    answer: "",
    reasoning: "17, then [ANSWER] 18",
    unfinished: true,
  });
});

const decoy = "Is it [ANSWER]1[/ANSWER]? No.";
const answer = "\n[ANSWER]2[/ANSWER]";

test.each([
  `<mm:think>${decoy}</mm:think>${answer}`,
  `<seed:think>${decoy}</seed:think>${answer}`,
  `<thought>${decoy}</thought>${answer}`,
  `<thinking type="long">${decoy}</thinking>${answer}`,
  `<antThinking>${decoy}</antThinking>${answer}`,
  `<inner_monologue>${decoy}</inner_monologue>${answer}`,
  `<scratchpad>${decoy}</scratchpad>${answer}`,
  `\u25c1think\u25b7${decoy}\u25c1/think\u25b7${answer}`,
  `<|begin_of_thought|>${decoy}<|end_of_thought|>${answer}`,
  `<|START_THINKING|>${decoy}<|END_THINKING|>${answer}`,
  `<|channel>thought\n${decoy}<channel|>${answer}`,
  `[THINK]${decoy}[/THINK]${answer}`,
  `<|channel|>analysis<|message|>${decoy}<|end|><|start|>assistant<|channel|>final<|message|>${answer}<|return|>`,
  `<|start|>assistant<|channel|>analysis<|message|>${decoy}<|end|><|channel|>commentary<|message|>${decoy}<|end|><|channel|>final<|message|>${answer}`,
  `analysis${decoy}assistantfinal${answer}`,
  `<think>a</think>\n<think>${decoy}</think>${answer}`,
  `<think>a <think>b</think> ${decoy}</think>${answer}`,
  `<think>I begin with <think>. ${decoy}</think>${answer}`,
  `<think>${decoy}</thinking>${answer}`,
  `<think>They end with "</think>". ${decoy}</think>${answer}`,
  `<think>It isn't 1: \`</think>\` ends it. ${decoy}\n</think>${answer}`,
  `${decoy}\n</think>${answer}`,
  `so it's 1</think>don't</think>${answer}`,
  `${answer}<think>Was it right? ${decoy}</think>`,
  `<think>a</think>${answer}<think>Was it right? ${decoy}`,
])("of %j the decoy is a thought", (text) => {
  const split = splitReasoning(text);
  expect(split.answer.trim()).toBe(answer.trim());
  expect(split.unfinished).toBe(false);
});

test.each([
  "[ANSWER]'a </think> b'[/ANSWER]",
  'assert f(5) == "<think>a</think>"',
  "[ANSWER]\n['<thought>', '</thought>']\n[/ANSWER]",
  "`</think>` is what it gives",
  "f gives \u201ca </think> b\u201d.",
  "I need no <think> for that: 3",
  "[think]",
])("%j has no thought", (text) => {
  expect(splitReasoning(text)).toEqual({ answer: text, reasoning: "", unfinished: false });
  const behind = splitReasoning(`<think>it's a thought</think>\n${text}`);
  expect(behind).toEqual({ answer: `\n${text}`, reasoning: "it's a thought", unfinished: false });
});

test("marks of another shape are given", () => {
  const text = `::plan:: ${decoy} ::done::${answer}`;
  expect(splitReasoning(text).answer).toBe(text);
  expect(splitReasoning(text, ["::plan::", "::done::"])).toEqual({
    ...{ answer, reasoning: ` ${decoy} `, unfinished: false },
  });
  expect(splitReasoning("::plan:: 1", ["::plan::", "::done::"]).unfinished).toBe(true);
});

test("a hundred thousand marks are split in linear time", () => {
  const began = performance.now();
  for (const piece of ["<think>", "</think>", "'</think>", "<|channel|>", "<think>'\n"])
    splitReasoning(piece.repeat(100_000 / piece.length));
  expect(performance.now() - began).toBeLessThan(5_000);
});
