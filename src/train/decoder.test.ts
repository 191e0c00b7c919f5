import { expect, test } from "vitest";
import { rngFrom } from "../math/rng.ts";
import {
  furthest,
  numbersOf,
  randomTokens,
  runParallel,
  runtime,
  small,
  varied,
} from "../models/conformance.test-helper.ts";
import { type ModelName, models } from "../models/index.ts";
import { type Decoder, keepsPast, openDecoder } from "./decoder.ts";

const own = (name: ModelName) => (name === "hybrid" ? { pattern: ["deltanet", "transformer"] } : {});

async function decoderOf(name: ModelName, slots: number, context: number) {
  const model = small(name, own(name));
  const tree = varied(model);
  return {
    model,
    tree,
    decoder: await openDecoder(model, { tree, data: numbersOf(tree) }, runtime, { slots, context }),
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
    expect(Math.max(...logits.flat(2))).toBeGreaterThan(0.5); // not all near 0, where anything agrees
    expect(furthest(got, logits)).toBeLessThan(1e-4);
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

test("what a Transformer reads in chunks, between steps, has the logits of the whole sequence, and the other slots are untouched", async () => {
  const tolerance = 1e-4;
  const { model, tree, decoder } = await decoderOf("transformer", 3, 200);
  const tokens = randomTokens(rngFrom(6), 3, 150); // past two changes of room
  const { logits } = await runParallel(model, tree, tokens);
  const { vocabulary, chunk } = decoder;
  const got: number[][][] = tokens.map(() => []);
  const keep = (slot: number, rows: Float32Array) => {
    for (let i = 0; i < rows.length; i += vocabulary) got[slot].push([...rows.subarray(i, i + vocabulary)]);
  };
  for (let now = 0; got.some((rows) => rows.length < 100); now++) {
    for (const slot of [0, 1]) // slot 2 is stepped alone
      if (now % 3 === slot && got[slot].length + chunk < 150)
        keep(
          slot,
          await decoder.read(
            slot,
            tokens[slot].slice(got[slot].length, got[slot].length + chunk),
            got[slot].length,
          ),
        );
    for (const [slot, row] of tokens.entries()) {
      decoder.positions[slot] = Math.min(got[slot].length, 149);
      decoder.tokens[slot] = row[decoder.positions[slot]];
    }
    const after = (await decoder.step()).slice();
    for (let slot = 0; slot < 3; slot++)
      if (got[slot].length < 150) keep(slot, after.subarray(slot * vocabulary, (slot + 1) * vocabulary));
  }
  for (const [slot, rows] of got.entries())
    expect(furthest([rows], [logits[slot].slice(0, rows.length)])).toBeLessThan(tolerance);
  await decoder.release();
});

test("models with a recurrent layer read one token at a time", async () => {
  for (const name of ["deltanet", "hybrid"] as const) {
    const { decoder } = await decoderOf(name, 1, 100);
    expect(decoder.readsAhead).toBe(false);
    await expect(decoder.read(0, new Array<number>(decoder.chunk).fill(1), 0)).rejects.toThrow(
      /whose layers all keep their past/,
    );
    await decoder.release();
  }
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

test("only the Transformer, and a hybrid with one in it, keeps its past", () => {
  const keeping = (Object.keys(models) as ModelName[]).filter((name) => keepsPast(small(name, own(name))));
  expect(keeping.sort()).toEqual(["hybrid", "transformer"]);
});

test("two steps at a time are refused", async () => {
  const { decoder } = await decoderOf("gru", 1, 4);
  const first = decoder.step();
  await expect(decoder.step()).rejects.toThrow("one step at a time");
  await first;
  await decoder.release();
});
