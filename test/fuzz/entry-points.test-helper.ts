/** @file The doors for texts and files: every parser of what somebody else wrote. Those of the server are in server.test-helper.ts. */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAnalysis } from "../../src/analysis/document.ts";
import { readJson, readJsonLines } from "../../src/app/data/files.ts";
import { readHistory } from "../../src/app/export/history.ts";
import { parseAxis } from "../../src/app/grid.ts";
import { readCheckpoint as readForeign, readVocabulary } from "../../src/app/import/run.ts";
import { openAnswerLog } from "../../src/app/llm/log.ts";
import { gatherRuns } from "../../src/app/report/load-runs.ts";
import { readConfigFile } from "../../src/app/run/config.ts";
import { openTrainedRun } from "../../src/app/run/open.ts";
import { parseCommandLine } from "../../src/cli/lib/command.ts";
import { command as ask } from "../../src/cli/llm/eval.ts";
import { command as train } from "../../src/cli/train.ts";
import { applySettings, parseWith, parseYaml } from "../../src/core/settings.ts";
import { parseChatTemplate } from "../../src/eval/endpoints/chat-template.ts";
import { httpEndpoint } from "../../src/eval/endpoints/http-endpoint.ts";
import { protocols } from "../../src/eval/endpoints/protocols.ts";
import { ScriptLine } from "../../src/eval/endpoints/scripted-endpoint.ts";
import { PriceTable } from "../../src/eval/endpoints/usage.ts";
import { readGenerations } from "../../src/eval/generations.ts";
import { answersIn } from "../../src/eval/scoring/answer-parser.ts";
import { gradeLiteral, isReadable } from "../../src/eval/scoring/grade.ts";
import { splitReasoning } from "../../src/eval/scoring/reasoning.ts";
import { upstreamAnswer } from "../../src/eval/scoring/score-cruxeval.ts";
import { assertionSides, callParts, claimText, parts, renamed } from "../../src/eval/scoring/source-text.ts";
import { checkClaims } from "../../src/eval/transcripts/check-claims.ts";
import { readTranscripts } from "../../src/eval/transcripts/index.ts";
import { benchmarkRows, benchmarks } from "../../src/python/benchmarks/index.ts";
import {
  commandsIn,
  execute,
  openRecording,
  openSession,
  renderReply,
} from "../../src/python/debugger/index.ts";
import { frameReader } from "../../src/python/sandbox/sandboxed-process.ts";
import { readReply } from "../../src/python/sandbox/verdict.ts";
import { parseAssert } from "../../src/python/trace/find-call.ts";
import { AgentMachine } from "../../src/schemas/agent-machine.ts";
import { ConceptStore } from "../../src/schemas/agents.ts";
import { Automaton, checkAutomaton } from "../../src/schemas/automaton.ts";
import { parseHistory } from "../../src/schemas/execution-trace.ts";
import { decodeSafetensors, encodeSafetensors } from "../../src/schemas/formats/safetensors.ts";
import { readTar, writeTar } from "../../src/schemas/formats/tar.ts";
import { ChangedStates } from "../../src/schemas/state-diff.ts";
import { parseLineTrace, parseTrace } from "../../src/schemas/trace.ts";
import { openRows } from "../../src/storage/dataset/rows.ts";
import { readDatasetConfig, writeDataset } from "../../src/storage/dataset.ts";
import { openLog, parseJson, readLog } from "../../src/storage/index.ts";
import { takeLock } from "../../src/storage/lock.ts";
import { wordsOfCode } from "../../src/tasks/code-traces.ts";
import { fileTokenizer } from "../../src/tasks/file-tokenizer.ts";
import { readUncertain } from "../../src/tasks/pfsa/parser.ts";
import { readAsserts, readProgram } from "../../src/tasks/repl/parser.ts";
import { deltanet, stoppedRun, supervised } from "../kit/runs.ts";
import type { Door } from "./cases.test-helper.ts";
import { ofFunctions } from "./functions.test-helper.ts";

const golden = (...path: string[]) => fileURLToPath(new URL(join("../../golden", ...path), import.meta.url));

