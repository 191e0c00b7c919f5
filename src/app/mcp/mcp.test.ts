import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main, statelab } from "../../../test/kit/cli.ts";
import { rawRequest } from "../../../test/kit/http.ts";
import { sweptRuns } from "../../../test/kit/runs.ts";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { callIn, readProgram } from "../../cli/lib/program.ts";
import type { PythonHost } from "../../python/sandbox/host.ts";
import { openHost } from "../../python/sandbox/open.ts";
import { faultLine, faults } from "../faults.test-helper.ts";
import { type McpServer, startMcp } from "./serve.ts";

const folder = tmpFolder("mcp");
const root = join(folder, "root");
const sessions = join(folder, "sessions");
const problems: unknown[] = [];
const clients: Client[] = [];
let host: PythonHost;
let server: McpServer;
let stdio: Client;
let http: Client;

const COUNT = "def count(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total\n";

beforeAll(async () => {
  mkdirSync(root);
  writeFileSync(join(root, "count.py"), COUNT);
  writeFileSync(join(folder, "secret.py"), "key = 'secret'\n");
  symlinkSync(join(folder, "secret.py"), join(root, "link.py"));
  await sweptRuns(join(root, "runs"));
  stdio = new Client({ name: "test", version: "1" });
  const args = [main, "mcp", "--root", root, "--sessions", sessions, "--timeout", "60"];
  await stdio.connect(new StdioClientTransport({ command: process.execPath, args }));
  host = await openHost("embedded", { atMost: 2 });
  server = await startMcp({
    ...{ root, sessions, host, wallSeconds: 60, maximumSteps: 20_000, callIn, port: 0 },
    read: (file) => readProgram(file),
    onFault: (error) => problems.push(error),
  });
  http = new Client({ name: "test", version: "1" });
  await http.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  clients.push(stdio, http);
  for (const client of clients) await client.listTools(); // the client then checks answers by their schemas
}, 120_000);
afterAll(async () => {
  for (const client of clients) await client.close();
  await server.close();
  await host.close();
  expect(problems).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: answers are checked by the client, by their schemas
type Fields = Record<string, any>;

async function call(client: Client, name: string, args: Fields, options = {}) {
  const found = await client.callTool({ name, arguments: args }, undefined, options);
  const [{ text }] = found.content as [{ text: string }];
  return { text, isError: found.isError ?? false, fields: (found.structuredContent ?? {}) as Fields };
}

const refusal = async (client: Client, name: string, args: Fields) => {
  const { text, isError } = await call(client, name, args);
  expect(isError, text).toBe(true);
  return text;
};

describe.each(["stdio", "http"] as const)("over %s", (transport) => {
  const client = () => (transport === "stdio" ? stdio : http);

  test("a session goes forwards and backwards, and its recording opens in the debugger", async () => {
    const progress: number[] = [];
    const onprogress = (each: { progress: number }) => progress.push(each.progress);
    const opened = await call(
      client(),
      "debug_open",
      { file: "count.py", call: "count([1, 2])" },
      { onprogress },
    );
    expect(opened.fields).toMatchObject({ result: "3", reason: null, event: "call", line: 1 });
    expect(progress[0]).toBe(0);
    const { session, file } = opened.fields;
    const moved = await call(client(), "debug_step", {
      session,
      commands: ["continue total == 3", "back over", "nonsense"],
    });
    expect(moved.fields).toMatchObject({ line: 4, source: "        total += x" });
    expect(moved.fields.replies.map(({ kind }: Fields) => kind)).toEqual(["stop", "stop", "refused"]);
    const state = await call(client(), "debug_state", { session });
    expect(state.fields).toMatchObject({ line: 4, depth: 1, moment: moved.fields.moment });
    expect(state.fields.variables).toContainEqual({ scope: "local", name: "total", value: "1" });
    const origin = await call(client(), "where_from", { session, name: "total" });
    expect(origin.fields.origins[0]).toMatchObject({ level: 0, value: "1", line: 4, kind: "bound" });
    const writes = await call(client(), "where_from", { session, name: "total", every: true });
    expect(writes.fields.origins.map(({ value }: Fields) => value)).toEqual(["0", "1", "3"]);
    const { code, stdout } = await statelab(folder, "debug", file, "--commands", "end; print total");
    expect([code, stdout]).toEqual([0, expect.stringContaining("(debug) print total\n3\n")]);
  }, 120_000);

  test("a program that never ends is cancelled, and the next call is answered", async () => {
    const controller = new AbortController();
    const source = "def f():\n    return sum(range(10**15))\n"; // one line: the limit of steps does not end it
    const endless = call(client(), "debug_open", { source, call: "f()" }, { signal: controller.signal });
    setTimeout(() => controller.abort("enough"), 1500);
    await expect(endless).rejects.toThrow("enough");
    const started = performance.now();
    const next = await call(client(), "check_claim", {
      ...{ source: COUNT, call: "count([2])", name: "total", value: "2" },
    });
    expect(next.fields.verdict).toBe("true");
    expect(performance.now() - started).toBeLessThan(45_000); // a program may run for 60 s
  }, 120_000);
});

test("an unknown tool and wrong arguments are refused in a sentence", async () => {
  await expect(call(http, "debug_opne", {})).rejects.toThrow(
    'no tool "debug_opne". Did you mean debug_open?',
  );
  expect(await refusal(http, "debug_step", { session: "s" })).toContain("commands");
  expect(await refusal(http, "debug_step", { session: "s-1", commands: ["step"] })).toContain("debug_open");
  expect(await refusal(http, "debug_state", { session: "../secret" })).toContain("no session");
  expect(await refusal(http, "debug_open", {})).toContain("either source");
  expect(await refusal(http, "debug_open", { source: "def f(:\n", call: "f()" })).toContain("syntax");
});

test.each(["../secret.py", "link.py", "/etc/passwd", "missing.py", "runs"])(
  "the file %s is refused",
  async (file) => {
    expect(await refusal(http, "trace_call", { file })).toMatch(/outside|link leads out|no such|not a file/);
  },
);

test("a trace is paged, and every page keeps the limit", async () => {
  const source = "def f(n):\n    text = ''\n    for i in range(n):\n        text += 'ab'\n    return text\n";
  const lines: Fields[] = [];
  let offset: number | undefined = 0;
  let pages = 0;
  for (; offset !== undefined; pages++) {
    const page = await call(http, "trace_call", { source, call: "f(60)", limit: 3000, offset });
    expect(page.text.length).toBeLessThanOrEqual(3000);
    expect(JSON.stringify(page.fields).length).toBeLessThanOrEqual(3000);
    lines.push(...page.fields.lines);
    expect(page.fields.verified).toBe(true);
    offset = page.fields.next;
  }
  expect(pages).toBeGreaterThan(3);
  expect(lines.filter(({ code }) => code === "text += 'ab'")).toHaveLength(60);
}, 120_000);

test("huge values, deep stacks and much output give small answers", async () => {
  const source = `def f(n):
    ${Array.from({ length: 80 }, (_, i) => `v${i}`).join(" = ")} = "x" * 500
    print("y" * 5000)
    return n if n == 0 else f(n - 1)
`;
  const opened = await call(http, "debug_open", { source, call: "f(15)", at: "end", limit: 2000 });
  const { session } = opened.fields;
  const asks: [string, Fields][] = [
    ["debug_step", { commands: Array.from({ length: 17 }, () => "back") }],
    ["debug_state", {}],
    ["where_from", { name: "n", steps: 20 }],
  ];
  const answers = [opened];
  for (const [name, args] of asks) answers.push(await call(http, name, { session, limit: 2000, ...args }));
  for (const { text, fields } of answers) {
    expect(text.length).toBeLessThanOrEqual(2000);
    expect(JSON.stringify(fields).length).toBeLessThanOrEqual(2000);
  }
  expect(answers[2].fields.total).toBe(81);
}, 120_000);

test.each([
  ["reads a file", "def f():\n    return open('/etc/passwd').read()\n", /Error/],
  ["reaches the host", "def f():\n    import js\n    return js.process.env\n", /Error/],
  ["prints without end", "def f():\n    while True: print('x' * 1000)\n", /output|more than/],
])(
  "a program that %s has no result",
  async (_, source, reason) => {
    const { fields, text, isError } = await call(http, "debug_open", { source, call: "f()", at: "end" });
    expect(isError ? text : fields.reason).toMatch(reason);
  },
  120_000,
);

test.each(faults)(
  "$fault: from the failing assertion to the line in at most 4 calls",
  async ({ program: source, asks, wrote }) => {
    const opened = await call(http, "debug_open", { source, at: "end" });
    expect(opened.fields.reason).toContain("AssertionError");
    expect(asks.length).toBeLessThanOrEqual(3);
    let answer = opened;
    for (const [name, args] of asks)
      answer = await call(http, name, { session: opened.fields.session, ...args });
    expect(answer.fields.origins, answer.text).toContainEqual(
      expect.objectContaining({ ...wrote, line: faultLine(source) }),
    );
  },
  120_000,
);

test("a claim is true, false or unknown, with its moment", async () => {
  const { session } = (await call(http, "debug_open", { file: "count.py", call: "count([1, 2])" })).fields;
  const check = async (args: Fields) => (await call(http, "check_claim", { session, ...args })).fields;
  const right = await check({ statement: "After line 4 (2nd time), total = 3." });
  expect(right).toMatchObject({ verdict: "true", claims: [{ name: "total", truth: "3" }] });
  expect(await check({ name: "total", value: "3", moment: right.claims[0].moment })).toMatchObject({
    verdict: "true",
  });
  expect(await check({ name: "total", value: "7" })).toMatchObject({ verdict: "false" });
  expect(await check({ name: "other", value: "7" })).toMatchObject({ verdict: "unknown" });
  expect(await check({ statement: "This loop is elegant." })).toMatchObject({
    verdict: "unknown",
    claims: [],
  });
  expect(await refusal(http, "check_claim", { session, name: "total" })).toContain("name and value");
});

test("the first error of a transcript is the step after which its state stays wrong", async () => {
  const program = { file: "count.py", call: "count([1, 2])" };
  const transcript =
    "After line 2: total = 0\n\nAfter line 4: total = 1\n\nAfter line 4 (2nd time): total = 4";
  const { fields } = await call(http, "find_first_error", { ...program, transcript });
  const [found] = fields.transcripts;
  expect(found).toMatchObject({
    step: 2,
    state: "total = 3",
    claims: 3,
    errors: [{ value: "4", truth: "3" }],
  });
  expect(await refusal(http, "find_first_error", { transcript })).toContain("true state is unknown");
});

test("runs are listed, read and compared as the commands do", async () => {
  const { fields: listed } = await call(http, "list_runs", { folder: "runs" });
  expect(listed.runs.map(({ name }: Fields) => name)).toContain("betaMax=1/seed-0");
  const read = (part: string) => call(http, "read_run", { folder: "runs", name: "betaMax=1/seed-0", part });
  const [tests, config, loss] = await Promise.all(["tests", "config", "loss"].map(read));
  expect(tests.fields.items.length).toBe(2);
  expect(config.fields.items).toContainEqual({ name: "model.betaMax", value: 1 });
  expect(loss.fields.items[0].value).toHaveLength(2);
  const folders = ["runs/betaMax=1", "runs/betaMax=2"];
  const { fields: compared } = await call(http, "compare_runs", { folders });
  const { stdout } = await statelab(root, "compare", ...folders, "--json");
  const [{ test: name, accuracy }] = JSON.parse(stdout).comparisons;
  expect(compared.comparisons[0]).toMatchObject({
    ...{ test: name, baseline: folders[0], contender: folders[1] },
    accuracy: { baseline: accuracy.baseline, difference: accuracy.difference },
  });
  expect(await refusal(http, "read_run", { name: "../x" })).toContain("list_runs");
}, 120_000);

const post = (body: string, headers: Record<string, string> = {}, method = "POST") =>
  rawRequest(server.url, {
    ...{ path: "/mcp", method, body, headers: { "content-type": "application/json", ...headers } },
  });

const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
});

