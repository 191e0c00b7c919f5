import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { metricLogs, parsed } from "./metric-log.ts";

const root = tmpFolder("metric-log");

const whole = (path: string, logs = metricLogs()) => {
  const { step, loss, runningAccuracy, stage } = logs(path)!;
  return [...step].map((each, i) => [each, loss[i], runningAccuracy[i], stage[i]]);
};

/** Each line as JSON. */
const slowly = (text: string) =>
  text
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => parsed(line) ?? [])
    .map(({ step, loss, runningAccuracy, stage }) => [
      step,
      Number(loss ?? Number.NaN),
      Number(runningAccuracy ?? Number.NaN),
      stage,
    ]);

const number = fc.oneof(fc.double({ noNaN: true }), fc.integer(), fc.constant(null));
const line = fc.oneof(
  fc
    .record({ step: fc.nat(), loss: number, accuracy: number, runningAccuracy: number, stage: fc.nat(9) })
    .map((record) => JSON.stringify({ ...record, learningRate: 0.1 })),
  fc.record({ stage: fc.nat(9), step: fc.nat(), loss: number }).map((record) => JSON.stringify(record)),
  fc.constantFrom(
    "",
    "{",
    '{"step":1,"loss":2',
    '{"step":1,"loss":2,"accuracy":0,"runningAccuracy":{},"stage":1}',
    '{"step":"x","loss":1,"accuracy":0,"runningAccuracy":0.5,"stage":1}',
    '{"step":3,"note":",\\"loss\\":9","loss":1,"runningAccuracy":0.5,"stage":1}',
    "null",
    "é",
  ),
);

test("whatever stands in a log, it is what its lines are as JSON, read at once or as it grows", () => {
  let file = 0;
  fc.assert(
    fc.property(fc.array(fc.array(line, { maxLength: 6 }), { maxLength: 4 }), fc.nat(20), (parts, cut) => {
      const path = join(root, `${file++}.jsonl`);
      writeFileSync(path, "");
      const logs = metricLogs();
      let text = "";
      for (const lines of parts) {
        const more = lines.map((each) => `${each}\n`).join("");
        // A line may be there in part when the log is read.
        for (const piece of [more.slice(0, cut), more.slice(cut)]) {
          appendFileSync(path, piece);
          text += piece;
          expect(whole(path, logs)).toEqual(slowly(text));
        }
      }
      expect(whole(path)).toEqual(slowly(text));
    }),
    { numRuns: 150, seed: 7 },
  );
});

test("a log that is shorter, or another file, is read anew; one that is gone is told", () => {
  const path = join(root, "changing.jsonl");
  const logs = metricLogs();
  const of = (steps: number[]) =>
    steps.map((step) => `${JSON.stringify({ step, loss: 1, stage: 0 })}\n`).join("");
  writeFileSync(path, of([1, 2, 3]));
  const steps = () => [...logs(path)!.step];
  expect(steps()).toEqual([1, 2, 3]);
  writeFileSync(path, of([7]));
  expect(steps()).toEqual([7]);
  writeFileSync(`${path}.new`, of([8, 9, 10, 11]));
  renameSync(`${path}.new`, path);
  expect(steps()).toEqual([8, 9, 10, 11]);
  rmSync(path);
  expect(logs(path)).toBeUndefined();
});

test("a line longer than what is read at once is a line", () => {
  const path = join(root, "long.jsonl");
  const long = JSON.stringify({ step: 2, loss: 1, stage: 0, note: "x".repeat(9 * 2 ** 20) });
  writeFileSync(path, `{"step":1,"loss":1,"stage":0}\n${long}\n{"step":3,"loss":1,"stage":0}\n`);
  expect([...metricLogs()(path)!.step]).toEqual([1, 2, 3]);
});

test("a log that is too long is refused in a sentence", () => {
  const path = join(root, "huge.jsonl");
  writeFileSync(path, "");
  truncateSync(path, 3 * 2 ** 30); // it takes no room on the disk
  expect(() => metricLogs()(path)).toThrow("huge.jsonl: expected a log of at most 500 MB, got 3072 MB");
});