const history =
  '{"version":1,"source":"def f(n):\\n    n += 1\\n    return n\\n","call":"f(2)","events":[{"event":"call","line":1,"function":"f","activation":1,"printed":0,"names":["1.n"],"set":{"1.n":"2"}},{"event":"line","line":2,"function":"f","activation":1,"printed":0,"set":{}},{"event":"line","line":3,"function":"f","activation":1,"printed":0,"set":{"1.n":"3"}},{"event":"return","line":3,"function":"f","activation":1,"printed":0,"set":{},"value":3}],"began":0,"statements":[{"line":2,"end":2,"assigns":[["n",["n"]]],"reads":[],"calls":[]}],"result":3,"output":"","python":{"version":"3.11.2","wordBits":64},"truncated":false,"reason":null}';

export interface Doors {
  readonly doors: readonly Door[];
  close(): void;
}

export async function openDoors(): Promise<Doors> {
  const root = mkdtempSync(join(tmpdir(), "statelab-doors-"));
  const written = (name: string, content: Uint8Array) => {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  };
  const rows = join(root, "made");
  await makeDataset(rows);
  return {
    doors: [
      ...ofTexts,
      ...ofRecords(written),
      ...ofReplies,
      ...ofFunctions(written),
      ...(await ofFolders(root, written, rows)),
    ],
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

type Written = (name: string, content: Uint8Array) => string;

const literals = [
  "[1, 'a', {2: (3,)}, {4, 5}, -6.5e3j, b'\\x00', None]",
  "float('inf')",
  "'a' \"b\" r'\\d' '''c\nd'''",
];
const programs = [
  "def f(n):\n    return {n: [n, 'é']}\nassert f(17) == {17: [17, 'é']}",
  ">>> a, b = 1, 2\n>>> a, b = b, a\n>>> print('a', a)\na 2\n",
];
const replies = [
  "[ANSWER]\nassert f(17) == [1, 2]\n[/ANSWER]",
  "<think>so\n</think>\n```python\nassert f(17) == 'x'\n```\nThe answer is **17**.",
  "f(17) == 17",
];

/** A door for texts. */
const door = (
  name: string,
  samples: readonly string[],
  open: (text: string) => unknown,
  more: Pick<Door, "words" | "cost"> = {},
): Door => ({ name, samples, open: (given) => open(given.toString()), ...more });
const split = (words: string) => words.split("|");

const ofTexts: readonly Door[] = [
  door(
    "literal",
    literals,
    (text) => {
      isReadable(text);
      gradeLiteral(text, "[1]");
      gradeLiteral(text, "{1.0: 'a'}", false);
    },
    { words: split("'''|\\N{BULLET}|\\u12|0x|1_0|set(|float('|# ") },
  ),
  door(
    "reply",
    replies,
    (reply) => {
      for (const style of ["direct", "cot"] as const) {
        answersIn(reply, style, programs[0]);
        for (const predict of ["input", "output"] as const) upstreamAnswer(reply, predict, style);
      }
      splitReasoning(reply);
      claimText(reply);
      assertionSides(reply);
      callParts(reply);
      parts(reply, ",");
      renamed(reply, new Map([["f", "g"]]));
    },
    { words: split("[ANSWER]|[/ANSWER]|```|<think>|</think>|assert|==") },
  ),
  door(
    "program",
    programs,
    (source) => {
      for (const read of [readProgram, readAsserts, readUncertain]) refusing(() => read(source));
      parseAssert(source, source);
      wordsOfCode(source);
    },
    { words: split(">>> |print(|assert |a, b = |\n") },
  ),
  door("yaml", [deltanet, supervised, "a: [1, {b: c}]\nd: &x |\n  e"], (text) => parseYaml(text, "x.yaml"), {
    words: [
      "|\n",
      ...split("&a |*a|<<: *a|!!binary |!!js/function |? |- |>-\n|---\n|%YAML 1.1\n|a: |{|0o17"),
    ],
  }),
  door(
    "settings",
    ["train.steps=300", "task.tests=[{spacing: 2}]", "spacing=1,2,4", "model.width=16..64"],
    (text) => {
      refusing(() => applySettings({ train: { steps: 1 } }, [text]));
      parseAxis(text);
    },
    { words: split("=|.|,|__proto__|constructor.prototype|..") },
  ),
  door(
    "command-line",
    [
      "file.yaml --out x --set a=1 --json",
      "data --bench cruxeval --model m --base-url http://x/v1 --max-requests 4",
    ],
    (text) => {
      const args = text.split(" ").slice(0, 2000); // the system takes few more
      for (const command of [ask, train]) refusing(() => parseCommandLine(command as never, args)); // any command will do
    },
    { words: split(" --| -|=| --set| --json=| --__proto__=1| --help") },
  ),
  door(
    "history",
    [history],
    (text) => {
      const record = parseHistory(parseJson(text, "x"), "x");
      let session = openSession(openRecording(record, "x"));
      const commands =
        "next; whence n 3; writes n; aliases; where; args; until n; end; back over; back continue 2";
      for (const each of commandsIn(commands)) session = execute(session, each).session;
    },
    { words: split('"activation":9|"names":["1.n"]|{"ref":1}|{"id":1,"is":|"event":"return"|1e9|"line":0') },
  ),
  door(
    "debugger-commands",
    [
      "break 2, n > 1; continue; print [n + 1, (n,)][0]; display n % 2 == 0; back over; whence n 2; undisplay n % 2 == 0",
      "tbreak f; list 1, 3; p {1: 'a', n: {2}}[1][::-1] if n else len(range(9))\n# words\nuntil n == 3; up; goto 2",
    ],
    (text) => {
      let session = openSession(openRecording(parseHistory(JSON.parse(history), "x")));
      for (const each of commandsIn(text).slice(0, 50)) {
        const done = execute(session, each);
        renderReply(done.reply);
        session = done.session;
      }
    },
    { words: ["9".repeat(30), ...split("**|<<|((((|range(|'|\\|;| not in |lambda: 1|[::|back ")] },
  ),
  door(
    "transcript",
    [
      '[{"role":"user","content":"f"},{"role":"assistant","content":"After line 2 (time 1): n = 3, `n` is now [1, {2}].","tool_calls":[{"function":{"name":"bash","arguments":"{\\"cmd\\": \\"ls | cat\\"}"}}]}]',
      '{"version":2,"eval":{},"samples":[{"id":1,"epoch":1,"messages":[{"role":"assistant","content":"| line | n |\\n|--|--|\\n| 2 | 3 |"}]}]}',
      '{"version":1,"sample":"a/output/i/0","arm":"a","predict":"output","id":"i","index":0,"steps":null,"prompt":"p","replies":["n = 3"],"finish":null,"promptTokens":null,"replyTokens":null,"extracted":"3","expected":"3","verdict":"correct","words":""}',
      '{"previous":"0","kind":"begin","version":1,"episode":"lock/calls/full/free/guessing/0","world":"lock","runtime":"calls","view":"full","control":"free","policy":"guessing","settings":{},"seed":0,"index":0,"turns":9,"callsPerCell":1}\n',
      "## User\n\nf?\n\n**Assistant:** line 2, n = 2 + 1 = 3.\n```python\nn += 1  # n = 3; x = {'a': [1]}\n```\nAction: bash[ls]\nObservation: n\nThought: state = {'n': 3}",
    ],
    (text) => {
      const run = openRecording(parseHistory(JSON.parse(history), "x"));
      for (const { transcript } of readTranscripts(text, "x"))
        checkClaims(run, transcript.steps).stateAt(transcript.steps.length);
    },
    {
      words: [
        "| line |",
        ...split("Assistant: |```| is now | (2nd time)|step 9|{'n': |**|\"state\": {|= |((((|'"),
      ],
    },
  ),
  door(
    "trace-line",
    [
      "[1]",
      '{"id": 1, "is": [1]}',
      '{"dict": [[{"float": "nan"}, {"tuple": [{"ref": 1}]}]]}',
      '{"int": "9"}',
    ],
    (text) => new ChangedStates([{ names: ["x"], set: { x: text } }, { set: { x: [1, 1, text] } }]).after(1),
  ),
];

/** Several readers have a look at the same bytes: what one refuses the next may take. */
function refusing(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof Error && error.name === "LabError")) throw error;
  }
}

