import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { callStatelab, startStatelab, Texts, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("serve");
const at = (...parts: string[]) => join(root, ...parts);

const run = callStatelab; // in this process, which is faster

/** A server that listens, with the document that it prints then. */
async function serve(...args: string[]) {
  const controller = new AbortController();
  const printed = new Texts();
  const ended = run(["serve", at("run"), "--port", "0", "--json", ...args], {
    signal: controller.signal,
    texts: printed,
  });
  while (printed.out.length === 0) {
    if (printed.err.length > 0) throw new Error(printed.err.join());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return { stop: () => controller.abort(), ended, document: JSON.parse(printed.out[0]) };
}

const small = `
seed: 4
task: { name: repl, variables: 3, commands: 4, spacing: 1 }
model: { name: deltanet, layers: 1, width: 16, heads: 2 }
train: { steps: 60, batch: 8, learningRate: 0.01, warmupSteps: 5 }
evaluate: { examples: 25, settings: [{}, { commands: 9, spacing: 3 }] }
`;

beforeAll(async () => {
  writeFileSync(at("small.yaml"), small);
  const { code, stderr } = await run(["train", at("small.yaml"), "--out", at("run")]);
  expect(code, stderr).toBe(0);
}, 60_000);

test("a served model gives ask the answers of evaluate on every reveal, near ties aside; a changed answer is found", async () => {
  const evaluated = await run(["evaluate", at("run"), "--save-predictions", at("reveals.jsonl"), "--json"]);
  expect(evaluated.code, evaluated.stderr).toBe(0);
  const { results } = JSON.parse(evaluated.stdout);
  const { stop, document, ended } = await serve();
  const asked = await run([
    ...words("llm eval --bench reveals --data"),
    at("reveals.jsonl"),
    ...words(`--protocol completion --json --base-url ${document.url} --model run --out`),
    at("asked"),
  ]);
  expect(asked.code, asked.stderr).toBe(0);
  stop();
  expect((await ended).code).toBe(0);

  const compared = await run(["evaluate", at("run"), "--compare-with", at("asked"), "--json"]);
  const { agreement } = JSON.parse(compared.stdout);
  const reveals = 25 * 4 + 25 * 3;
  expect(agreement).toMatchObject({ reveals, compared: reveals });
  expect(agreement.differing.filter(({ margin }: { margin: number }) => margin >= 1e-4)).toEqual([]);
  expect(compared.code, compared.stderr).toBe(0);
  // Half trained: there are right and wrong answers, and they are as many as evaluate has counted.
  const right = results.reduce(
    (sum: number, each: { accuracy: number; reveals: number }) => sum + each.accuracy * each.reveals,
    0,
  );
  const [arm] = JSON.parse(asked.stdout).results.arms;
  expect(right / reveals).toBeGreaterThan(0.3);
  expect(right / reveals).toBeLessThan(0.98);
  expect(Math.abs(arm.correct - right)).toBeLessThanOrEqual(agreement.nearTies + 1e-6);

  const path = at("asked", "samples.jsonl");
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const changed = JSON.parse(lines[7]);
  changed.replies = ["="];
  writeFileSync(path, `${lines.with(7, JSON.stringify(changed)).join("\n")}\n`);
  const found = await run(["evaluate", at("run"), "--compare-with", at("asked")]);
  expect([found.code, found.stdout.split("\n").at(-1)], found.stderr).toEqual([
    1,
    expect.stringMatching(new RegExp(`^${changed.id} .*"=" `)),
  ]);
});

test("a port that is taken is named, with exit code 2", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo; // it listens on a port
  const { code, stderr } = await run(["serve", at("run"), "--port", String(port)]);
  taken.close();
  expect([code, stderr]).toEqual([2, expect.stringMatching(/port \d+, got "EADDRINUSE"\. .*--port 0/)]);
});

test("with a key from the environment only those who send it are served, and it is told nowhere", async () => {
  vi.stubEnv("SERVE_TEST_KEY", "a-key");
  const { stop, document, ended } = await serve(
    ...words("--api-key-env SERVE_TEST_KEY --name mine --context-length 50"),
  );
  expect(document).toMatchObject({ model: "mine", context: 50, step: 60 });
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${document.url}/models`, { headers })).status;
  expect([await status({}), await status({ authorization: "Bearer a-key" })]).toEqual([401, 200]);
  stop();
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain("a-key");
});

test("Ctrl-C ends it with exit code 130, whatever is under way", async () => {
  const { process: child, ended } = startStatelab(root, "serve run --port 0 --json");
  const [line] = await once(child.stdout!, "data"); // it is a pipe
  const { url } = JSON.parse(line);
  const body = { model: "run", prompt: ">>> a", max_tokens: 900_000, stream: true };
  const stream = await fetch(`${url}/completions`, { method: "POST", body: JSON.stringify(body) });
  child.kill("SIGINT");
  expect(await stream.text()).toContain('"stopping"');
  expect((await ended).code).toBe(130);
});

test("a served model's address judges replies as llm judge does, and reads no file for a client", async () => {
  const { stop, document, ended } = await serve();
  const judge = async (body: object) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${document.url}/judge`, {
      ...{ method: "POST", headers, body: JSON.stringify(body) },
    });
    return [response.status, await response.json()] as [number, Record<string, never>];
  };
  const benchmark = { bench: "parity", settings: ["programs=4"] };
  const asked = { benchmark, id: "function/output/parity_0" };
  const [[, { expected }]] = [await judge({ ...asked, reply: "?" })];
  expect(await judge({ ...asked, reply: `The answer is **${expected}**.` })).toMatchObject([
    200,
    { id: asked.id, verdict: "correct" },
  ]);
  expect(await judge({ ...asked, reply: `[ANSWER] ${1 - expected}` })).toMatchObject([
    200,
    { verdict: "wrong" },
  ]);
  expect(await judge({ ...asked, id: "x", reply: "1" })).toMatchObject([400, { error: {} }]);
  expect(await judge({ ...asked, reply: "1", other: 2 })).toMatchObject([400, { error: {} }]);
  const endless = { bench: "parity", settings: ["programs=2000000000"] };
  expect(await judge({ ...asked, benchmark: endless, reply: "1" })).toMatchObject([400, { error: {} }]);
  const [status, { error }] = await judge({
    ...asked,
    benchmark: { bench: "functions", data: "/etc/passwd" },
  });
  expect([status, (error as Error).message]).toEqual([400, expect.stringContaining("reads no files")]);
  stop();
  expect((await ended).code).toBe(0);
});
