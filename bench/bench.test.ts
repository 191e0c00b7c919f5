import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { measure as decode } from "./decode.ts";
import { benchmarks } from "./index.ts";
import { failureReason, fitExponent, type LengthCell } from "./length.ts";
import { PROGRAMS, measure as padding } from "./padding.ts";
import { measure as serve } from "./serve.ts";
import { measure as supervision } from "./supervision.ts";

test("decode: every model is measured, and gives the same logits step by step as over the whole sequence", async () => {
  const sizes = { steps: 80, window: 20, warmUp: 5, length: 40, contexts: [96, 64] };
  const rows = [];
  for await (const row of decode(sizes, new AbortController().signal)) rows.push(row);
  expect(rows.map(({ model, context }) => [model, context])).toEqual([
    ["deltanet", null],
    ["lstm", null],
    ["mamba", null],
    ["transformer", 96],
    ["transformer", 64],
  ]);
  for (const { early, late, ratio, tokensPerSecond, again, againRatio, prompt } of rows) {
    expect(Math.min(prompt.alone.ofSteps, prompt.four.ofSteps, prompt.four.tokensPerSecond)).toBeGreaterThan(
      0,
    );
    expect(Math.min(early, late, again)).toBeGreaterThan(0);
    expect([ratio, tokensPerSecond, againRatio]).toEqual([late / early, 1000 / late, again / early]);
  }
});

test.each(Object.keys(PROGRAMS))(
  "padding, %s: each way is measured that its losses allow",
  async (programs) => {
    const sizes = { width: 16, batch: 2, steps: 3, warmUp: 1 };
    const { stage, batch, rows, pack } = await padding(
      programs,
      "transformer",
      sizes,
      new AbortController().signal,
    );
    expect(Math.min(stage, batch, rows ?? 1, pack ?? 1)).toBeGreaterThan(0);
    expect([rows, pack].includes(undefined)).toBe("stateSupervision" in PROGRAMS[programs]);
  },
);

test("serve: every number of clients is measured, and the times are in order", async () => {
  const rows = [];
  const sizes = { clients: [1, 3], seconds: 0.2, steps: 20, context: 160 };
  for await (const row of serve(sizes, new AbortController().signal)) rows.push(row);
  expect(rows.map(({ model, clients }) => `${model} ${clients}`)).toEqual([
    ...["deltanet 1", "deltanet 3", "transformer 1", "transformer 3"],
  ]);
  for (const { requestsPerSecond, p50, p99, ofDecoder } of rows) {
    expect(Math.min(requestsPerSecond, p50, ofDecoder)).toBeGreaterThan(0);
    expect(p99).toBeGreaterThanOrEqual(p50);
  }
});

test("supervision: a model is measured without supervision and with every head; the ratios are to the first", async () => {
  const sizes = { widths: [16], swaps: 2, batch: 2, steps: 3, warmUp: 1 };
  const rows = await supervision("transformer", 16, sizes, new AbortController().signal);
  expect(rows.map(({ head }) => head)).toEqual(["none", "linear", "decoder", "contrastive"]);
  for (const { milliseconds, ratio } of rows) {
    expect(milliseconds).toBeGreaterThan(0);
    expect(ratio).toBe(milliseconds / rows[0].milliseconds);
  }
});

const cells = (cost: (length: number) => number): LengthCell[] =>
  [256, 512, 2048].map((length) => ({ model: "m", length, seconds: cost(length), bytes: 1 }));

test("length: the exponent is that of one sequence's cost", () => {
  expect(fitExponent(cells((length) => 1e-3 * length))).toBeCloseTo(1, 10);
  expect(fitExponent(cells((length) => 5 * length ** 1.1))).toBeCloseTo(1.1, 10);
  const failed = { model: "m", length: 4096, failed: "SIGTERM" };
  expect(fitExponent([...cells((length) => length ** 2), failed])).toBeCloseTo(2, 10);
  expect(fitExponent(cells(() => 1).slice(1, 2))).toBeUndefined();
});

test("length: a failed process reports its error without the stack", () => {
  const said =
    "file:///lab/error.js:26\n  throw new LabError(at);\n  ^\n\nLabError: model: expected 8, got 9\n  at fail (error.js:26)";
  expect(failureReason(said)).toBe("model: expected 8, got 9");
  expect(failureReason("terminated")).toBeUndefined();
});

test("a benchmark is listed for every file that is one", () => {
  const files = readdirSync(new URL(".", import.meta.url)).filter((name) =>
    /^(?!index|main)[\w-]+\.ts$/.test(name),
  );
  expect(Object.keys(benchmarks).sort()).toEqual(files.map((name) => name.slice(0, -3)).sort());
});