const trace =
  '{"version":1,"source":"def f(n):\\n    x = [n]\\n    return x","call":"f(1)","code":"n = 1\\nx = [n]\\nassert (x) == [1]\\n","lines":[{"code":"n = 1","line":1,"helper":false,"role":"arguments","names":["n"],"set":{"n":"1"}},{"code":"x = [n]","line":2,"helper":false,"role":"step","names":["n","x"],"set":{"x":"[1]"}},{"code":"assert (x) == [1]","line":3,"helper":false,"role":"assert","set":{}}],"result":[1],"literal":"[1]","steps":1,"proven":true,"python":{"version":"3.11.2","wordBits":64},"truncated":false,"reason":null}';
const safetensors = encodeSafetensors(
  {
    a: {
      dtype: "F32",
      shape: [2, 3],
      data: new Float32Array([1, Number.NaN, 3, 4, 5, Number.POSITIVE_INFINITY]),
    },
    b: { dtype: "F32", shape: [1], data: new Float32Array(1) },
  },
  { format: "pt" },
);
const row = (name: keyof typeof benchmarks, value: object): Door =>
  door(`benchmark-${name}`, [JSON.stringify(value)], (text) => benchmarkRows(benchmarks[name], text, "x"));

const ofRecords = (written: Written): readonly Door[] => [
  {
    name: "safetensors",
    samples: [safetensors],
    words: ['"dtype":"F16"', '"shape":[-1]', '"data_offsets":[0,1e9]', "__metadata__"],
    open: (given) => decodeSafetensors(given, "x.safetensors"),
  },
  {
    name: "tar",
    samples: [
      writeTar({ "run/config.json": safetensors.subarray(0, 40), "run/model.safetensors": safetensors }),
    ],
    words: ["../", "ustar", "00000000000", "77777777777"],
    open: (given) => readTar(given, "run.tar"),
  },
  door(
    "generations",
    [
      '{"sample_0": ["1", "2"], "sample_1": ["x"]}',
      '[["1"], ["2"]]',
      '{"id": "sample_0", "answers": ["1"]}\n{"id": "sample_1", "answer": "2"}',
    ],
    (text) => readGenerations(text, { ids: ["sample_0", "sample_1"], predict: "output", at: "x" }),
  ),
  {
    name: "prices",
    samples: ['{"m": {"input": 0.15, "output": 0.6}}'],
    open: (given) => readJson(written("prices.json", given), PriceTable),
  },
  door(
    "chat-template",
    [
      "{% for m in messages %}<|{{ m.role }}|>{{ m['content'] | trim }}{{ eos_token }}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}",
      '{"chat_template": "{% set ns = namespace(n=0) %}{% for m in messages %}{{ m.content }}{% endfor %}", "bos_token": {"content": "<s>"}}',
    ],
    (text) => parseChatTemplate(text, "x"),
    {
      cost: 10,
      words:
        "{% {%- %} -%} {{ }} {% for i in range(9999999999) %} {% endfor %} {% set ns.x = ns.x + ns.x %} |length |join ~ messages[0]".split(
          " ",
        ),
    },
  ),
  {
    name: "script",
    samples: ['{"contains": "f(17)", "reply": "1"}\n{"replies": ["a", "b"]}'],
    open: (given) => readJsonLines(written("script.jsonl", given), ScriptLine),
  },
  door("traces", [trace], (text) => {
    const value = parseJson(text, "x");
    refusing(() => parseLineTrace(value, "x"));
    const { lines } = parseTrace(value, "x");
    for (const line of lines) refusing(() => line.state);
  }),
  door(
    "automaton",
    [
      '{"states": ["a", "b"], "start": "a", "actions": {"x": {"a": "b", "b": "a"}}, "reveals": {"r": {"a": "0", "b": "1"}}}',
    ],
    (text) => checkAutomaton(parseWith(Automaton, parseYaml(text, "x"), "x")),
  ),
  door(
    "agent-machine",
    [
      "start: a\nstates:\n  a: {ask: x, on: {t: a, u: {to: b, when: [t >= 2]}}, check: {detection: 0.9}, retry: 1}\n  b: {}\n",
    ],
    (text) => parseWith(AgentMachine, parseYaml(text, "x"), "x"),
  ),
  door(
    "concepts",
    [
      '{"version":1,"world":"lock","concepts":[{"name":"enter+","kind":"routine","parameters":["digit"],"cues":["enter"],"implementation":"each: enter(digit)","usedIn":["x"]}]}',
    ],
    (text) => parseWith(ConceptStore, parseJson(text, "x"), "x"),
  ),
  door(
    "analysis",
    [
      '{"run":"r","step":1,"model":{"name":"deltanet"},"task":{"name":"repl"},"seed":0,"programs":9,"command":"c","measured":{"questions":9,"accuracy":0.5,"interval":[0.4,0.6],"references":{"uniform":0.3},"byCommands":[{"commands":1,"asked":9,"accuracy":0.5}]},"missing":{"belief":"none"}}',
    ],
    (text) => parseAnalysis(text, "x"),
  ),
  {
    name: "log",
    samples: ['{"step":1,"loss":0.5}\n{"step":2,"loss":0.25}\n{"st', "\n\n"],
    open(given) {
      const path = written("log.jsonl", given);
      refusing(() => readLog(path));
      const log = openLog(path, { dropFrom: (record) => (record as { step?: number } | null)?.step === 2 });
      log.append({ step: 3 });
      log.close();
    },
  },
  {
    name: "answer-log",
    samples: [
      `{"version":1,"key":"${"0a".repeat(32)}","sample":"s","turn":0,"attempts":1,"text":"t","finish":"stop","promptTokens":1,"replyTokens":2,"at":"2026-01-01T00:00:00.000Z"}\n`,
    ],
    async open(given) {
      const log = await openAnswerLog(written("answers.jsonl", given));
      log.get("0a".repeat(32));
      await log.close();
    },
  },
  {
    name: "lock",
    samples: ['{"pid":999999999,"nonce":"n","host":"h","command":"c"}', "1"],
    open(given) {
      takeLock(written("lock", given)).release();
    },
  },
  row("cruxeval", { code: "def f(n):\n    return n", input: "17", output: "17", id: "sample_0" }),
  row("mbpp", {
    ...{ task_id: 1, text: "t", code: "def f(n):\r\n  return n", test_list: ["assert f(1)==1"] },
    ...{ test_setup_code: "", challenge_test_list: [] },
  }),
];

