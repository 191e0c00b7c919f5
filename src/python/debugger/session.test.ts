import { expect, test } from "vitest";
import { type HistoryRecord, parseHistory } from "../../schemas/execution-trace.ts";
import { pythonTest } from "../trace/python.test-helper.ts";
import { recorded } from "./bdb.test-helper.ts";
import {
  commandsIn,
  execute,
  openRecording,
  openSession,
  type Reply,
  renderReply,
  type Session,
} from "./index.ts";

type Event = HistoryRecord["events"][number];
const event = (kind: Event["event"], line: number, more: Partial<Event>): Event => ({
  ...{ event: kind, line, function: "f", activation: 1, printed: 0, set: {}, ...more },
});

/** `def f(n): n += 1; return n` on three lines, called as f(2). */
const record: HistoryRecord = {
  ...{ version: 1, source: "def f(n):\n    n += 1\n    return n\n", call: "f(2)", result: 3, output: "" },
  events: [
    event("call", 1, { names: ["1.n"], set: { "1.n": "2" } }),
    event("line", 2, {}),
    event("line", 3, { set: { "1.n": "3" } }),
    event("return", 3, { value: 3 }),
  ],
  statements: [
    { line: 2, end: 2, assigns: [["n", ["n"]]], reads: [], calls: [] },
    { line: 3, end: 3, assigns: [], reads: ["n"], calls: [] },
  ],
  ...{ began: 0, python: { version: "3.11.2", wordBits: 64 }, truncated: false, reason: null },
};

/** The replies to commands, one after another. */
function replies(begun: Session, text: string): Reply[] {
  let session = begun;
  return commandsIn(text).map((command) => {
    const done = execute(session, command);
    session = done.session;
    return done.reply;
  });
}
const words = (begun: Session, text: string) => replies(begun, text).map(renderReply);

test("forwards and backwards through three lines, with what changed", () => {
  const session = openSession(openRecording(record));
  expect(
    words(session, "step; step; back; end; back; back over; whence n; changed n; print n * 2 == 6"),
  ).toEqual([
    "> line 2 of f, moment 1 of 3\n->     n += 1",
    "> line 3 of f, moment 2 of 3\n->     return n\n   n = 3  (was 2)",
    "> line 2 of f, moment 1 of 3\n->     n += 1\n   n = 2  (was 3)",
    "The run ends: the call returns 3",
    "--Return-- value 3\n> line 3 of f, moment 3 of 3\n->     return n",
    "> line 3 of f, moment 2 of 3\n->     return n",
    "n = 3  by line 2 of f, moment 2: n += 1\n  n = 2  passed by the call, moment 0: f(2)",
    "n = 3  (was 2)  bound by line 2 of f, moment 2: n += 1",
    "True",
  ]);
});

test.each([
  ["jump 3", "goto MOMENT"],
  ["!n = 4", "a recording runs no statements"],
  ["n = 4", "did you mean"],
  ["nxt", "did you mean next?"],
  ["frobnicate", "no command frobnicate; help lists them"],
  ["12", "expected a command, got 12"],
  ["back", "this is the beginning"],
  ["back over", "this is the beginning"],
  ["back sideways", "expected back, back N"],
  ["until 1", "expected a line below the current one, 1, got 1"],
  ["continue 99", "expected a line from 1 to 4, got 99"],
  ["until n +", "SyntaxError"],
  ["break 4", "line 4 is blank or a comment"],
  ["break 77", "expected a line from 1 to 4, got 77"],
  ["break g", "expected a line or a function that ran, got g"],
  ["break 2, n >", "SyntaxError"],
  ["clear 3", "expected the number of a breakpoint, got 3"],
  ["condition", "expected the number of a breakpoint, got nothing"],
  ["goto 5", "expected a moment, 0 to 4, got 5"],
  ["goto", "got nothing"],
  ["up", "this is the oldest call"],
  ["down", "this is the newest call"],
  ["print", "an expression is expected, got nothing"],
  ["print m", "NameError: name 'm' is not defined"],
  ["whence m", "NameError"],
  ["whence n 0", "expected a number of steps"],
  ["whence 3", "expected a name, got 3"],
  ["undisplay n", "n is not displayed"],
  ["list x", "expected list, list FIRST"],
  ["help jmp", "no command jmp"],
  ["step 4", "expected no argument, got 4"],
])("%s is refused in words, and the session is as it was", (command, reason) => {
  const session = openSession(openRecording(record));
  const done = execute(session, command);
  expect(done.reply.kind).toBe("refused");
  if (!command.startsWith("n =")) expect(renderReply(done.reply)).toContain(reason);
  expect(done.session).toBe(session);
});

test("behind the end nothing goes forwards", () => {
  const session = execute(openSession(openRecording(record)), "end").session;
  for (const command of ["step", "next", "return", "until", "continue", "continue n > 2", "until 3"])
    expect(renderReply(execute(session, command).reply)).toContain("the run has ended here");
});

