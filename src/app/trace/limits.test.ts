import { describe, expect, test } from "vitest";
import { findNative } from "../../python/sandbox/native.ts";
import { parseTrace, recordForFile } from "../../schemas/trace.ts";
import { recordHistory, traceCall } from "./call.ts";

const memory = {
  source: "def f():\n    kept = []\n    while True:\n        kept.append(bytearray(200_000_000))\n",
  call: "f()",
};
const time = {
  source: "def f():\n    i = 0\n    while True:\n        i += 1\n        sum(range(400_000 * i))\n",
  call: "f()",
};

const native = findNative().kind !== "missing";
/** The limit of time is that of either host: the one that starts faster. */
const host = native ? "native" : "embedded";

describe.each(["embedded", "native"] as const)("%s", (host) => {
  const skip = host === "native" && !native;

  test.skipIf(skip)(
    "a program that runs out of memory has the record of a trace, with the lines before that",
    async () => {
      const record = await traceCall({ ...memory, host });
      expect(parseTrace(JSON.parse(JSON.stringify(recordForFile(record))), "record")).toMatchObject({
        ...{ version: 1, ...memory, proven: false, result: null },
        reason: "the program used more memory than it may, line 4",
        python: { wordBits: host === "native" ? 64 : 32 },
      });
      expect(record.steps).toBe(record.lines.length);
      expect(record.lines.slice(0, 2).map(({ code }) => code)).toEqual([
        "kept = []",
        "kept.append(bytearray(200_000_000))",
      ]);
    },
    60_000,
  );

  test.skipIf(skip)(
    "a program that runs out of memory can be gone through up to there",
    async () => {
      const record = await recordHistory({ ...memory, host, maximumSteps: 20 });
      if ("stopped" in record) throw new Error(record.stopped);
      expect(record.reason).toBe("the program used more memory than it may");
      expect(record.events.length).toBeGreaterThan(6);
    },
    60_000,
  );
});

test("a program that runs out of time has the record of a trace, with lines before that", async () => {
  const record = await traceCall({ ...time, host, wallSeconds: 2 });
  expect(record).toMatchObject({ version: 1, ...time, proven: false });
  expect(record.reason).toMatch(
    /^the program ran for longer than 2 s; --timeout N gives it more, after line \d$/,
  );
  expect(record.lines[0].code).toBe("i = 0");
  expect(record.steps).toBe(record.lines.length);
}, 60_000);

test("a program of which not one line fits has the record of a trace without lines", async () => {
  const source = "sum(iter(int, 1))\ndef f(): return 1\n"; // a line without an end
  const record = await traceCall({ source, call: "f()", host, wallSeconds: 1 });
  expect(parseTrace(JSON.parse(JSON.stringify(recordForFile(record))), "record")).toMatchObject({
    ...{ version: 1, source, call: "f()", proven: false, lines: [] },
  });
  expect(record.reason).toContain("longer than 1 s");
}, 60_000);