const ofReplies: readonly Door[] = [
  ...(Object.keys(protocols) as (keyof typeof protocols)[]).map(
    (name): Door => ({
      name: `endpoint-${name}`,
      samples: [
        '{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1}}',
        '{"choices":[{"text":"a","finish_reason":"length"}]}',
        '{"message":{"role":"assistant","content":"a","thinking":"b"},"done":true,"done_reason":"stop","eval_count":1}',
        '{"error":{"message":"no max_tokens, use max_completion_tokens","code":400,"param":"max_tokens"}}',
      ],
      cost: 10,
      async open(given) {
        for (const status of [200, 400, 429]) {
          const headers = { "content-type": "application/json; charset=utf-8", "retry-after": "x" };
          const endpoint = httpEndpoint({
            ...{
              baseUrl: new URL("http://localhost/v1/"),
              protocol: protocols[name],
              model: "m",
              key: "secret-key",
            },
            ...{ idleSeconds: 5, totalSeconds: 5, checkPrompt: true },
            fetch: async () => new Response(new Uint8Array(given), { status, headers }),
          });
          const parameters = { temperature: 0.5, maximumTokens: 9, stop: ["x"] };
          await endpoint({ prompt: "a b c", sample: 0, parameters } as never, new AbortController().signal); // the rest is optional
        }
      },
    }),
  ),
  {
    name: "interpreter",
    samples: [
      '{"kind": "done", "output": "", "python": {"version": "3", "wordBits": 64, "implementation": "c"}}\n{"outcome": "passed", "told": ["x"]}',
      `${"0".repeat(32)} reply 5\nabcde`,
    ],
    open(given) {
      const plan = '[{"digest": "x", "message": ""}]';
      readReply({ body: given, plan, host: "native" });
      readReply({ body: given, plan: undefined, host: "native" });
      const reader = frameReader("0".repeat(32));
      for (let at = 0; at < Math.min(given.length, 2000); at += 7) reader(given.subarray(at, at + 7), 1000);
    },
  },
];

