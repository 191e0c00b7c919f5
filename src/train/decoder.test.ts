import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import {
  furthest,
  parameterData,
  randomTokens,
  runParallel,
  runtime,
  small,
  varied,
} from "../models/conformance.test-helper.ts";
import { configureModel, type Model, type ModelName, models } from "../models/index.ts";
import { weightsOf } from "../models/naive.ts";
import { canExtend } from "../models/prefill.ts";
import { naive } from "../models/training.test-helper.ts";
import { type Decoder, keepsPast, openDecoder } from "./decoder.ts";

/** Fewer heads of keys, whose cache is smaller, and what depends on the position. */
const grouped = {
  ...{ heads: 4, keyValueHeads: 2, headWidth: 6, bias: true, queryKeyNorm: "head", normPosition: "after" },
  rotaryScaling: { kind: "dynamic", factor: 3, original: 4 },
};

/** A model of this name; of a layer that stands over others alone, one in which it does. */
function modelOf(name: ModelName): Model {
  if (name === "gmu") return small("hybrid", { pattern: ["deltanet", "gmu"] });
  if (name === "hybrid") return small(name, { pattern: ["deltanet", "transformer"] });
  return small(name, name === "transformer" ? grouped : {});
}

async function decoderOf(name: ModelName, slots: number, context: number) {
  const model = modelOf(name);
  const tree = varied(model);
  return {
    model,
    tree,
    decoder: await openDecoder(model, { tree, data: parameterData(tree) }, runtime, { slots, context }),
  };
}

/** Feeds sequence i to slot i from step `starts[i]` on; the logits after each of its tokens. */
async function decode(decoder: Decoder, tokens: number[][], starts: number[]): Promise<number[][][]> {
  const { vocabulary } = decoder;
  const read: number[][][] = tokens.map(() => []);
  const end = Math.max(...tokens.map((row, slot) => starts[slot] + row.length));
  for (let now = 0; now < end; now++) {
    for (const [slot, row] of tokens.entries()) {
      const at = now - starts[slot];
      if (at === 0) decoder.clear(slot);
      const busy = at >= 0 && at < row.length;
      decoder.tokens[slot] = busy ? row[at] : 3; // a slot that idles is fed something else
      decoder.positions[slot] = busy ? at : 0;
    }
    const logits = await decoder.step();
    for (const [slot, row] of tokens.entries()) {
      const at = now - starts[slot];
      if (at >= 0 && at < row.length)
        read[slot].push([...logits.subarray(slot * vocabulary, (slot + 1) * vocabulary)]);
    }
  }
  return read;
}

test.each(Object.keys(models) as ModelName[])(
  "%s: sequences that begin at different times in different slots have the logits of the whole sequence",
  async (name) => {
    const { model, tree, decoder } = await decoderOf(name, 3, 12);
    const tokens = randomTokens(rngFrom(4), 3, 12);
    const got = await decode(decoder, tokens, [0, 5, 2]);
    const { logits } = await runParallel(model, tree, tokens);
    const largest = Math.max(...logits.flat(2));
    expect(largest).toBeGreaterThan(0.5); // not all near 0, where anything agrees
    expect(furthest(got, logits)).toBeLessThan(1e-4 * Math.max(1, largest));
    await decoder.release();
  },
);

test.each(["deltanet", "transformer", "lstm", "mamba"] as const)(
  "%s: a sequence has the same logits, bit for bit, in every slot, beside anything",
  async (name) => {
    const { decoder } = await decoderOf(name, 5, 9);
    const [row, ...others] = randomTokens(rngFrom(5), 5, 9);
    const alone = (await decode(decoder, [row], [0]))[0];
    for (let slot = 0; slot < 5; slot++) {
      const tokens = others.toSpliced(slot, 0, row);
      const got = await decode(
        decoder,
        tokens,
        tokens.map((_, i) => (i === slot ? 4 : i % 3)),
      );
      expect(got[slot]).toEqual(alone);
    }
    await decoder.release();
  },
);

/** What float32 loses in 150 tokens: two orders of the same sums are as far apart. */
const tolerance = 2e-4;

const names = Object.keys(models) as ModelName[];

test.each(names.filter((name) => canExtend(modelOf(name))))(
  "%s: what is read in chunks, between steps, has the logits of the naive twin, and the other slots are untouched",
  async (name) => {
    const { model, tree, decoder } = await decoderOf(name, 3, 200);
    const length = keepsPast(model) ? 150 : 90; // past two changes of room
    const tokens = randomTokens(rngFrom(6), 3, length);
    const logits = tokens.map((row) => naive(model, weightsOf(tree), row));
    const { vocabulary, chunk } = decoder;
    const got: number[][][] = tokens.map(() => []);
    const keep = (slot: number, rows: Float32Array) => {
      for (let i = 0; i < rows.length; i += vocabulary) got[slot].push([...rows.subarray(i, i + vocabulary)]);
    };
    for (let now = 0; got.some((rows) => rows.length < length - 40); now++) {
      for (const slot of [0, 1]) // slot 2 is stepped alone
        if (now % 3 === slot && got[slot].length + chunk < length)
          keep(
            slot,
            await decoder.read(
              slot,
              tokens[slot].slice(got[slot].length, got[slot].length + chunk),
              got[slot].length,
            ),
          );
      for (const [slot, row] of tokens.entries()) {
        decoder.positions[slot] = Math.min(got[slot].length, length - 1);
        decoder.tokens[slot] = row[decoder.positions[slot]];
      }
      const after = (await decoder.step()).slice();
      for (let slot = 0; slot < 3; slot++)
        if (got[slot].length < length) keep(slot, after.subarray(slot * vocabulary, (slot + 1) * vocabulary));
    }
    for (const [slot, rows] of got.entries())
      expect(furthest([rows], [logits[slot].slice(0, rows.length)])).toBeLessThan(tolerance);
    await decoder.release();
  },
);

