import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { rawRequest } from "../../../test/kit/http.ts";
import { stoppedRun, sweptRuns } from "../../../test/kit/runs.ts";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { readTar } from "../../schemas/formats/tar.ts";
import { StepRecord } from "../../schemas/run-config.ts";
import { readLog } from "../../storage/index.ts";
import { compareFolders } from "../compare/difference.ts";
import type { RunDetails, RunLine, Versus } from "./runs.ts";
import { type Studio, startStudio } from "./server.ts";
import { ortFiles } from "./site.ts";

const root = tmpFolder("studio");
const faults: unknown[] = [];
let studio: Studio;

beforeAll(async () => {
  await stoppedRun(join(root, "runs", "deltanet"));
  await sweptRuns(join(root, "runs", "sweep"));
  mkdirSync(join(root, "runs", "damaged"));
  writeFileSync(join(root, "runs", "damaged", "config.json"), "{");
  writeFileSync(join(root, "secret.txt"), "what nobody may read");
  const page = { type: "text/html", bytes: Buffer.from('<!doctype html><html lang="en"></html>') };
  studio = await startStudio({
    ...{ runs: join(root, "runs"), host: "127.0.0.1", port: 0, onFault: (error) => faults.push(error) },
    site: new Map([
      ["/", page],
      ["/index.html", page],
      ["/main.js", { type: "text/javascript", bytes: Buffer.from("1") }],
    ]),
  });
}, 60_000);
afterAll(async () => {
  await studio.close();
  expect(faults).toEqual([]);
});

test("ONNX Runtime of a package is compressed, and read as in a checkout", () => {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
  const plain = ortFiles(join(root, "none")).map(([name, read]) => [name, read()] as const);
  mkdirSync(join(root, "vendor"));
  for (const [name, bytes] of plain)
    writeFileSync(join(root, "vendor", `${name}.br`), brotliCompressSync(bytes, { params }));
  const packed = ortFiles(join(root, "vendor"));
  expect(
    packed.map(([name, read]) => [name, read().equals(plain[0][1]), read().equals(plain[1][1])]),
  ).toEqual([
    ["ort-wasm-simd-threaded.wasm", true, false],
    ["ort-wasm-simd-threaded.jspi.wasm", false, true],
  ]);
});

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  rawRequest(studio.url, { path, headers, method });

test("runs are listed with what they came to; one that cannot be read says why, and hides no other", async () => {
  const { status, text } = await get("/api/runs");
  expect(status).toBe(200);
  const { runs } = JSON.parse(text) as { runs: RunLine[] };
  const stopped = runs.find(({ name }) => name === "deltanet")!;
  expect(stopped).toMatchObject({ model: "deltanet", task: "repl", state: "stopped" }); // it has no exported model
  expect(stopped.step).toBeGreaterThan(0);
  expect(runs.find(({ name }) => name === "damaged")?.problem).toContain("config.json");
  expect(runs.filter(({ name }) => name.startsWith("sweep/")).length).toBeGreaterThan(1);
});

test("a run is told whole: its configuration, curves that lose no extreme, what it was asked", async () => {
  const { text } = await get("/api/run?name=deltanet");
  const run = JSON.parse(text) as RunDetails;
  expect(run.config.task.name).toBeTruthy();
  expect(run.curves.loss.length).toBeGreaterThan(1);
  for (const [, least, greatest] of run.curves.loss) expect(least).toBeLessThanOrEqual(greatest);
});

