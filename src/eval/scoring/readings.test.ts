/** @file Values in the words of models: what is wrapped is read as it was, and where two values may be meant none is. */

import { describe, expect, test } from "vitest";
import { parseWith } from "../../core/settings.ts";
import { sameLiteral } from "../../python/values/equality.ts";
import { readLiteral } from "../../python/values/literal.ts";
import { benchInput, nothing } from "../bench-input.test-helper.ts";
import { benchNamed } from "../benchmarks/index.ts";
import type { Style } from "../question.ts";
import { answersIn, judgeAnswer } from "./answer-parser.ts";
import { gradeLiteral } from "./grade.ts";

const program = "def f(n):\n    return n\nassert f(5) == ??";
const read = (reply: string, style: Style = "direct") => answersIn(reply, style, program);

/** As CPython writes them. */
const values = [
  ..."0|3|-3|17|1000|123456789012345678901234567890|True|False|None|Ellipsis|3.0|-0.5|1e+16".split("|"),
  ...`1e-07|-0.0|inf|-inf|(1+2j)|-2j|0.1|''|'ab'|'a b'|"it's"|'say "x"'|'a, b'|'a. b'|'3'`.split("|"),
  ..."'3.'|'a == b'|'# no'|'assert f(5) == 4'|'The answer is 4.'|'x or y'|'\\n'|'a\\\\'".split("|"),
  ..."'\\u2019'|'\u00e9'|'(')|'{'|')'|'None'|' '|'.'|','|'?'|'1,000'|'a -> b'|'a is b'".split("|"),
  ..."'not 3'|'='|b''|b'ab\\xff'|[]|[1, 2, 3]|['a', 'b.']|[[1], [2, 'c, d']]|()|(1,)|(1, 2)".split("|"),
  ..."('a', None)|{}|{1: 2}|{'a': [1], 'b': {}}|{'answer': 3}|set()|{1, 2}|{'x'}".split("|"),
  ..."[True, None, -1.5]|[('a', 1), ('b', 2)]|{1: 'one', 2: 'two. three'}|'http://x.y/z?a=b'".split("|"),
  ...`'a\\tb'|['it', "it's"]`.split("|"),
].filter((value) => readLiteral(value) !== undefined);

const wrappers: readonly ((value: string) => string)[] = [
  (v) => v,
  (v) => `[ANSWER]${v}[/ANSWER]`,
  (v) => `[ANSWER]\n${v}\n[/ANSWER]`,
  (v) => `[ANSWER]\nassert f(5) == ${v}\n[/ANSWER]`,
  (v) => `[ANSWER]${v}.[/ANSWER]`,
  (v) => `[ANSWER]The answer is ${v}.[/ANSWER]`,
  (v) => `We put it between [ANSWER] and [/ANSWER].\n[ANSWER]${v}[/ANSWER]`,
  (v) => `[ANSWER]'first'[/ANSWER] Wait, that is wrong. Correct: [ANSWER]${v}[/ANSWER]`,
  (v) => `The answer is ${v}.`,
  (v) => `The answer is: ${v}.`,
  (v) => `The output will be: ${v}`,
  (v) => `The final answer is **${v}**.`,
  (v) => `So f(5) returns ${v}.`,
  (v) => `f(5) = ${v}`,
  (v) => `f(5) -> ${v}`,
  (v) => `f(5) == ${v}`,
  (v) => `?? = ${v}`,
  (v) => `>>> f(5)\n${v}`,
  (v) => `I ran it:\n\`\`\`python\n>>> f(5)\n${v}\n\`\`\``,
  (v) => `assert f(5) == ${v}`,
  (v) => `assert (f(5) == ${v})`,
  (v) => `assert ${v} == f(5)`,
  (v) => `assert f(5) == ${v}, 'so it is'`,
  (v) => `[PYTHON]assert f(5) == ${v}[/PYTHON]`,
  (v) => `[PYTHON]\ndef f(n):\n    return n\nassert f(5) == ${v}\n[/PYTHON]`,
  (v) => `n is given back:\n\n\`\`\`python\nassert f(5) == ${v}\n\`\`\`\n\nThat is all.`,
  (v) => `n is given back:\n\`\`\`\n${v}\n\`\`\``,
  (v) => `Answer: ${v}`,
  (v) => `**Answer:** ${v}`,
  (v) => `Final answer:\n${v}`,
  (v) => `$\\boxed{${v}}$`,
  (v) => `<answer>${v}</answer>`,
  (v) => `First I thought that it is 99, but the answer is ${v}`,
  (v) => `The answer is ${v}, since n is given back.`,
  (v) => `The answer is ${v} because n is given back.`,
  (v) => `The result is ${v} (see above).`,
  (v) => `The output is 'first'. Wait, no. The output is ${v}.`,
  (v) => `{"answer": ${JSON.stringify(v)}}`,
];

