import { expect, test } from "vitest";
import type { ToolCall } from "../../../schemas/agents.ts";
import type { Tool } from "../environment.ts";
import { callIn, calls } from "./tools-only.ts";

const tools: readonly Tool[] = [
  { name: "edit", parameters: ["file"], words: "" },
  { name: "move", parameters: ["source", "to"], words: "" },
  { name: "finish", parameters: [], words: "" },
];
const edit: ToolCall = { name: "edit", arguments: ["file_0.py"] };
const move: ToolCall = { name: "move", arguments: ["a", 2] };

test.each<[string, ToolCall | undefined]>([
  [`edit("file_0.py")`, edit],
  ["edit('file_0.py')", edit],
  [`edit(file="file_0.py")`, edit],
  ["edit(file='file_0.py',)", edit],
  [`  edit ( "file_0.py" )  # next`, edit],
  [`edit("""file_0.py""")`, edit],
  [`edit("file_0" ".py")`, edit],
  ["edit(r'file_0.py')", edit],
  [`{"name": "edit", "arguments": {"file": "file_0.py"}}`, edit],
  [`{"name": "edit", "arguments": ["file_0.py"]}`, edit],
  [`{"name": "edit", "arguments": "{\\"file\\": \\"file_0.py\\"}"}`, edit],
  [`{"type": "function", "function": {"name": "edit", "arguments": {"file": "file_0.py"}}}`, edit],
  [`{"tool": "edit", "args": {"file": "file_0.py"}}`, edit],
  ["move('a', 2)", move],
  ["move('a', to=2)", move],
  ["move(to=2, source='a')", move],
  [`{"name": "move", "arguments": {"to": 2, "source": "a"}}`, move],
  ["finish()", { name: "finish", arguments: [] }],
  [`{"name": "finish"}`, { name: "finish", arguments: [] }],
  [
    "move([1, 'x'], {'a': None, 'b': (True, -0.5)})",
    { name: "move", arguments: [[1, "x"], { a: null, b: [true, -0.5] }] },
  ],
  ["move(true, null)", { name: "move", arguments: [true, null] }],
  ["edit('a # b, c=d)')", { name: "edit", arguments: ["a # b, c=d)"] }],
  [String.raw`edit('\ud83d\ude00')`, { name: "edit", arguments: ["😀"] }],
  // no calls with literals
  ["x = edit('a')", undefined],
  ["edit(name)", undefined],
  ["edit('a' + 'b')", undefined],
  ["edit(path='a')", undefined],
  ["move(to=2)", undefined],
  ["move(source='a', 2)", undefined],
  ["move(source='a', source='b')", undefined],
  ["edit('a') or edit('b')", undefined],
  ["edit(b'a')", undefined],
  [`{"file": "file_0.py"}`, undefined],
])("%s", (text, call) => {
  expect(callIn(text, tools)).toEqual(call);
});

async function made(reply: string) {
  const found: ToolCall[] = [];
  const cells = calls.open(tools, () => Promise.reject(new Error("no interpreter")));
  const end = await cells.run(reply, (call) => {
    found.push(call);
    return { value: "done" };
  });
  return { found, end };
}

test.each([
  "edit('file_0.py')\nmove('a', 2)",
  "# both\n\nedit('file_0.py'); move('a', 2)",
  "edit(\n    'file_0.py',  # the first\n)\nmove(\n    source='a',\n    to=2)",
  `[{"name": "edit", "arguments": {"file": "file_0.py"}}, {"name": "move", "arguments": ["a", 2]}]`,
  `{"name": "edit", "arguments": {"file": "file_0.py"}}\n{"name": "move", "arguments": ["a", 2]}`,
  `<tool_call>\n{"name": "edit", "arguments": {"file": "file_0.py"}}\n</tool_call>\n<tool_call>{"name": "move", "arguments": ["a", 2]}</tool_call>`,
])("%j is two calls", async (reply) => {
  const { found, end } = await made(reply);
  expect(found).toEqual([edit, move]);
  expect([end.end, end.output]).toEqual(["finished", `"done"\n"done"\n`]);
});

test("what is no call ends the cell, and its message says the form", async () => {
  const { found, end } = await made("edit('file_0.py')\nedit(path)");
  expect(found).toEqual([edit]);
  expect([end.end, end.exception]).toEqual(["syntax", "SyntaxError"]);
  expect(end.message).toMatch(
    /edit\(path\)\. Write calls alone, one a line: edit\(file\), move\(source, to\), finish\(\)$/,
  );
});
