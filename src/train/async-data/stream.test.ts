import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSafetensors, encodeSafetensors } from "../../schemas/formats/safetensors.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { chosenSignal } from "../objectives/index.ts";
import { checkStream } from "../setup.ts";
import { decodeBlock, encodeBlock } from "./block.ts";
import { batchStaleness, lastBlock } from "./staleness.ts";

const natural = fc.integer({ min: 0, max: 50 });
const example = fc
  .record({
    words: fc.array(natural, { maxLength: 9 }),
    stateEnds: fc.array(natural, { maxLength: 4 }),
    states: fc.array(fc.integer({ min: -1, max: 9 }), { maxLength: 8 }),
  })
  .map(({ words, ...states }) => ({
    ...{ words: Int32Array.from(words), marks: Int32Array.from(words, (word) => word % 3) },
    ...states,
  }));
const weighed = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 12 }))
  .chain(([layers, positions]) => {
    const layer = <T>(of: fc.Arbitrary<T>) =>
      fc.array(fc.array(of, { minLength: positions, maxLength: positions }), {
        minLength: layers,
        maxLength: layers,
      });
    return fc.record({
      targets: layer(natural).map((all) => all.map((each) => Int32Array.from(each))),
      weights: layer(fc.oneof(fc.constant(0), fc.constant(-0), fc.float())).map((all) =>
        all.map((each) => Float32Array.from(each)),
      ),
      records: fc
        .dictionary(fc.constantFrom("reward", "entropy"), fc.double({ noNaN: true }))
        .map((found) => ({
          ...found,
        })),
    });
  });

test("a block comes out of its file bit for bit as it went in, zeros with their signs", () => {
  fc.assert(
    fc.property(
      fc.array(example, { minLength: 1, maxLength: 4 }),
      fc.option(weighed, { nil: undefined }),
      (examples, made) => {
        const content = { examples, ...(made && { weighed: made }) };
        const { tensors, ...about } = encodeBlock(content);
        const read = decodeSafetensors(encodeSafetensors(tensors), "block");
        const found = decodeBlock({ tensors: read.tensors, ...about });
        expect(found).toEqual(content);
        const bits = (layers: readonly Float32Array[] = []) =>
          layers.map((layer) => [...new Uint32Array(Float32Array.from(layer).buffer)]);
        expect(bits(found.weighed?.weights)).toEqual(bits(made?.weights));
      },
    ),
    { seed: 24, numRuns: 300 },
  );
});

test("no block may be begun that would be further ahead, or staler, than it may", () => {
  fc.assert(
    fc.property(
      fc.record({ taken: natural, lag: fc.integer({ min: 0, max: 1 }) }),
      fc.record({ prefetch: fc.integer({ min: 1, max: 20 }), maxStaleness: fc.integer({ min: 0, max: 20 }) }),
      fc.boolean(),
      fc.integer({ min: 1, max: 60 }),
      ({ taken, lag }, bounds, asksModel, steps) => {
        const weights = Math.max(0, taken - lag); // of the step at work there are none yet
        const last = lastBlock({ taken, weights }, bounds, { steps, asksModel });
        const allowed = (block: number) =>
          block <= steps &&
          block - taken <= bounds.prefetch &&
          (!asksModel || batchStaleness(block, weights) <= bounds.maxStaleness);
        for (let block = 1; block <= taken + 25; block++) expect(block <= last).toBe(allowed(block));
      },
    ),
    { seed: 24, numRuns: 500 },
  );
});

test.each([
  [{ curriculum: { stages: [[{}], [{}]] } }, "curriculum.stages: expected one stage with data.async"],
  [{ train: { padding: "bucket" } }, 'train.padding: expected "max" with data.async, got "bucket"'],
  [{ objective: "hint" }, "objective: expected one that does not depend on the current weights"],
  [{ mixture: { parts: [{}] } }, "data.mixture: expected none with data.async"],
])(
  "what is not known ahead of a step is refused: %j",
  ({ mixture, ...rest }: Record<string, unknown>, words) => {
    const config = (data: object) =>
      RunConfig.parse({
        task: { name: "parity" },
        model: { name: "lstm" },
        data: { mixture, ...data },
        ...rest,
      });
    const [streamed, plain] = [config({ async: {} }), config({})];
    expect(() => checkStream(streamed, chosenSignal(streamed))).toThrow(words);
    expect(() => checkStream(plain, chosenSignal(plain))).not.toThrow();
  },
);