test.each([
  ["no event", { events: [] }],
  ["a return of a call that never began", { events: [{ ...record.events[3] }] }],
  ["a call that began behind the last event", { began: 9 }],
  ["another version", { version: 2 }],
  ["an event of no kind", { events: [{ ...record.events[0], event: "jump" }] }],
])("a record with %s is refused as corrupt", (_, change) => {
  expect(() => openRecording(parseHistory({ ...record, ...change }, "run.json"))).toThrow(/: expected /);
});

test.each([
  ["until nosuch > 1", "nosuch > 1", "2 moments, first at moment 1, line 2: NameError"],
  ["continue n[0] == 3", "n[0] == 3", "2 moments, first at moment 1, line 2: TypeError"],
  ["break 3, n > 'a'; continue", "n > 'a'", "moment 2, line 3: TypeError"],
  ["tbreak f, len(n) > 1; continue", "len(n) > 1", "moment 1, line 2: TypeError"],
  ["end; back continue m.x", "m.x", "2 moments, first at moment 2, line 3: NameError"],
])(
  "%s says that the condition could not be computed, and does not stop by it",
  (commands, condition, reason) => {
    const found = replies(openSession(openRecording(record)), commands).at(-1)!;
    expect(renderReply(found)).toContain(`*** the condition ${condition} could not be computed at ${reason}`);
    expect(found.kind === "stop" ? found.ended : found.kind).toBe(
      found.kind === "stop" ? "the call returns 3" : "refused",
    );
  },
);

pythonTest("a condition that holds later stops there, and says where it could not be computed before", () => {
  const [run] = recorded([
    { source: "def f(n):\n    for i in range(n):\n        k = i * 2\n    return k\n", call: "f(3)" },
  ]);
  const session = openSession(run);
  for (const commands of ["until k > 1", "break 3, k > 1; continue"]) {
    const stop = replies(session, commands).at(-1)!;
    expect(stop).toMatchObject({
      kind: "stop",
      function: "f",
      failures: [{ condition: "k > 1", reason: expect.stringMatching(/^NameError/) }],
    });
    expect(stop.kind === "stop" && stop.locals.k).toBe("2");
  }
  expect(replies(session, "break 3, k > 1; disable 1; continue").at(-1)).not.toHaveProperty("failures");
});

test("commands are taken apart outside of quotes, brackets and comments", () => {
  expect(commandsIn("step;; next ; print 'a;b'\n# nothing\nbreak 3, d[';'] # why\n\n p [1; 2]")).toEqual([
    "step",
    "next",
    "print 'a;b'",
    "break 3, d[';']",
    "p [1; 2]",
  ]);
});

pythonTest("where values come from: through calls, swaps and a shared list; and who shares it", () => {
  const source = [
    "seen = []",
    "def double(x, into):",
    "    into.append(x)",
    "    y = x * 2",
    "    return y",
    "",
    "def f(a, b):",
    "    a, b = b, a",
    "    xs = seen",
    "    c = double(a, xs)",
    "    return c + b",
  ].join("\n");
  const [run] = recorded([{ source, call: "f(1, 5)" }]);
  const session = openSession(run);
  const at = "break 11; continue;";
  const last = (command: string) => words(session, `${at} ${command}`).at(-1);
  expect(last("whence c 3")).toBe(
    [
      "c = 10  by line 10 of f, moment 14: c = double(a, xs)",
      "  a = 5  by line 8 of f, moment 7: a, b = b, a",
      "    b = 5  passed by the call, moment 5: f(1, 5)",
      "  xs = []  by line 9 of f, moment 8: xs = seen",
      "    seen = []  by line 1 of <module>, moment 2: seen = []",
      "  double() = 10  returned by line 5 of double, moment 13: return y",
      "    y = 10  by line 4 of double, moment 12: y = x * 2",
      "      x = 5  passed by line 10 of f, moment 9: c = double(a, xs)",
    ].join("\n"),
  );
  expect(last("changed xs")).toBe(
    "xs = [5]  (was [])  changed by line 3 of double, moment 11: into.append(x)",
  );
  expect(last("aliases")).toBe("seen of <module>, xs of f: one object, [5]");
  const inside = words(session, "break double; continue; next; aliases xs; aliases into; up; print b; where");
  expect(inside.slice(-5)).toEqual([
    "*** NameError: name 'xs' is not defined here",
    "seen of <module>, xs of f, into of double: one object, [5]",
    "> line 10 of f\n->  c = double(a, xs)\n  line 4 of double\n->  y = x * 2",
    "1",
    "> line 10 of f\n->  c = double(a, xs)\n  line 4 of double\n->  y = x * 2",
  ]);
});
