import { expect, test } from "vitest";
import { findOnset } from "../../analysis/onset.ts";
import { openRecording } from "../../python/debugger/index.ts";
import { hasPython, runPython } from "../../python/trace/python.test-helper.ts";
import { parseHistory } from "../../schemas/execution-trace.ts";
import { checkClaims } from "./check-claims.ts";
import { readTranscripts } from "./index.ts";

const programs = {
  mean: {
    source:
      "def f(xs):\n    total = 0\n    names = {}\n    for x in xs:\n        total += x\n        names[x] = total\n    avg = total / len(xs)\n    return avg\n",
    call: "f([1, 2, 3])",
  },
  sum: {
    source: "def add_up(xs):\n    t = 0\n    for x in xs:\n        t = t + x\n    return t\n",
    call: "add_up([4, 5])",
  },
  countdown: {
    source:
      "def g(n):\n    steps = 0\n    while n != 1:\n        if n % 2 == 0:\n            n = n // 2\n        else:\n            n = 3 * n + 1\n        steps += 1\n    return steps\n",
    call: "g(6)",
  },
  nested: {
    source:
      "def pairs(m):\n    count = 0\n    for i in range(m):\n        for j in range(i):\n            count += i * j\n    return count\n",
    call: "pairs(4)",
  },
  text: {
    source:
      "def rev(s):\n    out = ''\n    for c in s:\n        out = c + out\n    ok = out == s\n    return out, ok\n",
    call: "rev('abc')",
  },
  fact: {
    source: "def fact(n):\n    if n <= 1:\n        return 1\n    return n * fact(n - 1)\n",
    call: "fact(4)",
  },
  search: {
    source:
      "def find(xs, target):\n    for i, x in enumerate(xs):\n        if x == target:\n            return i\n    return -1\n",
    call: "find([7, 3, 9, 3], 9)",
  },
  words: {
    source:
      "from collections import Counter, deque\ndef h(ws):\n    c = Counter()\n    q = deque()\n    for w in ws:\n        c[w] += 1\n        q.append(w)\n    best = max(c.values())\n    return best\n",
    call: "h(['a', 'b', 'a'])",
  },
  binary: {
    source:
      "def bs(a, t):\n    lo, hi = 0, len(a) - 1\n    while lo <= hi:\n        mid = (lo + hi) // 2\n        if a[mid] == t:\n            return mid\n        if a[mid] < t:\n            lo = mid + 1\n        else:\n            hi = mid - 1\n    return -1\n",
    call: "bs([1, 3, 5, 7, 9, 11], 9)",
  },
  scale: {
    source:
      "def area(w, h):\n    return w * h\n\ndef total_of(xs):\n    acc = 0.0\n    for w, h in xs:\n        acc += area(w, h) / 3\n    if acc > 10:\n        acc = 10\n    return acc\n",
    call: "total_of([(1, 2), (3, 4)])",
  },
} as const;

/** A true account, and a piece of it with what it is exchanged for to make it false; the claim that is then false first, and how it is found. */
type Account = readonly [
  program: keyof typeof programs,
  text: string,
  ...(readonly [from: string, to: string, claim: string] | readonly []),
];