test.each([
  ["deltanet", {}],
  ["deltaproduct", { householders: 3, decay: true, convolution: 0 }],
  ["mlstm", { convolution: 1 }],
  ["mamba", { transition: "[0,1]" }],
  ["lstm", { convolution: 3 }],
  ["slstm", {}],
  ["hybrid", { pattern: ["lstm", "transformer"] }],
] as const)(
  "%s %j: a prompt of five chunks, of one token again and again, leaves what its steps leave",
  async (name, config) => {
    const model = small(name, config);
    const tree = varied(model);
    const opened = () =>
      openDecoder(model, { tree, data: parameterData(tree) }, runtime, { slots: 1, context: 400 });
    const [read, stepped] = [await opened(), await opened()];
    const prompt = Array.from({ length: 5 * read.chunk }, (_, i) => (i < 40 ? 3 : (i * 5) % 7));
    const logits: Float32Array[] = [];
    for (let at = 0; at < prompt.length; at += read.chunk)
      logits.push(await read.read(0, prompt.slice(at, at + read.chunk), at));
    const rows = logits.flatMap((each) => [...each]);
    const wanted: number[] = [];
    for (const [at, token] of prompt.entries()) {
      stepped.tokens[0] = token;
      stepped.positions[0] = at;
      wanted.push(...(await stepped.step()));
    }
    expect(furthest([[rows]], [[wanted]])).toBeLessThan(tolerance);
    for (let i = 0; i < 20; i++) {
      // what was left is seen by what comes next
      for (const each of [read, stepped]) [each.tokens[0], each.positions[0]] = [i % 11, prompt.length + i];
      expect(furthest([[[...(await read.step())]]], [[[...(await stepped.step())]]])).toBeLessThan(tolerance);
    }
    await Promise.all([read.release(), stepped.release()]);
  },
);

test("layers that go step by step are read ahead for few slots alone, a cache that is copied never", async () => {
  const readsAhead = async (model: Model, slots: number) => {
    const tree = varied(model);
    const decoder = await openDecoder(model, { tree, data: parameterData(tree) }, runtime, {
      slots,
      context: 50,
    });
    await decoder.release();
    return decoder.readsAhead;
  };
  for (const name of [
    "deltanet",
    "gated-deltanet",
    "deltaproduct",
    "mlstm",
    "transformer",
    "hybrid",
  ] as const)
    expect(await readsAhead(modelOf(name), 5), name).toBe(true);
  for (const name of ["lstm", "gru", "rnn", "slstm", "mamba"] as const)
    expect(await Promise.all([4, 5].map((slots) => readsAhead(small(name, {}), slots))), name).toEqual([
      true,
      false,
    ]);
  const { extend: _, ...copying } = models.transformer;
  const copies = configureModel(copying, { name: "transformer", layers: 1, width: 8 }, 11, "model");
  expect(await readsAhead(copies, 1)).toBe(false);
});

test("a Transformer's sequence has the same logits, bit for bit, beside one for which there is more room", async () => {
  const { decoder } = await decoderOf("transformer", 2, 300);
  const [row, long] = [...randomTokens(rngFrom(7), 1, 20), ...randomTokens(rngFrom(8), 1, 290)];
  const alone = (await decode(decoder, [row], [0]))[0];
  for (const start of [0, 60, 120, 250]) {
    const got = await decode(decoder, [row, long], [start, 0]);
    expect(got[0]).toEqual(alone);
  }
  await decoder.release();
});

test("all models but one, which changes the rows of its past, read prompts in chunks", async () => {
  expect(names.filter((name) => !canExtend(modelOf(name)))).toEqual(["path"]);
  const { decoder } = await decoderOf("path", 1, 40);
  await expect(decoder.read(0, new Array<number>(decoder.chunk).fill(0), 0)).rejects.toThrow(
    /can extend its past by rows/,
  );
  await decoder.release();
});

test("only attention, and a hybrid with it, keeps its past", () => {
  const keeping = (Object.keys(models) as ModelName[]).filter((name) => keepsPast(modelOf(name)));
  expect(keeping.sort()).toEqual(["fox", "hybrid", "path", "seqboat", "transformer"]);
});

test("two steps at a time are refused", async () => {
  const { decoder } = await decoderOf("gru", 1, 4);
  const first = decoder.step();
  await expect(decoder.step()).rejects.toThrow("one step at a time");
  await first;
  await decoder.release();
});
