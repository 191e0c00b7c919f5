import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { chatReply, json, type Server, serverThat } from "../../src/eval/endpoints/server.test-helper.ts";
import { AskResults } from "../../src/schemas/eval.ts";
import { callBuilt, linesIn, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { startAsk } from "./llm-eval.test-helper.ts";

const root = tmpFolder("ask");
const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
async function serving(...behaves: Parameters<typeof serverThat>) {
  const server = await serverThat(...behaves);
  open.push(server);
  return server;
}
/** In this process, where no signal and no environment is asked about. */
const ask = (...args: string[]) => callBuilt(["llm eval", ...args]);
const read = (folder: string, name: string) => readFileSync(join(folder, name), "utf8");

test("the key is in no file, no line and no error, though the server repeats it", async () => {
  const key = "sk-0123456789-secret";
  const server = await serving((asked, response, count, request) => {
    const seen = asked.authorization ?? "";
    const kinds = [json({ error: seen }, 400), json(chatReply(`1 ${seen}`)), json(chatReply("1"))];
    const behaves = kinds[count % 3];
    behaves(asked, response, count, request);
  });
  const folder = join(root, "secret");
  const { code, stdout, stderr } = await startAsk(
    [...words(`--bench parity --set programs=6 --base-url ${server.url} --model m --out`), folder, "--json"],
    { STATELAB_API_KEY: key },
  ).ended;
  expect(server.asked.map(({ authorization }) => authorization)).toContain(`Bearer ${key}`);
  expect(code).toBe(1);
  const files = readdirSync(folder).map((name) => read(folder, name));
  expect(files.length).toBeGreaterThan(3);
  expect([stdout, stderr, ...files].some((text) => text.includes(key))).toBe(false);
  const { left, arms } = AskResults.parse(JSON.parse(read(folder, "results.json")));
  // An error is no wrong answer: it is in no figure.
  expect([left, arms[0].unanswered, arms[0].programs]).toEqual([
    { "bad-request": 2, "key-in-reply": 2 },
    4,
    2,
  ]);
  expect(linesIn(join(folder, "answers.jsonl"))).toBe(2);
});

test("a key that may be part of an answer is refused, and `none` is none", async () => {
  const server = await serving(json(chatReply("x", {}, { prompt_tokens: 500 })));
  const args = [
    ...words(`--bench parity --set programs=2 --base-url ${server.url} --model m --out`),
    join(root, "keys"),
  ];
  const short = await startAsk(args, { STATELAB_API_KEY: "x" }).ended;
  expect([short.code, short.stderr]).toEqual([
    2,
    expect.stringMatching(/STATELAB_API_KEY: expected a key of at least 8 characters, got "one of 1"/),
  ]);
  const none = await startAsk(args, { STATELAB_API_KEY: "none" }).ended;
  expect([none.code, server.asked.map(({ authorization }) => authorization)]).toEqual([
    0,
    [undefined, undefined],
  ]);
}, 60_000);

test("answers from a script need no server, and Ctrl-C keeps what there is", async () => {
  const script = join(root, "script.jsonl");
  writeFileSync(script, `${JSON.stringify({ replies: ["0", "1"] })}\n`);
  const folder = join(root, "scripted");
  const args = [...words(`--bench parity --set programs=20 --samples 2 --answers ${script} --out`), folder];
  const { code, stdout } = await ask(...args);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/function +output +20 +40 +50\.0/)]);

  const s5 = words(`--bench s5 --set programs=2 --set commands=[8] --answers ${script}`);
  const named = await ask(...s5, "--arm", "free", "--out", join(root, "free"));
  expect([named.code, named.stdout]).toEqual([0, expect.stringMatching(/free +output +2 +2 /)]);
  expect(named.stdout).not.toContain("forced");

  const slow = await serving((asked, response, count, request) => {
    setTimeout(() => json(chatReply("1"))(asked, response, count, request), count < 8 ? 10 : 5000);
  });
  const stopped = join(root, "stopped");
  const run = startAsk([...words(`--bench parity --base-url ${slow.url} --model m --out`), stopped]);
  await expect.poll(() => linesIn(join(stopped, "answers.jsonl")), { timeout: 20_000 }).toBe(8);
  run.process.kill("SIGINT");
  const ended = await run.ended;
  expect([ended.code, ended.stderr]).toEqual([130, expect.stringContaining("Run the same command again")]);
}, 60_000);

test("a task of one's own is asked about in the form of any task, beside what can be known", async () => {
  const file = fileURLToPath(new URL("../../examples/my-task.ts", import.meta.url));
  const script = join(root, "lamp.jsonl");
  writeFileSync(script, `${JSON.stringify({ reply: "on" })}\n`);
  const folder = join(root, "lamp");
  const call = [...words(`--answers ${script} --set programs=40 --out`), folder];
  const { code, stdout, stderr } = await ask(...call, "--task", file);
  expect([code, stderr]).toEqual([0, expect.stringContaining("40 of 40 answered")]);
  expect(stdout).toMatch(
    /function +output +40 +40 [^\n]*\nreference predictors on the same questions: exact Bayes 100.0 %/,
  );
  const [arm] = AskResults.parse(JSON.parse(read(folder, "results.json"))).arms;
  expect(arm.unreadable).toBe(0);
  expect(Math.min(arm.correct, arm.wrong)).toBeGreaterThan(8);
  expect(read(folder, "samples.jsonl")).toContain("a switch that is flipped or left alone; is the lamp on?");
}, 60_000);
