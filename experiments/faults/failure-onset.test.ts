import { expect, test } from "vitest";
import { locationScore } from "../../src/analysis/onset.ts";
import { hasPython, runPython } from "../../src/python/trace/python.test-helper.ts";
import { parseHistory } from "../../src/schemas/execution-trace.ts";
import { diagnosedCase, drawCase } from "./failure-onset.ts";

test.skipIf(!hasPython)(
  "of runs with a fault each the onset is found, which the first error and the last are not, and a replay from it recovers (skipped without python3)",
  () => {
    const cases = Array.from({ length: 40 }, (_, i) => drawCase(i, 1));
    const histories = runPython(
      cases.map(({ program }) => ({ operation: "history", source: program.source, call: "f()" })),
    ).map((answer, i) => parseHistory(answer, `run ${i}`));
    const found = cases.map((each, i) => diagnosedCase(each, histories[i]));
    const missed = found.flatMap(({ truth, onset }, i) =>
      truth === onset
        ? []
        : [[i, cases[i].run.deception, cases[i].style, cases[i].file, onset, truth].join(" ")],
    );
    const scoreOf = (method: "onset" | "firstError" | "lastError") =>
      locationScore(found.map((each) => ({ truth: each.truth, said: each[method] }))).f1;
    expect(missed.slice(3)).toEqual([]);
    expect(scoreOf("onset")).toBeGreaterThanOrEqual(0.95);
    expect(scoreOf("firstError")).toBeLessThan(0.8);
    expect(scoreOf("lastError")).toBeLessThan(0.3);
    const replayed = cases.flatMap(({ run }, i) =>
      found[i].recovered === null ? [] : [{ run, ...found[i] }],
    );
    // A policy that misreads each subtraction does so again: nothing else fails to recover.
    const failed = replayed.filter(({ recovered }) => recovered === false);
    expect(failed.filter(({ run }) => run.deception !== "reader")).toEqual([]);
    expect(failed.length / replayed.length).toBeLessThan(0.1);
  },
  180_000,
);