describe.each(["direct", "cot"] as const)("%s", (style) => {
  test("what is wrapped is read as it was", () => {
    expect(values.length).toBeGreaterThan(60);
    const begins = (value: string) => `${value}\n\nn is given back as it is.`;
    const missed = [...wrappers, ...(style === "direct" ? [begins] : [])].flatMap((wrap) =>
      values.flatMap((value) => {
        const reply = wrap(value);
        const [reading = ""] = read(reply, style);
        const [is, wanted] = [readLiteral(reading), readLiteral(value)!];
        return is !== undefined && sameLiteral(is, wanted) ? [] : [`${reply} -> ${reading}`];
      }),
    );
    expect(missed).toEqual([]);
  });
});

/** By a person who looks for the last answer; null: two may be meant, or none. */
const replies: readonly (readonly [reply: string, answer: string | null])[] = [
  ["3.", "3"],
  ["-3.", "-3"],
  ["**The answer is 3.**", "3"],
  ["The answer is `3`.", "3"],
  ["It evaluates to 3.", "3"],
  ["The answer is 3.5.", "3.5"],
  ["[ANSWER]\n[1, 2].\n[/ANSWER]", "[1, 2]"],
  ["the output is 10!", "10"],
  ["```\n>>> f(5)\n3\n```", "3"],
  ["\\boxed{{1: 2}}", "{1: 2}"],
  ["\\boxed{\\text{3}}", "3"],
  ["[PYTHON]\nassert f(5) == 3\n[/PYTHON]", "3"],
  ["\u201cab\u201d", '"ab"'],
  ["The answer is \u2018ab\u2019.", '"ab"'],
  ["[ANSWER]assert f(5) == \u201cab\u201d[/ANSWER]", '"ab"'],
  ['{"answer": 3}', "3"],
  ['```json\n{"answer": 3}\n```', "3"],
  ['{"answer": [1, true, null]}', "[1, True, None]"],
  ['Here: {"reasoning": "x", "answer": 4}', null],
  ["1[/ANSWER] Wait. [ANSWER]2[/ANSWER]", "2"],
  ["assert f(5) == 1\nActually:\nassert f(5) == 2", "2"],
  ["The answer is 1. Actually, it returns 2.", null],
  ["It may be 17 or 18.", null],
  ["The answer is 17 or 18.", null],
  ["The answer could be 17. The answer could be 18.", null],
  ["Either `17` or `18`.", null],
  ["Is it 3? Or 4?", null],
  ["The answer is 3, or 4.", null],
  ["17 or 18", null],
  ["I think 3 but maybe 4.", null],
  ["assert not f(5) == [1, 2, 3]", "not [1, 2, 3]"],
  ["assert f(5) == 1, 2", "1"],
  ["assert not (f(5) == 3)", "not 3"],
  ["assert (f(5) == 1, 2)", null],
  ["assert f(5) == 3 == 3", "3"],
  ["assert 3 == f(5) == 3", "3"],
  ["assert f(5) == 3 == 4", null],
  ["assert f(5) != 3", null],
  ["assert f(5) == 3 or True", null],
  ["assert True or f(5) == 3", null],
  ["assert (y := f(5)) == 3", "3"],
  ["assert f(5) == (y := 3)", "3"],
  ["assert f(5) == 'a == b', 'm == n'", "'a == b'"],
  ["assert ((f(5)) == (3))", "(3)"],
  ["assert f(5) is None", "None"],
  ["assert f(5) is not None", null],
  ["assert f(5) in [3]", null],
  ["assert not not f(5) == 3", "3"],
  ["assert f(5) == 3 if True else 4", null],
  ["The answer is 1,000.", "1000"],
  ["The answer is \u22123.", "-3"],
  ["**Answer: 3**", "3"],
  ["## The answer:\n\n3", "3"],
  ["Final answer:\n```\n3\n```", "3"],
  ["Answer:\n[1,\n 2]", "[1,\n 2]"],
  ["Therefore, f(5) == 3.", "3"],
  ["f(5) gives 3 because n is 5.", "3"],
  ["The return value is 'a, b' since it joins.", "'a, b'"],
  ["The answer is 8, since the value of x is 5.", "8"],
  ["The answer is 3. The output of g(2) is 4.", "3"],
  ["<answer>\n'</a>'\n</answer>", "'</a>'"],
  ["Result: `'x'`", "'x'"],
  ["=> 3", "3"],
  ["= 3", "3"],
  ["so the final result would be 3", "3"],
  ["The answer is therefore 3.", "3"],
  ["The correct answer should be 3.", "3"],
  ["The complete assertion is between [ANSWER] and [/ANSWER]. The answer is 3.", "3"],
  ["[ANSWER] and [/ANSWER]\n\n[ANSWER]\nassert f(5) == 3\n[/ANSWER]", "3"],
  ["[ANSWER]3[/ANSWER] as [ANSWER]...[/ANSWER]", "3"],
  ["[ANSWER]...[/ANSWER]", "..."],
  ["[answer]3[/answer]", "3"],
  ["f(5) returns 3. In the same way f(6) returns 4.", "3"],
  ["f(6) returns 4.", "4"],
  ["'it''s'", "'it''s'"],
  ["nan", "nan"],
  ["The answer is None, as nothing is returned.", "None"],
  ["The answer is ['a', 'b'] and it has 2 items.", "['a', 'b']"],
  ["The answer is \\{1, 2\\}", "{1, 2}"],
  ["The answer is 3 and 4", null],
  ["The answer is 3 + 4", null],
  ["n = 5\nThe answer is 3", "3"],
  ["Let n = 5.\nAfter step one, count is 1.\nAfter step two, count is 2.\nSo we get 2.", null],
  ["print(f(5)) prints 3", "3"],
  ["f('5') -> 3", "3"],
  ["Given n=5, the code returns n. Output: 5", "5"],
  ["1. First step\n2. Second step\n\nThe output is 7", "7"],
  ["Step 1: x = 3\nStep 2: x = 4\nAnswer: 4", "4"],
  ["```python\ndef f(n):\n    return n\n\nprint(f(5))  # 5\n```\nThis prints `5`.", "5"],
  ["The output is:\n\n```\n5\n```", "5"],
  ["The answer is 5\u00a0.", "5"],
];

