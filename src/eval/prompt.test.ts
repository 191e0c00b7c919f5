import { expect, test } from "vitest";
import { answerIn } from "./prompt.ts";

test.each([
  ["42", "42"],
  [" 42\n", "42"],
  ["42\n[/ANSWER]", "42"],
  ["Here it is: [ANSWER]\n42\n[/ANSWER] as asked", "42"],
  ["42\n[/ANSWER]\n\n[PYTHON]\nx = 1\n[/PYTHON]\n[ANSWER]\n7\n[/ANSWER]", "42"],
  ["42\n\n[PYTHON]\nx = 1\n[/PYTHON]\n[ANSWER]\n7\n[/ANSWER]", "42"],
  ["```python\n42\n```", "42"],
  ["```\n[1,\n 2]\n```\nThat is all.", "[1,\n 2]"],
  ["`'a'`", "'a'"],
  ["", undefined],
  ["[ANSWER]\n[/ANSWER]", undefined],
])("at once, %j answers %j", (reply, answer) => {
  expect(answerIn(reply, "direct")).toBe(answer);
});

test.each([
  ["It is 42.\n[/THOUGHT]\n[ANSWER]\n42\n[/ANSWER]", "42"],
  ["It is 42.\n[/THOUGHT]\n[ANSWER]\n42", "42"],
  ["I am to put it into [ANSWER], so [ANSWER]42[/ANSWER]", "42"],
  ["[ANSWER]42[/ANSWER]\n\n[PYTHON]\nx\n[/PYTHON]\n[THOUGHT]...[ANSWER]7[/ANSWER]", "42"],
  ["It is 42.", undefined],
  ["It is 42.\n[/ANSWER]", undefined],
])("after a thought, %j answers %j", (reply, answer) => {
  expect(answerIn(reply, "cot")).toBe(answer);
});
