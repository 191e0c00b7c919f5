import { expect, test } from "vitest";
import { selected } from "../lib/interleave.ts";
import { type Measurement, measure, shapeName, standardConfigs } from "../train-step.ts";
import type { Contender } from "./baseline.ts";
import { prepareChild } from "./child.ts";
import { findJaxJs, hasPyTorch, jaxJs, pytorch } from "./contenders.ts";
import { benchmarkConfig, encodeProblem, makeProblem, modelNames, shapes } from "./problem.ts";
import { statelab } from "./statelab.ts";

const signal = new AbortController().signal;
const others: Contender[] = [
  ...(hasPyTorch() ? [pytorch] : []),
  ...(findJaxJs() === undefined ? [] : [jaxJs]),
];

test.skipIf(others.length === 0).each(modelNames)(
  "%s: independent engines have the same loss in each of the first three steps",
  async (model) => {
    const config = benchmarkConfig(model, 64, 2, 32);
    const { measured } = await measure(config, {
      json: true,
      signal,
      rounds: 1,
      contenders: [statelab, ...others],
    });
    const [ours, ...theirs] = measured;
    expect(theirs).toHaveLength(others.length);
    for (const { firstLosses } of theirs) {
      // The second and third loss hold gradients and optimizer against each other.
      for (const [step, loss] of firstLosses.entries()) {
        expect(Math.abs(loss / ours.firstLosses[step] - 1)).toBeLessThan(1e-4);
      }
      expect(firstLosses[2]).toBeLessThan(firstLosses[0] - 0.05);
    }
  },
  900_000, // torch.compile takes minutes
);

test("--only selects shapes, and names the nearest of one that is mistyped", () => {
  const chosen = (...only: string[]) => selected(standardConfigs, shapeName, only).map(shapeName);
  expect(chosen("lstm-64x24", "transformer-512x8")).toEqual(["lstm-64x24", "transformer-512x8"]);
  expect(() => chosen("lstm-64x42")).toThrow(/lstm-64x24/);
});

function scripted(name: string, loss: number, seconds: number[]): Contender {
  return {
    name,
    prepare: async () => ({
      firstLosses: [loss],
      variants: seconds.map((_, i) => `${i + 1} threads`),
      notes: "",
      run: async (variant, steps) => Array.from({ length: steps }, () => seconds[variant]),
      close: async () => {},
    }),
  };
}

const config = benchmarkConfig("transformer", 64, 1, 4);
const options = { json: true, signal, rounds: 4 };

test("a contender counts with its fastest variant", async () => {
  const contenders = [scripted("a", 3.5, [0.2, 0.1]), scripted("b", 3.5, [0.3, 0.4])];
  const { measured } = await measure(config, { ...options, contenders });
  const short = ({ contender, variant, seconds }: Measurement) => [contender, variant, seconds];
  expect(measured.map(short)).toEqual([
    ["a", "2 threads", 0.1],
    ["b", "1 threads", 0.3],
  ]);
});

test("a contender with another loss on the first step is refused", async () => {
  const contenders = [scripted("a", 3.5, [0.1]), scripted("b", 3.5 * (1 + 2e-4), [0.1])];
  await expect(measure(config, { ...options, contenders })).rejects.toThrow(/a's first loss 3\.5 from b/);
});

test("a contender that is not installed is left out, with the reason", async () => {
  const missing: Contender = { name: "b", prepare: async () => ({ skipped: "not installed" }) };
  const row = await measure(config, { ...options, contenders: [scripted("a", 3.5, [0.1]), missing] });
  expect(row.measured.map(({ contender }) => contender)).toEqual(["a"]);
  expect(row.skipped).toEqual({ b: "not installed" });
});

test("a child that dies is reported with what it said", async () => {
  const program = "console.error('out of luck'); process.exit(3)";
  const child = prepareChild("unlucky", makeProblem(config), process.execPath, () => ["-e", program]);
  await expect(child).rejects.toThrow(/unlucky.*exit 3: out of luck/);
});

test("a problem is a function of its seed, its targets are the tokens one later", () => {
  const { batch, weights } = makeProblem(config);
  expect(makeProblem(config)).toEqual({ config, batch, weights });
  expect(makeProblem(config, 2).batch).not.toEqual(batch);
  expect(batch.targets.subarray(0, 3)).toEqual(batch.tokens.subarray(1, 4));
});

test("the file's header covers its data without gaps", () => {
  const file = encodeProblem(makeProblem(config));
  const length = Number(new DataView(file.buffer).getBigUint64(0, true));
  const { __metadata__, ...tensors } = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length)));
  let end = 0;
  for (const { shape, data_offsets } of Object.values<{ shape: number[]; data_offsets: number[] }>(tensors)) {
    expect(data_offsets).toEqual([end, end + 4 * shape.reduce((product, n) => product * n, 1)]);
    end = data_offsets[1];
  }
  expect(8 + length + end).toBe(file.length);
  expect(Object.keys(tensors)).toEqual([...Object.keys(shapes(config)), "tokens", "targets"]);
  expect(JSON.parse(__metadata__.config)).toEqual(config);
});
