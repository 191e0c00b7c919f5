import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { recordHistory } from "../trace/call.ts";
import { Client, fasterHost } from "./client.test-helper.ts";
import { frame, readMessages } from "./framing.ts";

const folder = tmpFolder("dap");
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.stop();
});
afterAll(() => expect(clients).toEqual([]));

function write(name: string, ...lines: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

async function open(launch: object): Promise<Client> {
  const client = new Client().inProcess();
  clients.push(client);
  await client.open(launch);
  return client;
}

const program = write(
  "totals.py",
  ...["import sys", "seen = []", ""],
  ...["def add(x, into):", "    into.append(x)", "    y = x * 2", "    return y", ""],
  ...["def total(n):", "    xs = seen", "    result = 0", "    for i in range(n):"],
  ...["        result += add(i, xs)", '        print("so far", result)', "    return result", ""],
  ...["try:", '    {}["missing"]', "except KeyError:", "    pass"],
  ...["big = list(range(250))", 'pair = {"a": seen, "b": [seen, "é"]}'],
  ...["print(sys.argv[1], input())", 'assert total(3) == 5, "wrong"'],
);
const source = { path: program };
const launch = { program, args: ["--n"], stdin: "typed\n" };

/** What is no matter of the host is tested on the one that starts faster. */
const python = fasterHost;

describe.each(["embedded", "native"] as const)("the %s host", (python) => {
  const skip = python !== "embedded" && fasterHost === "embedded";

  test.skipIf(skip)("moves in both directions, prints on the way, and stops at both ends", async () => {
    const client = await open({ ...launch, python, stopOnEntry: true });
    await client.ask("setExceptionBreakpoints", { filters: [] });
    const { breakpoints } = await client.ask("setBreakpoints", { source, breakpoints: [{ line: 13 }] });
    expect(breakpoints).toMatchObject([{ verified: true, line: 13 }]);
    const entry = await client.begin();
    expect(entry).toMatchObject({ reason: "entry", place: "<module>:1" });
    const [id] = breakpoints.map((each: DebugProtocol.Breakpoint) => each.id);
    const stops: (readonly [string, string])[] = [];
    const go = async (command: string) => stops.push([command, (await client.go(command)).place]);
    expect(await client.go("continue")).toMatchObject({ reason: "breakpoint", hitBreakpointIds: [id] });
    expect(client.text("stdout")).toBe("--n typed\n");
    const moves = ["next", "next", "stepBack", "stepBack", "stepIn", "next", "next", "stepOut", "stepOut"];
    for (const command of moves) await go(command);
    for (const command of ["continue", "reverseContinue", "reverseContinue"]) await go(command);
    expect(stops).toEqual([
      ["next", "total:14"],
      ["next", "total:12"],
      ["stepBack", "total:14"],
      ["stepBack", "total:13"],
      ["stepIn", "add:4"],
      ["next", "add:5"],
      ["next", "add:6"],
      ["stepOut", "add:7"],
      ["stepOut", "total:14"],
      ["continue", "total:13"],
      ["reverseContinue", "total:13"],
      ["reverseContinue", "<module>:1"],
    ]);
    expect((await client.go("stepBack")).description).toBe("This is the beginning of the recording.");
    await client.ask("setBreakpoints", { source, breakpoints: [] });
    const end = await client.go("continue");
    expect(end).toMatchObject({
      place: "<module>:24",
      description: expect.stringContaining("The run ends:"),
    });
    expect(end.description).toContain("AssertionError: wrong");
    expect((await client.go("next")).description).toBe("The run has ended here.");
    expect(client.text("stdout")).toMatch(/so far 0\nso far 2\nso far 6\n$/);
    expect(client.text("stderr")).toBe("The run ends: the call raises AssertionError: wrong\n");
    expect((await client.go("stepBack")).place).toBe("<module>:24");
  });

  test.skipIf(skip)("shows calls, scopes, return values and shared objects, page by page", async () => {
    const client = await open({ ...launch, python });
    await client.ask("setFunctionBreakpoints", { breakpoints: [{ name: "add", condition: "x == 2" }] });
    const { frameId, reason } = await client.begin();
    expect(reason).toBe("function breakpoint");
    expect((await client.ask("threads")).threads).toEqual([{ id: 1, name: "totals.py" }]);
    const page = await client.ask("stackTrace", { startFrame: 1, levels: 1 });
    expect(page).toMatchObject({ totalFrames: 3, stackFrames: [{ name: "total", line: 13, source }] });
    const [{ id: caller }] = page.stackFrames;
    const scopes = async (id: number) => (await client.ask("scopes", { frameId: id })).scopes;
    const [locals, globals] = await scopes(frameId);
    expect([locals.name, globals.name]).toEqual(["Locals", "Globals"]);
    const children = async (variablesReference: number, more: object = {}) =>
      (await client.ask("variables", { variablesReference, ...more })).variables;
    const shown = await children(locals.variablesReference);
    expect(shown).toMatchObject([
      { name: "x", value: "2", type: "int", variablesReference: 0, evaluateName: "x" },
      { name: "into", value: "[0, 1]", type: "list", indexedVariables: 2 },
    ]);
    const [seen, big, pair] = await children(globals.variablesReference);
    expect(seen.variablesReference).toBe(shown[1].variablesReference);
    const [xs] = await children((await scopes(caller))[0].variablesReference, { start: 1, count: 1 });
    expect(xs).toMatchObject({ name: "xs", variablesReference: seen.variablesReference });
    const inside = await children(pair.variablesReference);
    expect(inside).toMatchObject([
      { name: "'a'", variablesReference: seen.variablesReference, evaluateName: "pair['a']" },
      { name: "'b'", value: "[[0, 1], 'é']" },
    ]);
    expect(big).toMatchObject({ name: "big", indexedVariables: 250 });
    const items = await children(big.variablesReference, { filter: "indexed", start: 200, count: 3 });
    expect(items.map(({ value }: DebugProtocol.Variable) => value)).toEqual(["200", "201", "202"]);
    expect(await children(big.variablesReference, { filter: "named" })).toEqual([]);
    expect((await client.go("stepOut")).place).toBe("add:7");
    const returned = (await scopes(frameId)).at(-1);
    expect(returned.name).toBe("Return value");
    expect(await children(returned.variablesReference)).toMatchObject([{ name: "return value", value: "4" }]);
    expect((await client.go("restartFrame", { frameId: caller })).place).toBe("total:9");
    expect(await client.refusal("scopes", { frameId })).toBe(`there is no frame ${frameId} at this moment`);
  });

  test.skipIf(skip)(
    "stops at changes of a variable, after them forwards and before them backwards",
    async () => {
      const client = await open({ ...launch, python });
      await client.ask("setBreakpoints", { source, breakpoints: [{ line: 12, hitCondition: "2" }] });
      const { frameId } = await client.begin();
      const info = await client.ask("dataBreakpointInfo", { name: "result", frameId });
      expect(info).toMatchObject({ description: "changes of result", accessTypes: ["write"] });
      await client.ask("setBreakpoints", { source, breakpoints: [] });
      await client.ask("setExceptionBreakpoints", { filters: [] });
      const { breakpoints } = await client.ask("setDataBreakpoints", {
        breakpoints: [{ dataId: info.dataId }],
      });
      expect(breakpoints).toMatchObject([{ verified: true }]);
      expect(await client.go("continue")).toMatchObject({
        ...{ place: "total:14", reason: "data breakpoint", hitBreakpointIds: [breakpoints[0].id] },
        description: "result: 0 → 2, by line 13 of total: result += add(i, xs)",
      });
      expect((await client.go("continue")).description).toContain("result: 2 → 6");
      expect(await client.go("reverseContinue")).toMatchObject({
        place: "total:13",
        reason: "data breakpoint",
      });
      expect((await client.go("reverseContinue")).description).toContain("result: 0 → 2");
      expect(await client.go("reverseContinue")).toMatchObject({
        ...{ place: "total:11", description: "result: unset → 0, by line 11 of total: result = 0" },
      });
      const part = await client.ask("scopes", { frameId });
      const [, globals] = part.scopes;
      const ofSeen = { variablesReference: globals.variablesReference, name: "seen" };
      const { dataId } = await client.ask("dataBreakpointInfo", ofSeen);
      await client.ask("setDataBreakpoints", { breakpoints: [{ dataId, condition: "len(seen) == 3" }] });
      expect(await client.go("continue")).toMatchObject({
        ...{ place: "add:6", description: "seen: [0, 1] → [0, 1, 2], by line 5 of add: into.append(x)" },
      });
    },
  );

  test.skipIf(skip)("a program that never ends is recorded up to its limit", async () => {
    const file = write("loop.py", "n = 0", "while True:", "    n += 1");
    const client = await open({ program: file, maxSteps: 500, python });
    const end = await client.begin();
    expect(end.description).toBe("The run ends: more than 500 events");
    expect((await client.ask("evaluate", { expression: "n" })).result).toBe("248");
    expect((await client.go("stepBack")).description).toBe("Moment 499 of 499");
  });

  test.skipIf(skip)("a program that prints 10 MB sends the first million characters once", async () => {
    const file = write("loud.py", "for i in range(10):", "    print('x' * 1_000_000)", "print('end')");
    const client = await open({ program: file, python });
    await client.begin();
    expect(client.text("stdout")).toHaveLength(1_000_000);
    await client.go("reverseContinue");
    expect(client.text("stdout")).toHaveLength(1_000_000);
  });

  test.skipIf(skip)("what the sandbox refuses is an exception of the program", async () => {
    const client = await open({ program: write("native.py", "import ctypes"), python });
    await client.ask("setExceptionBreakpoints", { filters: ["uncaught"] });
    expect(await client.begin()).toMatchObject({
      ...{ place: "<module>:1", reason: "exception" },
      description: "ModuleNotFoundError: No module named 'ctypes' in the sandbox",
    });
  });
});

test("conditions, hit counts and log messages are the same in both directions", async () => {
  const client = await open({ ...launch, python });
  await client.ask("setExceptionBreakpoints", { filters: [] });
  const given = [
    { line: 6, condition: "x > 0", hitCondition: "2" },
    { line: 13, logMessage: "i is {i}, {i} of {nosuch}" },
    { line: 8, condition: "y > 1" },
    { line: 99 },
    { line: 6, condition: "x >" },
    { line: 6, hitCondition: "often" },
    { line: 14, condition: "result > nosuch" },
  ];
  const { breakpoints } = await client.ask("setBreakpoints", { source, breakpoints: given });
  expect(
    breakpoints.map(({ verified, line, message = "" }: DebugProtocol.Breakpoint) => [
      verified,
      line,
      message,
    ]),
  ).toEqual([
    [true, 6, ""],
    [true, 13, ""],
    [true, 9, expect.stringContaining("could not be computed")],
    [false, undefined, "line 99 has no statement, nor has a later line"],
    [false, undefined, expect.stringContaining("SyntaxError")],
    [false, undefined, "the hit count often is not one of 3, > 3, >= 3, < 3, <= 3, % 3"],
    [true, 14, expect.stringContaining("NameError: name 'nosuch' is not defined")],
  ]);
  const first = await client.begin();
  expect(first).toMatchObject({ place: "add:6", hitBreakpointIds: [breakpoints[0].id] });
  expect((await client.ask("evaluate", { expression: "x", context: "watch" })).result).toBe("2");
  const nameError = "** raised NameError: name 'nosuch' is not defined **";
  expect(client.text("console")).toBe([0, 1, 2].map((i) => `i is ${i}, ${i} of ${nameError}\n`).join(""));
  await client.go("continue");
  const logged = client.text("console").length;
  expect(await client.go("reverseContinue")).toMatchObject({ place: "add:6" });
  expect((await client.go("reverseContinue")).place).toBe("<module>:1");
  expect(client.text("console")).toHaveLength(logged);
  const counts = async (hitCondition: string) => {
    await client.ask("setBreakpoints", { source, breakpoints: [{ line: 13, hitCondition }] });
    const found: string[] = [];
    await client.go("goto", { targetId: 0 });
    for (;;) {
      const { reason } = await client.go("continue");
      if (reason !== "breakpoint") return found.join(" ");
      found.push((await client.ask("evaluate", { expression: "i", context: "hover" })).result);
    }
  };
  const all = ["== 1", "> 1", ">= 2", "< 2", "<= 2", "% 2", "4"];
  const found: string[] = [];
  for (const each of all) found.push(await counts(each));
  expect(found).toEqual(["0", "1 2", "1 2", "0", "0 1", "1", ""]);
  const other = { source: { path: "/nowhere/other.py" }, breakpoints: [{ line: 1 }] };
  expect((await client.ask("setBreakpoints", other)).breakpoints).toEqual([
    { verified: false, message: `the recording has one file, ${program}` },
  ]);
  const functions = await client.ask("setFunctionBreakpoints", { breakpoints: [{ name: "absent" }] });
  expect(functions.breakpoints).toMatchObject([{ message: "no function absent ran in this recording" }]);
});

test("exceptions: raised ones in order, the uncaught one where it is raised", async () => {
  const nested = write(
    "nested.py",
    ...["def inner(d):", "    try:", '        return d["k"]', "    finally:", "        d.clear()"],
    ...["def outer():", "    return inner({})", "try:", "    int('x')", "except ValueError:", "    outer()"],
  );
  const client = await open({ program: nested, python });
  await client.ask("setExceptionBreakpoints", { filters: ["raised"] });
  expect(await client.begin()).toMatchObject({ place: "<module>:9", reason: "exception" });
  const info = await client.ask("exceptionInfo");
  expect(info).toMatchObject({ exceptionId: "ValueError", breakMode: "always" });
  expect(await client.go("continue")).toMatchObject({ place: "inner:3", description: "KeyError: k" });
  expect(await client.ask("exceptionInfo")).toMatchObject({
    exceptionId: "KeyError",
    breakMode: "unhandled",
  });
  expect((await client.go("reverseContinue")).place).toBe("<module>:9");
  expect((await client.go("goto", { targetId: 0 })).reason).toBe("goto");
  expect(await client.refusal("exceptionInfo")).toBe("no exception is raised at this moment");
  await client.ask("setExceptionBreakpoints", { filters: ["uncaught"] });
  expect((await client.go("continue")).place).toBe("inner:3");
  expect((await client.go("continue")).description).toContain("The run ends: the call raises KeyError");
  expect(await client.ask("exceptionInfo")).toMatchObject({ exceptionId: "KeyError" });
  const wrong = await client.refusal("setExceptionBreakpoints", { filters: ["sometimes"] });
  expect(wrong).toBe("there is no exception filter sometimes. Use raised or uncaught");
});

test("the debug console accepts the commands of statelab debug; watches and hovers are expressions", async () => {
  const client = await open({
    program,
    call: "total(2)",
    args: ["a"],
    stdin: "b",
    stopOnEntry: true,
    python,
  });
  await client.begin();
  const repl = async (expression: string) =>
    (await client.ask("evaluate", { expression, context: "repl" })).result as string;
  await client.ask("setFunctionBreakpoints", { breakpoints: [{ name: "add" }] });
  // the module fails before the call, so the recording ends there
  expect(await repl("end; whence big")).toContain("big = [0, 1, 2");
  const stopped = client.waitForEvent("stopped");
  expect(await repl("goto 0; continue")).toMatch(/^> line 5 of add, moment \d+/m);
  await stopped;
  expect(await repl("x + 1; where")).toMatch(/^1\n/);
  expect(await repl("whence x")).toMatch(/^x = 0 {2}passed by line 13 of total/);
  expect(await repl("up; print result")).toContain("0");
  const { frameId } = await client.go("next");
  const value = await client.ask("evaluate", { expression: "into", frameId, context: "watch" });
  expect(value).toMatchObject({ result: "[0]", type: "list", indexedVariables: 1 });
  const [item] = (await client.ask("variables", value)).variables;
  expect(item).toMatchObject({ name: "0", value: "0", evaluateName: "into[0]" });
  const asked = { expression: "big", frameId };
  const [hover, copied] = [
    await client.ask("evaluate", { ...asked, context: "hover" }),
    await client.ask("evaluate", { ...asked, context: "clipboard" }),
  ];
  expect(hover.result).toMatch(/\.\.\. \(1140 characters\)$/);
  expect(copied.result).toHaveLength(1140);
  const bad = (expression: string, context: string) => client.refusal("evaluate", { expression, context });
  expect(await bad("nosuch", "hover")).toBe("NameError: name 'nosuch' is not defined");
  expect(await bad("whence nosuch", "repl")).toBe("NameError: name 'nosuch' is not defined here");
  expect(await bad("1 +", "watch")).toMatch(/^SyntaxError/);
  const labels = async (text: string) =>
    (await client.ask("completions", { text, column: text.length + 1, frameId })).targets;
  expect(await labels("whe")).toMatchObject([
    { label: "where", start: 0, length: 3 },
    { label: "whence", start: 0, length: 3 },
  ]);
  expect(await labels("print in")).toMatchObject([{ label: "into", start: 6, length: 2 }]);
  expect(await client.refusal("setVariable", { variablesReference: 1, name: "x", value: "2" })).toBe(
    "a recording cannot be changed: the program has run. Edit the program and start again",
  );
  const targets = (await client.ask("gotoTargets", { source, line: 5 })).targets;
  expect(targets).toHaveLength(3);
  expect((await client.go("goto", { targetId: targets[2].id })).place).toBe("add:5");
  expect(await client.refusal("goto", { targetId: 99_999 })).toContain("there is no moment 99999");
  const moments = await client.ask("moments", { start: targets[2].id, count: 1 });
  expect(moments).toMatchObject({
    current: targets[2].id,
    moments: [{ line: 5, function: "add", source: "into.append(x)", depth: 2, event: "line" }],
  });
  const terminated = client.waitForEvent("terminated");
  await repl("quit");
  await terminated;
});

test("a call is recorded after the module; a recording opens without its program", async () => {
  const file = write("twice.py", "def twice(n):", "    n *= 2", "    return n");
  const called = await open({ program: file, call: "twice(4)", stopOnEntry: true, python });
  expect((await called.begin()).place).toBe("twice:1");
  await called.go("next");
  await called.go("next");
  expect((await called.ask("evaluate", { expression: "n" })).result).toBe("8");

  const record = await recordHistory({
    host: python,
    source: "x = 1\nprint('😀', x)\nx = 2\n",
    call: "None",
  });
  const recording = write("run.json", JSON.stringify(record));
  const client = await open({ recording, python });
  await client.ask("setBreakpoints", { source: { sourceReference: 1 }, breakpoints: [{ line: 3 }] });
  expect(await client.begin()).toMatchObject({ place: "<module>:3", reason: "breakpoint" });
  expect(client.text("stdout")).toBe("😀 1\n");
  const { stackFrames } = await client.ask("stackTrace");
  expect(stackFrames[0].source).toEqual({ name: "run.json", sourceReference: 1 });
  const { content } = await client.ask("source", { sourceReference: 1 });
  expect(content).toContain("x = 2");
});

test.each<readonly [string, object, string]>([
  ["no program", {}, 'launch: give "program", a Python file, or "recording"'],
  [
    "a misspelled attribute",
    { progam: "x.py" },
    'launch: there is no attribute "progam". Did you mean "program"?',
  ],
  ["a value of another type", { program, maxSteps: "many" }, "launch: maxSteps: "],
  ["another host", { program, python: "jython" }, "launch: python: "],
  ["a missing file", { program: "/nowhere/x.py" }, "/nowhere/x.py"],
  ["an empty call", { program, call: " " }, 'launch: "call" is empty. Write a call such as f(1, 2)'],
  [
    "a recording with a call",
    { recording: program, call: "f()" },
    '"recording" and "call" cannot be combined',
  ],
  ["a recording that is a program", { recording: program }, "JSON"],
  ["a syntax error", { program: write("bad.py", "def f(:") }, "bad.py: "],
])("a launch with %s is refused in one sentence", async (_, given, words) => {
  const client = new Client().inProcess();
  clients.push(client);
  await client.initializeRequest();
  expect(await client.refusal("threads")).not.toContain("internal");
  const message = await client.refusal("launch", given);
  expect(message).toContain(words);
  expect(message).not.toMatch(/\n\s+at /);
  expect(await client.refusal("stackTrace")).toBe("nothing is recorded yet. Send launch first");
});

test("a line that takes too long ends the recording before it, or is refused", async () => {
  const client = new Client().inProcess();
  clients.push(client);
  const program = write("line.py", "n = 1", "sum(iter(int, 1))");
  const refused = await client.open({ program, timeout: 0.5, python: fasterHost }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (refused === undefined) await client.begin();
  expect(refused ?? client.text("stderr")).toContain(
    'the program ran for longer than 0.5 s; "timeout" gives it more, "maxSteps" records less',
  );
});

test("noDebug prints the output and ends", async () => {
  const client = await open({ program: write("plain.py", "print(1)", "1 / 0"), noDebug: true, python });
  const terminated = client.waitForEvent("terminated");
  await client.ask("configurationDone");
  await terminated;
  expect(client.text("stdout")).toBe("1\n");
  expect(client.text("stderr")).toContain("ZeroDivisionError");
});

test("disconnect ends a recording under way", async () => {
  const client = new Client().inProcess();
  const file = write("forever.py", "sum(iter(int, 1))");
  await client.initializeRequest();
  const refused = client.refusal("launch", { program: file, timeout: 50 });
  await client.disconnectRequest();
  expect(await refused).toBe("launch: the client ended the session");
  await client.ended;
});

test("the command answers on its streams and ends with them", async () => {
  const client = new Client().asCommand();
  await client.open(launch);
  const stop = await client.begin();
  expect(stop).toMatchObject({ place: "<module>:24", reason: "step" });
  const unknown = await client.refusal("disassemble");
  expect(unknown).toBe("statelab dap has no request disassemble");
  expect(await client.refusal("goto", { targetId: "x" })).toMatch(/^goto: targetId: /);
  const problem = client.waitForEvent("output");
  client.child?.stdin?.write("Content-Length: 3\r\n\r\n{]}");
  expect((await problem).body.output).toContain("a message is not JSON");
  client.child?.stdin?.write(frame({ type: "event" }));
  await client.ask("threads");
  await client.disconnectRequest();
  expect(await client.ended).toBe(0);

  const other = new Client().asCommand();
  let said = "";
  other.child?.stderr?.on("data", (text) => {
    said += text;
  });
  other.child?.stdin?.write("GET / HTTP/1.1\r\n\r\n");
  expect(await other.ended).toBe(3);
  expect(said).toContain("expected a header Content-Length");
});

test("messages arrive whole however their bytes are split", async () => {
  const bytes = Buffer.from([{ a: "é" }, { b: "😀" }].map(frame).join(""));
  for (const size of [1, 7, bytes.length]) {
    const stream = new PassThrough();
    for (let at = 0; at < bytes.length; at += size) stream.write(bytes.subarray(at, at + size));
    stream.end();
    const found: unknown[] = [];
    for await (const each of readMessages(stream)) found.push(each);
    expect(found).toEqual([{ message: { a: "é" } }, { message: { b: "😀" } }]);
  }
});