test.each(replies)("%j is read as %j", (reply, answer) => {
  expect(read(reply)[0] ?? null).toBe(answer);
  expect(read(reply, "cot")[0] ?? null).toBe(answer);
});

test("a direct reply with two lone values has none, a thought has its last", () => {
  expect([read("17\n\n18"), read("17\n\n18", "cot")]).toEqual([[], ["18"]]);
});

test("where another reading than the likeliest is right, the reply is not wrong", async () => {
  const verdict = async (reply: string, expected: string) => {
    const { grade } = await judgeAnswer(reply, { style: "direct", program }, (answer) =>
      gradeLiteral(answer, expected),
    );
    return grade.kind;
  };
  expect(await verdict("The answer is 3.", "3")).toBe("correct");
  expect(await verdict("The answer is 3.", "3.0")).toBe("unreadable");
  expect(await verdict("The answer is 3.", "4")).toBe("wrong");
  expect(await verdict('{"answer": "3"}', "'3'")).toBe("unreadable");
  expect(await verdict('{"answer": "3"}', "{'answer': '3'}")).toBe("unreadable");
  expect(await verdict('{"answer": "3"}', "4")).toBe("wrong");
  expect(await verdict("1,000", "(1, 0)")).toBe("unreadable");
  expect(await verdict(">>> print(f(5))\n3", "'3'")).toBe("unreadable");
  for (const [denied, expected] of [
    ["assert not f(5) == [1, 2, 3]", "[1, 2, 3]"],
    ["assert not (f(5) == 3)", "3"],
    ["assert f(5) == 1, 2", "(1, 2)"],
  ] as const)
    expect([denied, await verdict(denied, expected)]).toEqual([denied, "wrong"]);
});

test("a value in a sentence is read by every bench", async () => {
  for (const name of ["parity", "permutation", "arithmetic", "repl", "recall", "s5"]) {
    const bench = benchNamed(name);
    const set = bench.prepare(parseWith(bench.params, { programs: 2 }, name), benchInput({ seed: 0 }));
    const { judge, expected } = set.question(0);
    for (const reply of [`[ANSWER]The answer is ${expected}.[/ANSWER]`, `[ANSWER]${expected}.[/ANSWER]`])
      expect([name, (await judge([reply], nothing)).grade.kind]).toEqual([name, "correct"]);
    const corrected = `[ANSWER]7[/ANSWER] Wait: [ANSWER]${expected}[/ANSWER] I keep to [ANSWER] and [/ANSWER].`;
    expect([name, (await judge([corrected], nothing)).grade.kind]).toEqual([name, "correct"]);
  }
});

test("the five values of s5 may stand one in a line", async () => {
  const bench = benchNamed("s5");
  const { judge, expected } = bench
    .prepare(parseWith(bench.params, { programs: 1 }, "s5"), benchInput({ seed: 0 }))
    .question(0);
  const held = expected.split(", ");
  const named = held.map((value, i) => ["abcde"[i], value]);
  for (const lines of [
    held.join("\n"),
    named.map(([name, value]) => `${name} = ${value}`).join("\n"),
    named
      .toReversed()
      .map(([name, value]) => `- \`${name}\`: ${value}`)
      .join("\n"),
    JSON.stringify(Object.fromEntries(named.map(([name, value]) => [name, Number(value)]))),
    `[${expected}]`,
  ])
    expect([lines, (await judge([`[ANSWER]\n${lines}\n[/ANSWER]`], nothing)).grade.kind]).toEqual([
      lines,
      "correct",
    ]);
});

test("long replies are read in a time that grows with their length", () => {
  const began = performance.now();
  for (const piece of [
    "The answer is 3, or so. ",
    "assert f(5) == (",
    ">>> f(5)\n",
    "f(f(f(",
    "`3` ",
    "\\boxed{",
    "[ANSWER] and ",
  ])
    for (const style of ["direct", "cot"] as const) read(piece.repeat(100_000 / piece.length), style);
  expect(performance.now() - began).toBeLessThan(20_000);
});