const accounts: readonly Account[] = [
  [
    "mean",
    "After the first iteration total = 1.\nAfter the second iteration total = 3.\nAfter the third iteration total = 6.\nThe function returns 2.0.",
    "returns 2.0",
    "returns 3.0",
    "return = 3.0",
  ],
  [
    "mean",
    "Iteration 0: x = 1, total = 1\nIteration 1: x = 2, total = 3\nIteration 2: x = 3, total = 6\nThen avg = 6 / 3 = 2.0 and that is returned.",
    "x = 2, total = 3",
    "x = 2, total = 4",
    "total = 4",
  ],
  [
    "mean",
    "total = 0\nAfter the first iteration total = 1, names = {1: 1}.\nAfter the second iteration total = 3, names = {1: 1, 2: 3}.\nAfter the third iteration total = 6.\navg = 6 / 3 = 2.0\nThe answer is 2.0.",
    "total = 3, names",
    "total = 6, names",
    "total = 6",
  ],
  [
    "mean",
    "- Start: `total` = **0**, `names` = `{}`\n- x = 1 → total = 1\n- x = 2 → total = 3\n- x = 3 → total = 6\n\n**Answer:** `2.0`",
    "`2.0`",
    "`2.5`",
    "return = 2.5",
  ],
  [
    "mean",
    "| Iteration | x | total | names |\n|---|---|---|---|\n| 1 | 1 | 1 | {1: 1} |\n| 2 | 2 | 3 | {1: 1, 2: 3} |\n| 3 | 3 | 6 | {1: 1, 2: 3, 3: 6} |\n\nSo avg = 2.0.",
    "| 2 | 2 | 3 |",
    "| 2 | 2 | 6 |",
    "total = 6",
  ],
  [
    "mean",
    "| x | total after |\n|---|---|\n| 1 | 0 + 1 = 1 |\n| 2 | 1 + 2 = 3 |\n| 3 | 3 + 3 = 6 |\n\nFinal answer: 2.0",
    "Final answer: 2.0",
    "Final answer: 6",
    "return = 6",
  ],
  [
    "mean",
    "The total goes from 0 to 1, then to 3, and finally total is 6. The final value of total is 6. Dividing by 3, avg becomes 2.0.",
    "value of total is 6",
    "value of total is 3",
    "total = 3",
  ],
  [
    "mean",
    "total: 0 → 1 → 3 → 6. x takes 1, 2 and 3. At the end, total = 6 and avg = 2.0. \\boxed{2.0}",
    "\\boxed{2.0}",
    "\\boxed{3.0}",
    "return = 3.0",
  ],
  [
    "mean",
    "total: 0 → 1 → 3 → 6, so the mean is 2.0.\n\nRecall that total started at 0. It returns 2.0.",
    "→ 3 →",
    "→ 4 →",
    "total = 4",
  ],
  ["sum", "Pass #1 makes t 4. Pass #2: t becomes 9.", "makes t 4", "makes t 5", "t = 5"],
  [
    "sum",
    "Turn 1: t is set to 4.\nTurn 2: t is updated to 9.\nSo the function returns 9.",
    "returns 9",
    "returns 8",
    "return = 8",
  ],
  [
    "sum",
    "t starts at 0. Adding 4 sets t to 4, and adding 5 brings t to 9. The result is 9.",
    "result is 9",
    "result is 8",
    "return = 8",
  ],
  [
    "sum",
    "First x is 4, so t goes from 0 to 4. Next x is 5 and t goes from 4 to 9.\nOutput: 9",
    "4 to 9.",
    "4 to 8.",
    "t = 8",
  ],
  [
    "sum",
    "Round 1 — x = 4, t = 0 + 4 = 4\nRound 2 — x = 5, t = 4 + 5 = 9\n\nadd_up([4, 5]) returns 9.",
    "returns 9.",
    "returns 8.",
    "return = 8",
  ],
  [
    "sum",
    "Before the loop t = 0. During the 1st iteration x = 4; t = 4 afterwards. During the 2nd iteration x = 5; t = 9 afterwards.",
    "t = 4 afterwards",
    "t = 7 afterwards",
    "t = 7",
  ],
  ["sum", "t is 4 and then 9, so the final sum is 9.", "final sum is 9", "final sum is 8", "sum = 8"],
  ["sum", "The value of t after the loop is 9.", "is 9", "is 8", "t = 8"],
  ["sum", "The value of `t` at the end of the second iteration is 9.", "is 9", "is 7", "t = 7"],
  ["sum", "First 4, then 9.\n\n#### 9", "#### 9", "#### 8", "return = 8"],
  ["sum", "Adding both gives the sum.\n\n```\n9\n```", "\n9\n", "\n8\n", "return = 8"],
  ["sum", "t = 9 at the end, which is returned.\n\n```python\n9\n```\n", "\n9\n", "\n8\n", "return = 8"],
  [
    "mean",
    "total is 6, so the final total is 6 and the final sum is 6. The average is 2.0.",
    "total is 6,",
    "total is 7,",
    "total = 7",
  ],
  [
    "mean",
    "The sum is 6, there are 3 items, and the final value is 2.0.",
    "value is 2.0",
    "value is 2.5",
    "return = 2.5",
  ],
  ["nested", "The final total is 11, and it returns 11.", "is 11", "is 12", "total = 12"],
  [
    "text",
    "Once the loop is over `out` is 'cba'.\n\n#### ('cba', False)",
    "#### ('cba', False)",
    "#### ('abc', False)",
    "return = ('abc', False)",
  ],
  ["sum", "add_up sums the list. 4 + 5 = 9, so it returns 9.", "returns 9", "returns 45", "return = 45"],
  [
    "sum",
    "Step 1: initialize t = 0.\nStep 2: t = 0 + 4 = 4.\nStep 3: t = 4 + 5 = 9.\nStep 4: return t → 9",
    "4 + 5 = 9",
    "4 + 5 = 10",
    "t = 10",
  ],
  [
    "countdown",
    "steps = 0, n = 6\nn is even: n = 3, steps = 1\nn is odd: n = 10, steps = 2\nn = 5, steps = 3\nn = 16, steps = 4\nn = 8, steps = 5\nn = 4, steps = 6\nn = 2, steps = 7\nn = 1, steps = 8\nThe loop ends; the function returns 8.",
    "n = 16, steps",
    "n = 15, steps",
    "n = 15",
  ],
  [
    "countdown",
    "| step | n | steps |\n|--|--|--|\n| 1 | 3 | 1 |\n| 2 | 10 | 2 |\n| 3 | 5 | 3 |\n| 4 | 16 | 4 |\n| 5 | 8 | 5 |\n| 6 | 4 | 6 |\n| 7 | 2 | 7 |\n| 8 | 1 | 8 |\n\nResult: 8",
    "| 4 | 16 |",
    "| 4 | 14 |",
    "n = 14",
  ],
  [
    "countdown",
    "6 → 3 → 10 → 5 → 16 → 8 → 4 → 2 → 1 takes eight steps, so steps ends up at 8 and we return 8.",
    "ends up at 8",
    "ends up at 7",
    "steps = 7",
  ],
  [
    "countdown",
    "If n were 1 the loop would stop. n = 6 is even, so n becomes 3. Since 3 is odd, n becomes 10. Eventually n is 1. It returns 8.",
    "becomes 10",
    "becomes 9",
    "n = 9",
  ],
  [
    "countdown",
    "In the last iteration n goes from 2 to 1, and steps increases to 8.\n\nThe answer is 8.",
    "answer is 8",
    "answer is 9",
    "return = 9",
  ],
  [
    "nested",
    "i = 0: the inner loop does nothing.\ni = 1: j = 0, count = 0\ni = 2: j = 0, count = 0; j = 1, count = 2\ni = 3: j = 0, count = 2; j = 1, count = 5; j = 2, count = 11\nIt returns 11.",
    "count = 5;",
    "count = 6;",
    "count = 6",
  ],
  [
    "nested",
    "Outer iteration 3 (i = 2): count becomes 2. Outer iteration 4 (i = 3): count becomes 2, 5 and then 11.\nFinal result: 11",
    "Final result: 11",
    "Final result: 12",
    "return = 12",
  ],
  [
    "nested",
    "For i = 2 the sum of i * j is 2, for i = 3 it is 9. So count = 2 + 9 = 11.",
    "2 + 9 = 11",
    "2 + 9 = 10",
    "count = 10",
  ],
  [
    "nested",
    "| i | j | count |\n|---|---|---|\n| 1 | 0 | 0 |\n| 2 | 0 | 0 |\n| 2 | 1 | 2 |\n| 3 | 0 | 2 |\n| 3 | 1 | 5 |\n| 3 | 2 | 11 |",
    "| 3 | 1 | 5 |",
    "| 3 | 1 | 4 |",
    "count = 4",
  ],
  [
    "text",
    "out starts as ''. After 'a', out = 'a'. After 'b', out = 'ba'. After 'c', out = 'cba'. ok = False. It returns ('cba', False).",
    "out = 'ba'",
    "out = 'ab'",
    "out = 'ab'",
  ],
  [
    "text",
    "1. c = 'a' -> out = 'a'\n2. c = 'b' -> out = 'ba'\n3. c = 'c' -> out = 'cba'\n\nReturn value: ('cba', False)",
    "Return value: ('cba', False)",
    "Return value: ('cba', True)",
    "return = ('cba', True)",
  ],
  [
    "text",
    "The string is reversed, so `out` is now `'cba'` and `ok` is `False`, since 'cba' is not 'abc'.",
    "is `False`",
    "is `True`",
    "ok = True",
  ],
  [
    "text",
    "Line 4: out = 'a'\nLine 4 again: out = 'ba'\nLine 4 again: out = 'cba'\nLine 5: ok = False",
    "Line 5: ok = False",
    "Line 5: ok = True",
    "ok = True",
  ],
  [
    "fact",
    "fact(4) calls fact(3), which calls fact(2), which calls fact(1). fact(1) returns 1, fact(2) returns 2, fact(3) returns 6, fact(4) returns 24.",
    "fact(4) returns 24",
    "fact(4) returns 25",
    "return = 25",
  ],
  [
    "fact",
    "The base case: when n = 1 it returns 1. Then n = 2 gives 2 * 1 = 2; n = 3 gives 3 * 2 = 6; n = 4 gives 4 * 6 = 24. Final answer: 24",
    "Final answer: 24",
    "Final answer: 6",
    "return = 6",
  ],
  [
    "fact",
    "fact(1) = 1\nfact(2) = 2 * 1 = 2\nfact(3) = 3 * 2 = 6\nfact(4) = 4 * 6 = 24",
    "4 * 6 = 24",
    "4 * 6 = 28",
    "return = 28",
  ],
  ["fact", "n is 4, then n = 3, n = 2 and n = 1. So the result is 24.", "n = 2 and", "n = 0 and", "n = 0"],
  [
    "search",
    "i = 0: x = 7, not 9. i = 1: x = 3, not 9. i = 2: x = 9, which matches, so we return 2.",
    "we return 2",
    "we return 3",
    "return = 3",
  ],
  [
    "search",
    "The loop checks whether x == 9. With i = 2, x is 9, and the function returns 2 early; the final `return -1` never runs.",
    "returns 2 early",
    "returns -1 early",
    "return = -1",
  ],
  [
    "search",
    "Iteration 1: i = 0, x = 7.\nIteration 2: i = 1, x = 3.\nIteration 3: i = 2, x = 9.\n\nResult: `2`",
    "i = 1, x = 3",
    "i = 1, x = 9",
    "x = 9",
  ],
  [
    "words",
    "After the first word c = {'a': 1} and q = ['a']. After the second, c = {'a': 1, 'b': 1}. At the end c = {'a': 2, 'b': 1}, best = 2.",
    "best = 2",
    "best = 3",
    "best = 3",
  ],
  [
    "words",
    "c counts the words: Counter({'a': 2, 'b': 1}); the largest count is 2, so best = 2. The function returns 2.",
    "best = 2.",
    "best = 1.",
    "best = 1",
  ],
  [
    "binary",
    "lo = 0, hi = 5\nmid = 2: a[2] = 5 < 9, so lo = 3\nmid = 4: a[4] = 9, found.\nReturn 4.",
    "so lo = 3",
    "so lo = 2",
    "lo = 2",
  ],
  [
    "binary",
    "Start: lo, hi = 0, 5. First pass: mid = (0 + 5) // 2 = 2. lo becomes mid + 1 = 3. Second pass: mid = (3 + 5) // 2 = 4. a[4] is 9, so it returns 4.",
    "// 2 = 4.",
    "// 2 = 5.",
    "mid = 5",
  ],
  [
    "binary",
    "Line 2: lo = 0, hi = 5\nLine 4: mid = 2\nLine 8: lo = 3\nLine 4: mid = 4\nThe call returns 4",
    "Line 8: lo = 3",
    "Line 8: lo = 4",
    "lo = 4",
  ],
  [
    "scale",
    "area(1, 2) returns 2, so acc is 0.667. area(3, 4) returns 12, so acc ≈ 4.667. Since acc is not more than 10, the result is 4.667.",
    "area(3, 4) returns 12",
    "area(3, 4) returns 7",
    "return = 7",
  ],
  [
    "scale",
    "w = 1, h = 2: acc = 0.6667\nw = 3, h = 4: acc = 4.6667\n`acc = 10` is skipped.\ntotal_of returns 4.6667",
    "h = 4: acc",
    "h = 5: acc",
    "h = 5",
  ],
];