async function makeDataset(folder: string): Promise<void> {
  const one = {
    text: ">>> a = 1\né\n",
    reveals: [{ start: 0, end: 1, variable: "b", value: "1", commands: 0 }],
    states: [{ end: 8, values: { a: "1", b: "0" } }],
  };
  const content = {
    ...{ variables: ["a", "b"], outcomes: [], split: "train", tokenizer: {}, tokenizerConfig: {} },
    config: { task: "repl", params: { commands: 3 }, seed: 7, tokenizer: "word" as const, lab: "0.1.0" },
    ...{ summary: "a test", source: "none", command: "statelab generate repl" },
  };
  await writeDataset(join(folder, "jsonl"), { ...content, rows: [one, one], format: "jsonl" });
  await writeDataset(join(folder, "parquet"), { ...content, rows: [one, one], format: "parquet" });
}

/** Folders of which one file is somebody else's. */
async function ofFolders(root: string, written: Written, made: string): Promise<Door[]> {
  const run = join(root, "run");
  await stoppedRun(run);
  const foreign = join(root, "foreign");
  cpSync(golden("interop", "delta_net"), foreign, { recursive: true });
  rmSync(join(foreign, "expected.safetensors"));
  const opened = async (folder: string) => {
    const { value } = await settled(() => readDatasetConfig(folder));
    const files = await openRows(folder);
    for (const file of Object.values(files)) for (let i = 0; i < Math.min(file.count, 5); i++) file.at(i);
    return value;
  };
  /** The file as it was is put back afterwards: the doors share the folder. */
  const inFolder = (
    name: string,
    folder: string,
    file: string,
    open: () => Promise<unknown>,
    cost = 4,
  ): Door => {
    const path = join(folder, file);
    const before = new Uint8Array(readFileSync(path));
    return {
      ...{ name, cost, samples: [before] },
      async open(given) {
        writeFileSync(path, given);
        try {
          await open();
        } finally {
          writeFileSync(path, before);
        }
      },
    };
  };
  return [
    {
      name: "rows-jsonl",
      samples: [new Uint8Array(readFileSync(join(made, "jsonl", "train.jsonl")))],
      cost: 3,
      open: (given) => opened(dirname(written("rows/train.jsonl", given))),
    },
    {
      name: "rows-parquet",
      samples: [new Uint8Array(readFileSync(join(made, "parquet", "train.parquet")))],
      cost: 8,
      open: (given) => opened(dirname(written("columns/train.parquet", given))),
    },
    inFolder(
      "dataset-config",
      join(made, "jsonl"),
      "config.json",
      () => readDatasetConfig(join(made, "jsonl")),
      2,
    ),
    {
      name: "config-file",
      samples: [deltanet, supervised],
      words: ["__proto__: {x: 1}\n", "name: ../x.mjs", "steps: .inf", "layers: 1e9"],
      cost: 2,
      open: (given) => readConfigFile(written("run.yaml", given), [], { task: undefined, model: undefined }),
    },
    inFolder("run-config", run, "config.json", () => openTrainedRun(run)),
    inFolder("run-metrics", run, "metrics.jsonl", async () => {
      await settled(() => gatherRuns([run]));
      await readHistory(run, ".");
    }),
    inFolder("run-state", run, join("checkpoints", "6", "state.json"), () => openTrainedRun(run)),
    inFolder("run-sums", run, join("checkpoints", "6", "SHA256SUMS"), () => openTrainedRun(run)),
    inFolder("foreign-config", foreign, "config.json", () => readForeign(foreign), 5),
    inFolder("foreign-weights", foreign, "model.safetensors", () => readForeign(foreign), 5),
    {
      name: "foreign-tokenizer",
      samples: [
        '{"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1}}}',
        '{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}, "added_tokens": [], ' +
          '"normalizer": null, "pre_tokenizer": null, "post_processor": null, "decoder": {"type": "ByteLevel"}}',
      ],
      open: async (given) => {
        const path = written("tokens/tokenizer.json", given);
        if ((await readVocabulary(dirname(path))) === "subwords")
          await fileTokenizer(JSON.parse(readFileSync(path, "utf8")), path);
      },
    },
  ];
}

/** As `refusing`, of a promise. */
async function settled<T>(work: () => Promise<T>): Promise<{ readonly value?: T }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof Error && error.name === "LabError") return {};
    throw error;
  }
}
