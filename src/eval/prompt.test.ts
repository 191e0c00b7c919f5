import { expect, test } from "vitest";
import { benchInput } from "./bench-input.test-helper.ts";
import { benchNamed } from "./benchmarks/index.ts";
import { functionShots, tracedShots } from "./few-shot-examples.ts";
import { answerIn, promptTemplate, promptText, type Shot } from "./prompt.ts";

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

const told = (shots: readonly Shot[]) =>
  shots.map(({ program, answer }) => [...program.split("\n"), `-> ${answer}`]);

test("the worked examples are those of the papers, to the letter", () => {
  expect(told(tracedShots("output"))).toEqual([
    ["n = 17", "assert n == ??", "-> 17"],
    [`s = "x9j"`, `s += "b"`, `assert s + "a" == ??`, `-> "x9jba"`],
  ]);
  expect(told(tracedShots("input"))).toEqual([
    ["n = ??", "assert n == 17", "-> 17"],
    ["s1, s2 = ??", `s2 += "a"`, `assert s1 + s2 == "banana"`, `-> "ban", "an"`],
  ]);
  expect(told(functionShots("output", true)).map((lines) => lines.slice(-2))).toEqual([
    ["assert identity(17) == ??", "-> assert identity(17) == 17"],
    [`assert append_a("x9j") == ??`, `-> assert append_a("x9j") == "x9ja"`],
  ]);
});

test("programs of arithmetic have the worked examples of traces", () => {
  const bench = benchNamed("arithmetic");
  const { question } = bench.prepare(bench.params.parse({ programs: 1 }), benchInput({ seed: 0 }));
  const prompt = question(0).next([]);
  for (const { program, answer } of tracedShots("output"))
    expect(prompt).toContain(`[PYTHON]\n${program}\n[/PYTHON]\n[ANSWER]\n${answer}\n[/ANSWER]\n`);
});

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
  expect(() => promptText(prompt, "direct", { shots: 3 })).toThrow("--few-shot: expected at most 2");
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
