import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { traceBenchmark } from "../../src/app/trace/benchmark.ts";
import { silent } from "../../src/core/progress.ts";
import { benchmarkRows, benchmarks } from "../../src/python/benchmarks/index.ts";
import { readMarkup, textOf, withClass } from "../../src/report/markup.test-helper.ts";
import { TracedRow } from "../../src/schemas/trace.ts";
import { readLog } from "../../src/storage/index.ts";
import { callStatelab, startStatelab, untilLonger } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const data = process.env.STATELAB_DATA ?? "../shared/data";
delete process.env.STATELAB_DATA; // what is imported below is in the folder of the commands
const original = resolve(data, "cruxeval", "cruxeval.jsonl");
const there = existsSync(original);
if (!there) console.warn(`skipped: no ${original}; STATELAB_DATA names the folder with the benchmarks`);

const root = tmpFolder("data");
/** `statelab ARGS` in a folder, in this process. */
function statelab(folder: string, ...args: readonly string[]) {
  process.chdir(folder);
  return callStatelab(args);
}

const slice = (count: number) =>
  benchmarkRows(benchmarks.cruxeval, readFileSync(original, "utf8"), original).slice(0, count);
const options = (out: string, signal = new AbortController().signal) => ({
  rows: slice(16),
  split: "test",
  filter: "none" as const,
  calls: "inline" as const,
  anonymous: false,
  maximumSteps: 10_000,
  wallSeconds: 30,
  jobs: 2,
  host: "embedded" as const,
  progress: silent,
  out,
  signal,
});

describe.skipIf(!there)("with the benchmark's file", () => {
  beforeAll(() => {
    mkdirSync(join(root, "data/cruxeval"), { recursive: true });
  });

  test("import keeps the published file and refuses every other", async () => {
    const other = await statelab(root, "data import mbpp", original);
    expect(other.code).toBe(3);
    expect(other.stderr).toMatch(
      /expected the published file of mbpp \(sha256 ccf64cea\w+\), got "8368b810\w+". That is the file of cruxeval/,
    );
    const { stdout } = await statelab(root, "data import cruxeval", original, "--json");
    const kept = join(root, JSON.parse(stdout).file);
    expect(readFileSync(kept)).toEqual(readFileSync(original));
  });

  test("16 calls are traced and proven; the rows of both files are the same", async () => {
    const out = join(root, "traces");
    const { coverage, written } = await traceBenchmark(benchmarks.cruxeval, options(out));
    expect(coverage).toMatchObject({
      programs: 16,
      calls: 16,
      traced: 16,
      proven: 16,
      samples: 16,
      excluded: [],
    });
    expect(written.files).toEqual([
      "traces.jsonl",
      "traces.parquet",
      "figures/steps.svg",
      "figures/codeCharacters.svg",
      "figures/stateCharacters.svg",
      "coverage.json",
      "README.md",
    ]);
    const bars = readMarkup(readFileSync(join(out, "figures/steps.svg"), "utf8"));
    const counted = withClass(bars, "dot").map((bar) => Number(/: (\d+) traces/.exec(textOf(bar))![1]));
    expect(counted.reduce((sum, count) => sum + count)).toBe(16);
    const rows = readLog(join(out, "traces.jsonl"), TracedRow);
    const bytes = readFileSync(join(out, "traces.parquet"));
    const columns = await parquetReadObjects({
      file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    });
    expect(
      columns.map(({ id, code, steps, lines }) => ({ id, code, steps, lines: JSON.parse(lines) })),
    ).toEqual(rows.map(({ id, trace: { code, steps, lines } }) => ({ id, code, steps, lines })));
    // What the benchmark expects of a call is what its trace gave; spaces are all that may differ.
    const bare = (text: string | null) => text?.replaceAll(/\s/g, "");
    for (const { expected, trace } of rows) expect(bare(trace.literal)).toBe(bare(expected));
    expect(readdirSync(out)).not.toContain("progress.jsonl");
  }, 120_000);

  test("stopped in the middle it goes on where it was, and the end is the same to the byte", async () => {
    const out = join(root, "stopped");
    const stop = new AbortController();
    const first = traceBenchmark(benchmarks.cruxeval, options(out, stop.signal));
    await untilLonger(join(out, "progress.jsonl"), 6);
    stop.abort();
    expect((await first).interrupted).toBe(true);
    const logged = readFileSync(join(out, "progress.jsonl"), "utf8").split("\n").length - 2;
    expect(logged).toBeGreaterThanOrEqual(5);
    expect(logged).toBeLessThan(16);
    expect(existsSync(join(out, "traces.jsonl"))).toBe(false);
    await traceBenchmark(benchmarks.cruxeval, options(out));
    const sum = (folder: string) =>
      createHash("sha256")
        .update(readFileSync(join(folder, "traces.jsonl")))
        .digest("hex");
    expect(sum(out)).toBe(sum(join(root, "traces")));
  }, 120_000);

  test("killed from outside it leaves its folder usable, and Ctrl-C says how to go on", async () => {
    const running = startStatelab(root, "data trace cruxeval --out killed --workers 1");
    await untilLonger(join(root, "killed/progress.jsonl"), 3);
    running.process.kill("SIGINT");
    const { code, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stderr).toContain("Run the same command again");
    expect(readdirSync(join(root, "killed"))).toEqual(["progress.jsonl"]);
  }, 120_000);
});

test.skipIf(!existsSync("/dev/zero"))(
  "a file without end is given up at the bound (skipped without /dev/zero)",
  async () => {
    const { code, stderr } = await statelab(root, "data import cruxeval /dev/zero");
    expect(stderr).toBe('statelab: /dev/zero: expected at most 268435456 bytes, got "more"');
    expect(code).toBe(3);
  },
);

describe("get", () => {
  let server: Server;
  let address = "";
  const requests: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(request.url ?? "");
      if (request.url === "/missing") response.writeHead(404).end("<html>");
      else if (request.url === "/cut") {
        response.writeHead(200, { "content-length": "1000" });
        response.write("abc");
        setTimeout(() => response.destroy(), 50);
      } else if (request.url === "/other") response.end("not the file");
      else if (there) response.end(readFileSync(original));
      else response.end("");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening: it has one
  });
  afterAll(() => server.close());

  test.skipIf(!there)("downloads, checks and keeps the file", async () => {
    const folder = join(root, "got");
    mkdirSync(folder);
    expect((await statelab(folder, `data get cruxeval --url ${address}/file`)).code).toBe(0);
    expect(readFileSync(join(folder, "data/cruxeval/cruxeval.jsonl"))).toEqual(readFileSync(original));
  });

  test.each([
    ["/missing", 5, "HTTP 404"],
    ["/cut", 5, "expected"],
    ["/other", 3, "expected the published file of cruxeval"],
  ])("%s keeps nothing and says why", async (path, wanted, words) => {
    const folder = mkdtempSync(join(root, "bad-"));
    const { code, stderr } = await statelab(folder, `data get cruxeval --url ${address}${path}`);
    expect(stderr).toContain(words);
    expect(code).toBe(wanted);
    expect(readdirSync(folder)).toEqual([]);
  });
});
