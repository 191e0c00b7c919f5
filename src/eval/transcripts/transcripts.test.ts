import { expect, test } from "vitest";
import { openRecording } from "../../python/debugger/index.ts";
import { hasPython, runPython } from "../../python/trace/python.test-helper.ts";
import { parseHistory } from "../../schemas/execution-trace.ts";
import { checkClaims } from "./check-claims.ts";
import { readTranscripts } from "./index.ts";
import { effectOfCall } from "./message.ts";

const asked = "What does f give?";
const said = ["After line 2, total = 0.", "After line 4 (time 1): total = 3."];
const given = { line: 4, time: 2, state: { total: 8 } };

const openai = JSON.stringify([
  { role: "user", content: [{ type: "text", text: asked }] },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "c", type: "function", function: { name: "read_file", arguments: '{"path":"f.py"}' } },
    ],
  },
  { role: "tool", tool_call_id: "c", content: "def f" },
  ...said.map((content) => ({ role: "assistant", content })),
  {
    role: "assistant",
    content: "",
    tool_calls: [{ function: { name: "report_state", arguments: JSON.stringify(given) } }],
  },
]);
const inspect = JSON.stringify({
  version: 2,
  eval: { task: "t" },
  samples: [
    {
      id: "s",
      epoch: 1,
      messages: [
        { role: "user", content: asked },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "c", function: "read_file", arguments: { path: "f.py" } }],
        },
        { role: "tool", content: "def f", function: "read_file" },
        ...said.map((text) => ({
          role: "assistant",
          content: [
            { type: "reasoning", reasoning: "So." },
            { type: "text", text },
          ],
        })),
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "d", function: "report_state", arguments: given }],
        },
      ],
    },
  ],
});
const markdown = [
  "## User",
  asked,
  "**Action:** read_file[f.py]",
  "Observation: def f",
  "## Assistant",
  said[0],
  "Assistant: So.",
  said[1],
  "### Tool call: report_state",
  JSON.stringify(given),
].join("\n\n");

test.each([
  ["openai", openai],
  ["openai", JSON.stringify({ messages: JSON.parse(openai) })],
  ["inspect", inspect],
  ["markdown", markdown],
])("%s: the same run is the same claims, effects and tree", (format, text) => {
  const [{ transcript }, ...others] = readTranscripts(text, "x");
  expect(others).toEqual([]);
  expect(transcript.format).toBe(format);
  const claiming = transcript.steps.filter(({ claims }) => claims.length > 0);
  expect(claiming.map(({ claims }) => claims.map(({ name, value, place }) => [name, value, place]))).toEqual([
    [["total", "0", { line: 2 }]],
    [["total", "3", { line: 4, time: 1 }]],
    [["total", "8", { line: 4, time: 2 }]],
  ]);
  expect(transcript.steps.find(({ tool }) => tool === "read_file")?.effect).toBe("explores");
  expect(claiming[1].under).toBe(claiming[0].index);
  expect(claiming[0].under).toBeNull();
});

test("several conversations are several transcripts", () => {
  const line = JSON.stringify({ messages: [{ role: "assistant", content: "x = 1" }] });
  expect(readTranscripts(`${line}\n${line}\n`, "x").map(({ transcript }) => transcript.name)).toEqual([
    "1",
    "2",
  ]);
});

test.each(["", "Just words.", "{}", "[]", '[{"role": "user"', '{"version": 2}', "a,b\n1,2\n"])(
  "%j is no transcript, in one sentence",
  (text) => {
    expect(() => readTranscripts(text, "x.txt")).toThrow(/^x\.txt: expected a transcript: [^\n]*$/);
  },
);

test("a damaged one of a known kind is named by its place", () => {
  expect(() => readTranscripts('[{"role": "judge", "content": ""}]', "x")).toThrow(/^x: expected /);
  expect(() => readTranscripts('{"version": 2, "eval": {}}', "x")).toThrow(/a log with its samples/);
});

test.each([
  ["bash", '{"command": "grep -n x f.py | head 2>/dev/null"}', "explores"],
  ["bash", '{"command": "sed -i s/a/b/ f.py"}', "changes"],
  ["bash", '{"command": "cat a > b"}', "changes"],
  ["shell", '{"cmd": "git log"}', "explores"],
  ["shell", '{"cmd": "git commit -m x; ls"}', "changes"],
  ["bash", '{"command": "echo $(rm x)"}', "changes"],
  ["readFile", "{}", "explores"],
  ["str_replace_editor", "{}", "changes"],
  ["frobnicate", "{}", "changes"],
] as const)("%s %s %s", (name, text, effect) => {
  expect(effectOfCall(name, text)).toBe(effect);
});

const source = "def f(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total\n";
const [answer] = hasPython ? runPython([{ operation: "history", source, call: "f([3, 5, 4])" }]) : [];
const heldOf = (text: string) => {
  const [{ transcript }] = readTranscripts(JSON.stringify([{ role: "assistant", content: text }]), "x");
  return checkClaims(openRecording(parseHistory(answer, "x")), transcript.steps);
};

test.skipIf(!hasPython).each([
  [
    "After line 4, total = 3.\nAfter line 4, total = 8.\nAfter line 4, total = 12.",
    "right right right",
    "places",
  ],
  // one run of the line is passed over, and is no mistake
  ["After line 4, total = 3.\nAfter line 4, total = 12.\nIt returns 12.", "right right right", "places"],
  [
    "After line 4, total = 3.\nAfter line 4, total = 9.\nAfter line 4, total = 13.",
    "right wrong wrong",
    "places",
  ],
  ["After line 4 (time 2), total = 8.\nAfter line 4 (time 4), total = 12.", "right wrong", "places"],
  ["# total = 0\n# total=0\n# total = 3", "right right right", "order"],
  ["After step 1, total = 0. After step 3, total = 4. `total = 0` is line 2.", "right wrong", "places"],
  ["After line 4, other = 3 and total = 3.", "unknown right", "places"],
])("%j is held against its states (skipped without python3)", (text, verdicts, aligned) => {
  const held = heldOf(text);
  expect(held.claims.map(({ verdict }) => verdict).join(" ")).toBe(verdicts);
  expect(held.aligned).toBe(aligned);
});
