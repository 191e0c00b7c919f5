import { expect, test } from "vitest";
import type { BenchmarkRow } from "../../python/benchmarks/index.ts";
import { benchInput } from "../bench-input.test-helper.ts";
import { functionBenches } from "../benchmarks/functions.ts";
import { hasPython, judgedAll } from "../python.test-helper.ts";
import type { Predict, Question, Scoring, Style } from "../question.ts";
import type { Grade } from "./grade.ts";

/** What is asked: code, the call, and what it gives. */
const programs = {
  same: ["def f(n):\n    return n", "f(17)", "17"],
  text: ["def f(s):\n    return s + 'a'", "f('x9j')", "'x9ja'"],
  set: ["def f(items):\n    return set(items)", "f([])", "set()"],
  bullet: ["def f(s):\n    return s", "f('\u2022')", "'\u2022'"],
  pair: ["def f(n):\n    return (n, n + 1)", "f(1)", "(1, 2)"],
  none: ["def f(n):\n    return None", "f(1)", "None"],
} as const;

type Verdict = Grade["kind"];
/** The answers of a careful reader, and those of CRUXEval's rules, which run the text after the first `==`. */
type Fixture = readonly [program: keyof typeof programs, reply: string, strict: Verdict, upstream: Verdict];

const right = "correct" as const;
const wrong = "wrong" as const;
const none = "unreadable" as const;

const outputs: readonly Fixture[] = [
  // prose with a fence
  ["same", "The function gives back n.\n\n```python\nassert f(17) == 17\n```\n\nThat is all.", right, wrong],
  ["same", "```python\ndef f(n):\n    return n\n\nassert f(17) == 17\n```", right, wrong],
  [
    "same",
    "First try:\n```python\nassert f(17) == 18\n```\nNo, n is not changed:\n```python\nassert f(17) == 17\n```",
    right,
    none,
  ],
  ["same", "```python\nassert f(17) == 18\n```", wrong, wrong],
  ["text", "[ANSWER]\n```python\nassert f('x9j') == 'x9ja'\n```\n[/ANSWER]", right, wrong],
  ["same", "It returns its argument:\n\n```python\nprint(f(17))\n```\n\nThe output is `17`.", right, none],
  // bold
  ["same", "**assert f(17) == 17**", right, wrong],
  ["same", "So **assert f(17) == 17** holds, since n is given back.", right, wrong],
  ["text", "**Answer:** `'x9ja'`", right, wrong],
  // [PYTHON] again
  [
    "same",
    "[PYTHON]\ndef f(n):\n    return n\nassert f(17) == ??\n[/PYTHON]\n[ANSWER]\nassert f(17) == 17\n[/ANSWER]",
    right,
    none,
  ],
  ["same", "[PYTHON]\ndef f(n):\n    return n\nassert f(17) == 17\n[/PYTHON]", right, wrong],
  [
    "same",
    "Here is it once more:\n[PYTHON]\ndef f(n):\n    return n\nassert f(17) == ??\n[/PYTHON]\n[ANSWER]\n17\n[/ANSWER]",
    right,
    wrong,
  ],
  [
    "same",
    "I cannot say.\n\n[PYTHON]\ndef f(x):\n    return x + 1\nassert f(16) == ??\n[/PYTHON]\n[ANSWER]\nassert f(16) == 17\n[/ANSWER]",
    none,
    wrong,
  ],
  [
    "same",
    "17\n\n[PYTHON]\ndef f(n):\n    return n\nassert f(1) == ??\n[/PYTHON]\n[ANSWER]\n1\n[/ANSWER]",
    right,
    wrong,
  ],
  // brackets around the assertion
  ["same", "assert (f(17) == 17)", right, wrong],
  ["same", "assert(f(17) == 17)", right, wrong],
  ["pair", "assert (f(1) == (1, 2))", right, wrong],
  ["pair", "assert f(1) == (1, 2)", right, right],
  // a message
  ["same", 'assert f(17) == 17, "n is given back"', right, right],
  ["same", "assert f(17) == 17, f'got {f(17)}'", right, none],
  ["same", 'assert (f(17) == 17, "n is given back")', right, wrong],
  ["text", "assert f('x9j') == 'x9ja', 'it ends with a, b'", right, right],
  ["pair", "1, 2", right, wrong],
  // sets and characters by name
  ["set", "assert f([]) == set([])", right, right],
  ["set", "set()", right, right],
  ["set", "{}", wrong, wrong],
  ["bullet", "'\\N{BULLET}'", right, right],
  ["bullet", "assert f('\u2022') == '\\N{ASTERISK}'", wrong, wrong],
  ["bullet", "'\\N{NO SUCH THING}'", none, wrong],
  // other ways to say it
  ["same", "17\n\nn is given back as it is.", right, wrong],
  ["none", "assert f(1) is None", right, none],
  ["same", "assert f(17) == 17\n\nIn the same way:\nassert f(18) == 18", right, wrong],
  ["same", "assert f(17) == 17 or True", none, right],
  ["same", "17.", right, right],
  ["same", "assert f(17) == 17;", right, right],
  ["same", "assert f(17) == 17  # n is given back", right, right],
  ["same", "assert f(17) == 17.0", wrong, right],
  ["same", "assert f(17) != 17", none, none],
  ["same", "f(17) == 17", right, right],
  ["same", "`f(17)` returns `17`.", right, none],
  ["same", "First f(1) returns 1.\nIn the same way f(17) returns 17.", right, none],
  ["same", "The value is 17, not 18.", right, wrong],
  ["pair", "The result is (1, 2), a tuple.", right, wrong],
  ["same", "```python\nassert f(17) == 17", right, right],
  ["same", "```python\n17", right, wrong],
  ["text", "The answer is x9ja.", none, wrong],
  ["text", "assert f('x9j') == 'x9j' + 'a'", none, right],
  ["text", "\u2018x9ja\u2019", right, wrong],
];