test.each([
  ["an Origin of another host", INITIALIZE, { origin: "http://evil.example" }, 403],
  ["a Host that is not this machine", INITIALIZE, { host: "evil.example" }, 403],
  ["a body that is no JSON", "{", {}, 400],
  ["a body that is too large", " ".repeat(9 * 2 ** 20), {}, 413],
  ["a form", INITIALIZE, { "content-type": "text/plain" }, 415],
  ["an unknown version", INITIALIZE, { "mcp-protocol-version": "1999-01-01" }, 400],
  ["no session", '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {}, 400],
  ["an unknown session", '{"jsonrpc":"2.0","id":1,"method":"ping"}', { "mcp-session-id": "x" }, 404],
])("HTTP with %s is refused", async (_, body, headers, status) => {
  const found = await post(body, headers);
  expect(found.status).toBe(status);
  expect(JSON.parse(found.text)).toMatchObject({ jsonrpc: "2.0", id: null, error: {} });
});

test("HTTP answers initialize, and GET with 405", async () => {
  expect(JSON.parse((await post(INITIALIZE)).text).result).toMatchObject({ protocolVersion: "2025-11-25" });
  expect((await post("", {}, "GET")).status).toBe(405);
});

test("every session has one recording, which opens again after a restart", async () => {
  const { session } = (await call(stdio, "debug_open", { file: "count.py", call: "count([5])" })).fields;
  expect(existsSync(join(sessions, `${session}.json`))).toBe(true);
  expect(readdirSync(sessions).every((name) => /^[\w-]+-\d+\.json$/.test(name))).toBe(true);
  const seen = await call(http, "where_from", { session, name: "xs", moment: 6 }); // another server
  expect(seen.fields.origins[0]).toMatchObject({ value: "[5]", kind: "argument" });
});