test.each([
  ["up out of the page", "/../secret.txt", {}, "GET", 404],
  ["up, encoded", "/%2e%2e/secret.txt", {}, "GET", 404],
  ["up, encoded twice", "/%252e%252e/secret.txt", {}, "GET", 404],
  ["up by backslashes", "/..\\..\\secret.txt", {}, "GET", 404],
  ["a path of slashes", "///", {}, "GET", 404],
  ["half a host", "//[", {}, "GET", 404],
  ["half an address", "http://[", {}, "GET", 400],
  ["a whole address", "http://127.0.0.1/../secret.txt", {}, "GET", 404],
  ["a byte that is no character", "/main.js%00.txt", {}, "GET", 404],
  ["a name of every object", "/api/toString", {}, "GET", 404],
  ["a run above the folder", "/api/run?name=../secret.txt", {}, "GET", 404],
  ["a folder above the folder", "/api/folder?name=..%2f", {}, "GET", 404],
  ["a name with a byte 0", "/api/folder?name=deltanet%00", {}, "GET", 404],
  ["a run by an absolute path", `/api/run?name=${encodeURIComponent(root)}`, {}, "GET", 404],
  ["another host, as after DNS rebinding", "/api/runs", { host: "evil.example" }, "GET", 403],
  ["a script of another page", "/api/runs", { origin: "http://evil.example" }, "GET", 403],
  ["a script of another port", "/api/runs", { origin: "http://127.0.0.1:1" }, "GET", 403],
  ["a page without an origin", "/api/runs", { origin: "null" }, "GET", 403],
  ["something written", "/api/runs", {}, "POST", 405],
  ["something deleted", "/api/run?name=deltanet", {}, "DELETE", 405],
])("refused: %s", async (_, path, headers, method, wanted) => {
  const { status, text } = await get(path, headers, method);
  expect(status).toBe(wanted);
  expect(text).not.toContain("what nobody may read");
  expect(JSON.parse(text).error).toMatch(/expected/);
});

test("a file of a run that is a link to elsewhere is not read, neither by its line nor whole nor as a tar", async () => {
  const run = join(root, "runs", "linked");
  mkdirSync(run);
  symlinkSync(join(root, "secret.txt"), join(run, "config.json"));
  const { runs } = JSON.parse((await get("/api/runs")).text) as { runs: RunLine[] };
  expect(runs.find(({ name }) => name === "linked")?.problem).toContain("expected no link out of its folder");
  for (const path of ["/api/run?name=linked", "/api/folder?name=linked"]) {
    const { status, text } = await get(path);
    expect([path, status]).toEqual([path, 422]);
    expect(text).not.toContain("what nobody may read");
  }
  rmSync(run, { recursive: true });
});

test("a run's configuration, log and newest checkpoint are handed to the page as a tar", async () => {
  const response = await fetch(new URL("api/folder?name=deltanet", studio.url));
  expect(response.status).toBe(200);
  const files = readTar(new Uint8Array(await response.arrayBuffer()), "deltanet");
  for (const [path, bytes] of files)
    expect(readFileSync(join(root, "runs", "deltanet", path)).equals(bytes)).toBe(true);
  expect([...files.keys()].filter((path) => path.endsWith("SHA256SUMS"))).toHaveLength(1);
});

test("two groups of runs are compared as `compare` does it, with paired intervals", async () => {
  const query = "first=sweep%2FbetaMax%3D1&second=sweep%2FbetaMax%3D2";
  const said = JSON.parse((await get(`/api/versus?${query}`)).text) as Versus;
  const folders = [1, 2].map((betaMax) => join(root, "runs", "sweep", `betaMax=${betaMax}`));
  const { comparisons } = await compareFolders(folders);
  const named = comparisons.map((each) => ({
    ...each,
    baseline: "sweep/betaMax=1",
    contender: "sweep/betaMax=2",
  }));
  expect(said.comparisons).toEqual(JSON.parse(JSON.stringify(named)));
  expect(said.comparisons[0].accuracy.uncertainty.kind).toBe("seeds");
  expect((await get("/api/versus?first=sweep&second=..")).status).toBe(404);
  expect((await get("/api/versus?first=deltanet&second=sweep%2FbetaMax%3D2")).status).toBe(422);
});

