import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseTrace } from "../../schemas/trace.ts";
import { pythonTest, runPython } from "./python.test-helper.ts";
import { renderPlace } from "./terminal.ts";

const place = (text: string, column: number, endColumn = column + 1) => ({
  ...{ line: 1, column, endLine: 1, endColumn, text },
});

describe("the caret stands under the character that is meant", () => {
  test.each([
    ["ASCII", place("x = = 1", 5), "x = = 1\n    ^"],
    ["characters outside of ASCII before it", place("é = 1; ü = = 2", 12), "é = 1; ü = = 2\n           ^"],
    ["tabs", place("\tx\t= = 1", 6), "    x    = = 1\n           ^"],
    ["wide characters", place("x = '漢字' y", 10, 11), "x = '漢字' y\n           ^"],
    ["a combining mark, which takes no column", place("e\u0301 = = 1", 6), "e\u0301 = = 1\n    ^"],
    ["a range", place("foo(a b)", 5, 8), "foo(a b)\n    ^^^"],
    ["the end of the file, behind the last character", place("def f():", 9), "def f():\n        ^"],
    [
      "what goes on in the next line",
      { ...place("(a, b +", 5), endLine: 2, endColumn: 3 },
      "(a, b +\n    ^^^",
    ],
    ["an escape sequence", place("\u001b[2Jx = = 1", 9), "\\u001b[2Jx = = 1\n             ^"],
    ["a turn of the direction of writing", place("a \u202e = 1", 3), "a \\u202e = 1\n  ^^^^^^"],
    ["an empty line", place("", 1), "\n^"],
  ])("%s", (_, at, wanted) => {
    expect(renderPlace(at)).toBe(wanted);
  });
});

test("however long the line, both lines fit, nothing of it steers a terminal, and the mark is under its character", () => {
  const anything = fc.string({
    unit: fc.oneof(
      fc.constantFrom("\u001b", "\t", "漢", "\u009b"),
      fc.string({ minLength: 1, maxLength: 1 }),
    ),
    maxLength: 300,
  });
  fc.assert(
    fc.property(anything, anything, (before, after) => {
      const text = `${before}§${after}.`;
      const [shown, carets] = renderPlace(place(text, [...before].length + 1), 40).split("\n");
      expect(shown.length).toBeLessThanOrEqual(46);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      expect(carets).toMatch(/^ *\^$/);
      const columns = [...shown].flatMap((character) => (character === "漢" ? [character, ""] : [character]));
      expect(columns[carets.length - 1]).toBe("§");
    }),
    { seed: 4, numRuns: 300 },
  );
});

/** Programs with a mistake in each, and some without. */
const sources = [
  `x = ${"(".repeat(300)}`,
  ..."x = = 1\n|def f(n:\n    return n\n|def f():\n|if True:\npass\n|é = 1; ü = = 2|x = 'abc".split("|"),
  ..."x = '''abc\n\ndef|foo(a b,\n c d)\n|(a, b +\n c) = 3|a\\|x = 1 +\n|for x in y".split("|"),
  ..."print 'a'|def f():\n  x\n y\n|x = 1\n    y = 2\n|x = 1\r\ny = = 2\r\n|return 1".split("|"),
  ..."def f(x, x): pass|def f():\n    break\n|b'é'|def f():\n    try:\n        x\n".split("|"),
  ..."x = 5 ; nonlocal x|1 = x||def f():\n    x = 1; global x\n|lambda: (yield)\n*a\n".split("|"),
  ..."if x:\n\ty\n        z\n".split("|"),
];

pythonTest("message, line and carets are those that Python prints itself", () => {
  const printing = [
    "import json, sys, traceback",
    "for source in json.load(sys.stdin):",
    "    try: compile(source, '<none>', 'exec')",
    "    except SyntaxError as error: print(json.dumps(traceback.format_exception_only(error)))",
    "    else: print(json.dumps(None))",
  ];
  const { stdout } = spawnSync("python3", ["-I", "-c", printing.join("\n")], {
    input: JSON.stringify(sources),
    encoding: "utf8",
  });
  const printed: (string[] | null)[] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const answers = runPython(sources.map((source) => ({ operation: "trace", source, call: "f()" })));
  let carets = 0;
  for (const [i, lines] of printed.entries()) {
    const { syntax, reason } = parseTrace(answers[i], sources[i]);
    if (lines === null) {
      expect(syntax, sources[i]).toBeUndefined();
      continue;
    }
    const { type, message, place: at } = syntax!;
    expect(`${type}: ${message}`).toBe(lines.at(-1)!.trim());
    expect(reason).toBe(`${message}, line ${at!.line}`);
    expect(lines[0]).toContain(`, line ${at!.line}\n`);
    // the compiler's own errors come without a line where the source is no file, ranges of lines without carets
    if (lines.length < 4 || at!.endLine > at!.line) continue;
    const margin = /^ */.exec(at!.text)![0].length;
    const [text, marks] = renderPlace(at!, 1_000).split("\n");
    expect([text.trim(), marks.slice(margin)]).toEqual([lines[1].trim(), lines[2].trimEnd().slice(4)]);
    carets++;
  }
  expect(carets).toBeGreaterThan(15);
});

pythonTest("the compiler's errors count characters too, and the call has its own place", () => {
  const [compiled, call] = runPython([
    { operation: "trace", source: "é = 'ü'; return 1\ndef f(): pass\n", call: "f()" },
    { operation: "trace", source: "def f(): pass\n", call: " f(1 2)" },
  ]).map((answer) => parseTrace(answer, "answer"));
  expect(renderPlace(compiled.syntax!.place!)).toBe("é = 'ü'; return 1\n         ^^^^^^^^");
  expect(compiled.reason).toBe("'return' outside function, line 1");
  expect(call.syntax).toMatchObject({ in: "call", place: { text: "f(1 2)", line: 1, column: 3 } });
  expect(call.reason).toMatch(/, the call$/);
});
