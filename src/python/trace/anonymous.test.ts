import { expect, test } from "vitest";
import { parseTrace } from "../../schemas/trace.ts";
import { describeHosts } from "../sandbox/hosts.test-helper.ts";

/** A program, its call, what plain Python gives, the functions that keep their name and those that lose it. */
const programs = [
  [
    "a method of the same name",
    "def helper(x): return x\nclass A:\n    def helper(self): return 5\ndef go(): return A().helper()\n",
    ...(["go()", "5", ["def helper(self)"], ["def helper(x)", "def go"]] as const),
  ],
  [
    "a method that calls the function of its name",
    "def size(x): return x + 1\nclass Box:\n    n = 3\n    def size(self): return size(self.n)\ndef go(b): return b.size()\n",
    ...(["go(Box())", "4", [".size()"], ["def size(x)"]] as const),
  ],
  [
    "a table with the name as a key",
    "def area(r): return r * r\nTABLE = {area.__name__: area}\ndef go(n): return TABLE['area'](n)\n",
    ...(["go(3)", "9", ["def area"], ["def go"]] as const),
  ],
  [
    "a function found in globals",
    "def add(x): return x + 1\ndef mul(x): return x * 2\ndef go(op): return globals()[op](5) + mul(1)\n",
    ...(['go("add")', "8", ["def add"], ["def mul", "def go"]] as const),
  ],
  [
    "a keyword and a parameter of the same name",
    "def by(x): return x + 1\ndef scale(n, by): return n * by\ndef go(n): return scale(n, by=by(n)), dict(by=1)\n",
    ...(["go(2)", "(6, {'by': 1})", ["dict(by=1)"], ["def by", "def scale"]] as const),
  ],
  [
    "a name in what a decorator prints",
    'def loud(fn):\n    print(f"{fn.__name__}!")\n    return fn\n@loud\ndef double(x): return 2 * x\ndef go(n): return double(n)\n',
    ...(["go(2)", "4", ["def double"], ["def loud", "def go"]] as const),
  ],
  [
    "a message that Python makes of the name",
    "def pair(a, b): return a, b\ndef go(n):\n    try:\n        return pair(n)\n    except TypeError as e:\n        return str(e)\n",
    ...(["go(2)", `"pair() missing 1 required positional argument: 'b'"`, ["def pair"], ["def go"]] as const),
  ],
  [
    "a local variable of the name, in a function, a lambda and a comprehension",
    "def value(): return 7\ndef go(n):\n    a = value()\n    xs = [value for value in range(n)]\n    return a, xs, (lambda value: value)(1)\n",
    ...(["go(2)", "(7, [0, 1], 1)", ["lambda value"], ["def value"]] as const),
  ],
  [
    "a name that the program assigns elsewhere",
    "def count(): return 0\ndef reset():\n    global count\n    count = lambda: 5\ndef go():\n    a = count()\n    reset()\n    return a, count()\n",
    ...(["go()", "(0, 5)", ["def count"], ["def reset"]] as const),
  ],
  [
    "a call of a method",
    "def step(n): return n + 1\nclass Solution:\n    def climb(self, n): return step(n)\n",
    ...(["Solution().climb(3)", "4", [".climb(3)"], ["def step"]] as const),
  ],
] as const;

describeHosts((host) => {
  const anonymous = async (source: string, call: string) => {
    const outcome = await host.run({ operation: "trace", source, call, options: { anonymous: true } });
    return parseTrace(outcome.kind === "done" ? outcome.value : outcome, call);
  };

  test.each(programs)(
    "without telling names a program gives what it gives with them, and a name that matters stays: %s",
    async (_, source, call, literal, kept, lost) => {
      const record = await anonymous(source, call);
      expect([record.proven, record.literal]).toEqual([true, literal]);
      const text = `${record.source}\n${record.call}`;
      for (const word of kept) expect(text).toContain(word);
      for (const word of lost) expect(text).not.toContain(word);
    },
  );

  test("an exception keeps its words", async () => {
    const source = "def deny(x): raise ValueError(deny.__name__)\ndef go(n): return deny(n)\n";
    const record = await anonymous(source, "go(1)");
    expect([record.proven, record.reason]).toEqual([true, "the call raises ValueError, line 1: deny"]);
    expect(record.source).not.toContain("def go");
  });
});