test("a report is handed over without scripts; only one that stands in or above a run", async () => {
  writeFileSync(join(root, "runs", "sweep", "report.html"), "<script>alert(1)</script>");
  const run = JSON.parse((await get("/api/run?name=sweep%2FbetaMax%3D1%2Fseed-0")).text) as RunDetails;
  expect(run.reports).toEqual(["sweep/report.html"]);
  const report = await get("/api/report?name=sweep%2Freport.html");
  expect(report.status).toBe(200);
  expect(report.headers["content-security-policy"]).toMatch(/default-src 'none'.*sandbox$/);
  for (const name of ["../secret.txt", "sweep/../../secret.txt", "deltanet/config.json", "/etc/passwd"])
    expect((await get(`/api/report?name=${encodeURIComponent(name)}`)).status).toBe(404);
});

test("a run whose curriculum stalled, or whose loss was no number, says so; where stages began is told", async () => {
  const run = join(root, "runs", "troubled");
  cpSync(join(root, "runs", "deltanet"), run, { recursive: true });
  const lines = readLog(join(run, "metrics.jsonl"), StepRecord);
  const written = (change: (record: { stage: number; loss: number | null }, i: number) => object) =>
    writeFileSync(
      join(run, "metrics.jsonl"),
      lines.map((each, i) => `${JSON.stringify({ ...each, ...change(each, i) })}\n`).join(""),
    );
  const read = async () => JSON.parse((await get("/api/run?name=troubled")).text) as RunDetails;
  written(() => ({ stage: 0 }));
  expect((await read()).trouble).toEqual([expect.stringMatching(/^curriculum stopped at stage 1 of 2/)]);
  written((_, i) => ({ stage: i < 5 ? 0 : 1, ...(i === 3 && { loss: null }) }));
  const { trouble, stageStarts } = await read();
  expect(trouble).toEqual(["diverged: the loss of step 4 is no number"]);
  expect(stageStarts).toEqual([6]);
  rmSync(run, { recursive: true });
});

test("every answer carries the policy, the page's and an error's alike", async () => {
  for (const path of ["/", "/main.js", "/nothing", "/api/runs"]) {
    const { headers } = await get(path);
    expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect(headers["x-content-type-options"]).toBe("nosniff");
  }
  expect((await get("/")).text).toContain('data-served="npx statelab studio ');
});

test("a request that is no HTTP ends its connection, not the server", async () => {
  const { hostname, port } = new URL(studio.url);
  await new Promise<void>((closed) => {
    const socket = connect(Number(port), hostname, () => socket.end("\u0000\u0001 garbage\r\n\r\n"));
    socket.on("error", () => {});
    socket.on("close", () => closed());
    socket.resume();
  });
  expect((await get("/")).status).toBe(200);
});

test("connections that ask for nothing shut nobody out", async () => {
  const { hostname, port } = new URL(studio.url);
  const idle = Array.from({ length: 250 }, () => connect(Number(port), hostname).on("error", () => {}));
  await Promise.all(idle.map((socket) => new Promise((made) => socket.once("connect", made))));
  expect((await get("/")).status).toBe(200);
  for (const socket of idle) socket.destroy();
});

// More tries: Linux lends a user 128 watchers, for all processes.
test("the event stream sends an event when a log grows, and every ten seconds", { retry: 2 }, async () => {
  vi.useFakeTimers({ toFake: ["setInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const response = await fetch(new URL("api/events", studio.url));
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const hear = async (event: string) => {
    for (let heard = ""; !heard.includes(`event: ${event}`); ) {
      const { value, done } = await reader.read();
      expect(done).toBe(false);
      heard += value;
    }
  };
  await hear("ready");
  appendFileSync(join(root, "runs", "deltanet", "metrics.jsonl"), "\n");
  await hear("changed");
  vi.advanceTimersByTime(10_000);
  await hear("changed");
  await reader.cancel();
});

test("another machine's address is refused in a sentence", async () => {
  const started = startStudio({ runs: root, host: "0.0.0.0", port: 0, onFault: () => {}, site: new Map() });
  await expect(started).rejects.toThrow("expected an address of this machine");
});
