import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { contain, frameReader } from "./sandboxed-process.ts";

const nonce = "0123456789abcdef".repeat(2);
const limits = { wallSeconds: 10, residentBytes: 2 ** 31, outputBytes: 1000, frameBytes: 1000 };

/** A child of plain Node that runs `code` with `hello()` for the nonce and `say(text)` for the channel. */
function child(code: string) {
  const prelude =
    "const { readFileSync, writeSync } = require('fs'); const say = (text) => writeSync(3, text); const chunk = Buffer.alloc(4096);" +
    "const hello = () => JSON.parse(chunk.toString('utf8', 0, require('fs').readSync(0, chunk))).nonce;";
  const contained = contain({ file: process.execPath, args: ["-e", prelude + code], environment: {} });
  contained.send({ nonce: contained.nonce });
  return contained;
}

test("a frame is put together from any pieces, and what follows it begins the next", () => {
  const text = Buffer.from(`${nonce} ready 0\n${nonce} reply 5\na\nb\ncrest`);
  for (const size of [1, 2, 3, 7, 40, text.length]) {
    const reader = frameReader(nonce);
    const frames: string[] = [];
    for (let at = 0; at < text.length; at += size) {
      let read = reader(text.subarray(at, at + size), 100);
      for (; read?.kind === "frame"; read = reader(Buffer.alloc(0), 100))
        frames.push(`${read.frame.kind} ${read.frame.body}`);
      if (read !== undefined) frames.push(read.kind);
    }
    expect(frames).toEqual(["ready ", "reply a\nb\nc", ...frames.slice(2)]);
    expect(frames.slice(2).every((kind) => kind === "forged")).toBe(true); // "rest" is no head
    expect(frames.length).toBeGreaterThan(2);
  }
});

test.each([
  ["another nonce", `${"f".repeat(32)} reply 1\nx`],
  ["no frame at all", "passed\n"],
  ["a single wrong character", "z"],
  ["a head that never ends", `${nonce} ${"x".repeat(100)}`],
])("%s is a forgery", (_, text) => {
  expect(frameReader(nonce)(Buffer.from(text), 100)).toEqual({ kind: "forged" });
});

test("a frame longer than is allowed is refused by its head, before it came", () => {
  expect(frameReader(nonce)(Buffer.from(`${nonce} reply 101\n`), 100)).toEqual({ kind: "too long" });
});

test("a child that answers is heard, its output kept apart", async () => {
  const contained = child("console.log('words'); say(hello() + ' reply 2\\nok');");
  const heard = await contained.hear(limits);
  expect(heard).toMatchObject({ kind: "frame", frame: { kind: "reply", body: Buffer.from("ok") } });
  await contained.gone;
  expect(contained.takeOutput()).toBe("words\n");
});

test("two frames in one write are heard one after the other", async () => {
  const contained = child("const n = hello(); say(n + ' started 0\\n' + n + ' reply 2\\nok');");
  expect(await contained.hear(limits)).toMatchObject({ frame: { kind: "started" } });
  expect(await contained.hear(limits)).toMatchObject({ frame: { kind: "reply" } });
});

test.each([
  ["time", "for (;;);", { wallSeconds: 0.3 }],
  ["output", "for (;;) writeSync(1, 'x'.repeat(500));", {}],
  ["output", "for (;;) writeSync(2, 'x'.repeat(500));", {}],
  ["forged", "say('passed'); for (;;);", {}],
  ["result-size", "say(hello() + ' reply 5000\\n'); for (;;);", {}],
] as const)("a child is stopped for its %s: %s", async (stop, code, limit) => {
  const contained = child(code);
  const started = performance.now();
  expect(await contained.hear({ ...limits, ...limit })).toMatchObject({ kind: "stopped", stop });
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(() => process.kill(contained.pid, 0)).toThrow(/ESRCH/);
});

test.skipIf(process.platform !== "linux")("memory is watched over all that a child has started", async () => {
  const contained = child(
    "require('child_process').spawn(process.execPath, ['-e', 'globalThis.x = Buffer.alloc(300e6, 1); for (;;);']); for (;;);",
  );
  const heard = await contained.hear({ ...limits, residentBytes: 250e6 });
  expect(heard).toMatchObject({ kind: "stopped", stop: "memory" });
});

test("what a child leaves running dies with it", async () => {
  const contained = child(
    "const left = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e3)'], { stdio: 'inherit' });" +
      "console.log(left.pid); say(hello() + ' reply 0\\n'); setTimeout(() => process.exit(), 100);",
  );
  await contained.hear(limits);
  await contained.gone;
  const left = Number(contained.takeOutput());
  expect(left).toBeGreaterThan(0);
  await expect.poll(() => isAlive(left)).toBe(false);
});

/** A zombie is dead: it only waits to be reaped by its parent. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" && process.platform !== "linux"; // no /proc
  }
}

test("a child that ends without a word is told from one that was stopped", async () => {
  expect(await child("process.exit(7)").hear(limits)).toEqual({ kind: "ended", code: 7, killedBy: null });
});

test("a program that is not there ends at once, and says so", async () => {
  const contained = contain({ file: "/no/such/program", args: [], environment: {} });
  expect(await contained.hear(limits)).toMatchObject({ kind: "ended" });
  expect(contained.lastWords()).toMatch(/ENOENT/);
});

test("an abort kills the child and rejects with its reason", async () => {
  const contained = child("for (;;);");
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error("enough")), 100);
  await expect(contained.hear(limits, controller.signal)).rejects.toThrow("enough");
  expect(isAlive(contained.pid)).toBe(false);
});

test("a child that begins and forges in one write had begun", async () => {
  const contained = child("const n = hello(); say(n + ' started 0\\nforged');");
  expect(await contained.hear(limits)).toMatchObject({ kind: "stopped", stop: "forged", framesBefore: 1 });
  const silent = child("hello(); say('forged');");
  expect(await silent.hear(limits)).toMatchObject({ kind: "stopped", stop: "forged", framesBefore: 0 });
});