const histories = Object.fromEntries(
  (hasPython
    ? runPython(Object.values(programs).map((program) => ({ operation: "history", ...program, options: {} })))
    : []
  ).map((answer, i) => [Object.keys(programs)[i], parseHistory(answer, "x")]),
);

function diagnosed(program: keyof typeof programs, text: string) {
  const [{ transcript }] = readTranscripts(JSON.stringify([{ role: "assistant", content: text }]), "x");
  const { claims } = checkClaims(openRecording(histories[program]), transcript.steps);
  const words = claims.flatMap(({ step, name, verdict }) =>
    verdict === "right" || verdict === "wrong"
      ? [{ step, name, right: verdict === "right", madeOf: [] }]
      : [],
  );
  const wrong = claims.filter(({ verdict }) => verdict === "wrong");
  return {
    onset: findOnset(words).onset,
    right: claims.filter(({ verdict }) => verdict === "right").length,
    wrong: wrong.map(({ name, value }) => `${name} = ${value}`),
    told: claims.map(({ name, value, verdict, truth }) => `${name} = ${value} ${verdict} ${truth}`),
  };
}

test.skipIf(!hasPython)(
  `of ${accounts.length} true accounts none is said to be false (skipped without python3)`,
  () => {
    for (const [program, text] of accounts) {
      const found = diagnosed(program, text);
      expect([text, found.wrong, found.told]).toEqual([text, [], found.told]);
      expect(found.right, text).toBeGreaterThan(0);
    }
  },
);

test.skipIf(!hasPython)("one error in each is found where it is (skipped without python3)", () => {
  const missed: unknown[] = [];
  for (const [program, text, from, to, claim] of accounts) {
    if (claim === undefined) continue;
    expect(text.split(from!).length, `${from} in ${text}`).toBe(2);
    const found = diagnosed(
      program,
      text.replace(from!, () => to!),
    );
    if (found.wrong[0] !== claim) missed.push([text, claim, found.told]);
  }
  expect(missed).toEqual([]);
});