const inputs: readonly Fixture[] = [
  ["same", "**assert f(17) == 17**", right, right],
  ["same", "The input has to be 17:\n\n```python\nassert f(17) == 17\n```", right, right],
  ["same", "assert (f(17) == 17)", right, wrong],
  ["same", 'assert f(17) == 17, "n is given back"', right, right],
  ["same", "assert f(18) == 17", wrong, wrong],
  ["set", "f(set([]))", right, right],
];

const thoughts: readonly (Fixture | readonly [...Fixture, protocol: string])[] = [
  ["same", "n is 17, and it is given back.\n17", right, right],
  ["same", "n is 17, and it is given back.\n17", right, wrong, "completion"],
  ["same", "n is given back.\n[/THOUGHT]\n17", right, right],
  ["same", "n is given back.\nassert f(17) == 17", right, none],
  ["same", "n is given back.\n[/THOUGHT]\n[ANSWER]\nassert f(17) == 17\n[/ANSWER]", right, right],
  ["same", "The answer is not 18, as one might think: n is given back.", none, wrong],
  ["same", "n is given back, so assert f(17) == 17", right, none],
  ["same", "Let me see what f does with n", none, wrong],
  ["same", "n is given back.\n\nThe answer is $\\boxed{17}$.", right, wrong],
  ["same", "[ANSWER]18[/ANSWER] No.\n[ANSWER]17[/ANSWER]", right, wrong],
];

function questionOf(
  [code, call, expected]: (typeof programs)[keyof typeof programs],
  predict: Predict,
  style: Style,
  scoring: Scoring,
  protocol?: string,
): Question {
  const calls = [{ id: "p_0", program: "p", sources: [code], call, expected }];
  const rows: BenchmarkRow[] = [{ program: "p", calls, unreadable: [] }];
  const input = benchInput<BenchmarkRow>({ predict: [predict], style, scoring, seed: 0, rows });
  return functionBenches.cruxeval
    .prepare({ split: "test" }, { ...input, ...(protocol !== undefined && { protocol }) })
    .question(0);
}

const all = [
  ...outputs.map((fixture) => ({ fixture, predict: "output" as const, style: "direct" as const })),
  ...inputs.map((fixture) => ({ fixture, predict: "input" as const, style: "direct" as const })),
  ...thoughts.map((fixture) => ({ fixture, predict: "output" as const, style: "cot" as const })),
];

test.skipIf(!hasPython).each(["strict", "upstream"] as const)(
  "forty answers and more are read by %s as a careful person reads them (skipped without python3)",
  async (scoring) => {
    expect(all.length).toBeGreaterThanOrEqual(40);
    const judged = await judgedAll(
      all.map(({ fixture: [program, reply, , , protocol], predict, style }) => [
        questionOf(programs[program], predict, style, scoring, protocol),
        reply,
      ]),
    );
    const which = scoring === "strict" ? 2 : 3;
    const missed = all.flatMap(({ fixture }, i) =>
      judged[i].grade.kind === fixture[which]
        ? []
        : [`${fixture[1]} -> ${judged[i].grade.kind}, not ${fixture[which]}`],
    );
    expect(missed).toEqual([]);
  },
);
