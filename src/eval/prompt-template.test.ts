import { expect, test } from "vitest";
import { promptText } from "./prompt.ts";
import { promptTemplate } from "./prompt-template.ts";

const shots = ["1", "2"].map((n) => ({ program: `x = ${n}`, thought: "so", answer: n }));
const prompt = { instruction: "Say it.", shots, program: "y = {shots}\nassert y == ??\n" };

test("a file's places are filled as they are, and without a place nothing is put in", () => {
  const text = "{instruction}|{shots}|{program}|end";
  const asked = promptText(prompt, "direct", { template: promptTemplate(text, "mine.txt"), shots: 1 });
  expect(asked).toBe(
    "Say it.|[PYTHON]\nx = 1\n[/PYTHON]\n[ANSWER]\n1\n[/ANSWER]|y = {shots}\nassert y == ??|end",
  );
  expect(promptText(prompt, "cot", { template: promptTemplate("> {program}", "mine.txt") })).toBe(
    "> y = {shots}\nassert y == ??",
  );
});

test.each([
  ["What?", "one {program}"],
  ["{program} {program}", "one {program}"],
  ["{program} {answer}", "no other place"],
])("a file %j is refused", (text, words) => {
  expect(() => promptTemplate(text, "mine.txt")).toThrow(words);
});

test("so many worked examples stand in the prompt, and the bench's own without saying", () => {
  const count = (text: string) => text.split("[/ANSWER]").length - 1;
  expect([0, 1, 2].map((shots) => count(promptText(prompt, "direct", { shots })))).toEqual([0, 1, 2]);
  expect(promptText(prompt, "direct", { shots: 2 })).toBe(promptText(prompt, "direct"));
  expect(() => promptText(prompt, "direct", { shots: 3 })).toThrow("--shots: expected at most 2");
});

/** The layout of CRUXEval's file, in other words. */
const python = `def make_direct_output_prompt_other(s):
    return f"""other {code}"""

def make_direct_output_prompt(s):
    code, input = s
    return f"""Direct.

[PYTHON]
{code}
assert f({input}) == ??
[/PYTHON]
[ANSWER]
"""

def make_cot_input_prompt(s):
    code, output = s
    return f"""Think.
{code}
assert f(??) == {output}
"""
`;

test("of a prompts.py the function of the style and direction is asked, with what it formats", () => {
  const template = promptTemplate(python, "somewhere/prompts.py");
  const program = "def f(n):\n    return n\nassert f(17) == ??";
  expect(promptText({ ...prompt, program }, "direct", { template }, "output")).toBe(
    `Direct.\n\n[PYTHON]\n${program}\n[/PYTHON]\n[ANSWER]\n`,
  );
  expect(template("cot", "input")).toBe("Think.\n{program}\n");
  expect(() => template("cot", "output")).toThrow("make_cot_output_prompt");
});
