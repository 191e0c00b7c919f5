/** @file Packed sessions in one row, compared with the same sessions in separate rows. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { compile } from "../tensor/index.ts";
import { gradientName, trainingGraph } from "../train/graph.ts";
import {
  furthest,
  parallelRunner,
  parameterData,
  type Run,
  randomTokens,
  runParallel,
  runtime,
  small,
  varied,
  vocabulary,
} from "./conformance.test-helper.ts";
import { type MixerName, type Model, mixers } from "./index.ts";
import { refuseUnpacked } from "./stack.ts";
import { casesToTest } from "./subjects.test-helper.ts";
import { shortest } from "./training.test-helper.ts";

const packs = ({ mixers }: Model) => mixers.every(({ mixer }) => mixer.packs);
const packing = casesToTest.filter(({ model }) => packs(model));
const others = casesToTest.filter(({ model }) => !packs(model));

/** Rows of sessions by their lengths: shorter and longer than a chunk, of one token, up to the end of a row and not. */
const ROWS = [[3, 41, 1, 9, 17], [33, 31, 5], [70]];
const LENGTH = 71;

interface Session {
  readonly row: number;
  readonly start: number;
  readonly tokens: readonly number[];
}

function drawn(seed: number) {
  const rng = rngFrom(seed);
  const sessions = ROWS.flatMap((lengths, row) =>
    lengths.map((own, i): Session => {
      const start = lengths.slice(0, i).reduce((sum, each) => sum + each, 0);
      return { row, start, tokens: randomTokens(rng, 1, own)[0] };
    }),
  );
  return { sessions, ...packed(sessions) };
}

function packed(sessions: readonly Session[]) {
  const [tokens, fresh] = [0, 0].map((fill) => ROWS.map(() => new Array<number>(LENGTH).fill(fill)));
  for (const session of sessions) {
    fresh[session.row][session.start] = 1;
    for (const [t, token] of session.tokens.entries()) tokens[session.row][session.start + t] = token;
  }
  return { tokens, fresh };
}

/** Every session in a separate row, as long as the packed rows. */
const apart = (sessions: readonly Session[]) =>
  sessions.map(({ tokens }) => [...tokens, ...new Array<number>(LENGTH - tokens.length).fill(0)]);

/** The length of the difference over that of what is wanted, or over 1 where that is less. */
const apartBy = (got: readonly number[], wanted: readonly number[]) =>
  Math.hypot(...got.map((each, i) => each - wanted[i])) / Math.max(1, Math.hypot(...wanted));

test("those that pack are these, and hybrids of them", () => {
  const names = new Set(packing.map(({ name }) => name));
  const refused = Object.keys(mixers).filter((name) => !names.has(name as MixerName));
  expect(refused.sort()).toEqual(["cached", "gmu", "lact", "log-linear", "long-convolution"]); // a gmu needs a layer below
});

describe.each(packing)("$name $shown", ({ name, model, config, shown }) => {
  const tree = varied(model);
  const { sessions, tokens, fresh } = drawn(1);
  let runner: Awaited<ReturnType<typeof parallelRunner>>;
  let together: Run;
  beforeAll(async () => {
    runner = await parallelRunner(model, tree, ROWS.length, LENGTH, { fresh, taps: true });
    together = await runner.run(tokens);
  });
  afterAll(() => runner.release());

  test("a session of a packed row has the logits and taps that it has alone", async () => {
    const alone = await runParallel(model, tree, apart(sessions), { taps: true });
    for (const [i, { row, start, tokens: own }] of sessions.entries()) {
      const got = together.logits[row].slice(start, start + own.length);
      expect(apartBy(got.flat(), alone.logits[i].slice(0, own.length).flat()), `session ${i}`).toBeLessThan(
        2e-5, // gka rounds by so much
      );
      for (const [tap, { shape, data }] of Object.entries(together.taps)) {
        const width = shape.slice(2).reduce((product, each) => product * each, 1);
        const at = (values: Float32Array, from: number) => [
          ...values.subarray(from * width, (from + own.length) * width),
        ];
        const wanted = at(alone.taps[tap].data, i * LENGTH);
        expect(apartBy(at(data, row * LENGTH + start), wanted), `${tap}, session ${i}`).toBeLessThan(2e-5);
      }
    }
  });

  const isFirst = packing.find((each) => each.name === name)?.shown === shown;
  test.runIf(isFirst)(
    "the tokens of one session change no bit of another, and without a border they do",
    async () => {
      const changed = sessions.map((session, i) =>
        i === 1 ? { ...session, tokens: session.tokens.map((token) => (token + 1) % vocabulary) } : session,
      );
      const after = await runner.run(packed(changed).tokens);
      for (const [i, { row, start, tokens: own }] of sessions.entries()) {
        const of = ({ logits }: Run) => logits[row].slice(start, start + own.length);
        if (i === 1) expect(furthest(of(after), of(together))).toBeGreaterThan(1e-2);
        else expect(of(after), `session ${i}`).toEqual(of(together));
      }
      const without = await parallelRunner(model, tree, ROWS.length, LENGTH);
      const seen = [await without.run(tokens), await without.run(packed(changed).tokens)];
      await without.release();
      const next = sessions[2];
      expect(
        furthest(seen[0].logits[next.row][next.start], seen[1].logits[next.row][next.start]),
      ).toBeGreaterThan(1e-4);
    },
  );

  test("the loss and every gradient are those of the sessions in rows of their own", async () => {
    const least = shortest(name, config);
    const numbers = parameterData(varied(least));
    const rng = rngFrom(2);
    const targets = sessions.map(({ tokens: own }) => own.map(() => rng.below(vocabulary)));
    const weights = sessions.map(({ tokens: own }) => own.map(() => rng.below(3)));
    const put = (values: readonly (readonly number[])[], inRows: boolean) => {
      const rows = Array.from({ length: inRows ? ROWS.length : sessions.length }, () =>
        new Array<number>(LENGTH).fill(0),
      );
      for (const [i, { row, start }] of sessions.entries())
        for (const [t, each] of values[i].entries()) rows[inRows ? row : i][inRows ? start + t : t] = each;
      return rows.flat();
    };
    const run = async (inRows: boolean) => {
      const count = inRows ? ROWS.length : sessions.length;
      const { graph, outputs } = trainingGraph(least, count, LENGTH, undefined, undefined, {
        packed: inRows,
      });
      const compiled = await compile(graph, outputs, runtime);
      const results = await compiled.run({
        ...numbers,
        tokens: Int32Array.from((inRows ? tokens : apart(sessions)).flat()),
        targets: Int32Array.from(put(targets, inRows)),
        weights: Float32Array.from(put(weights, inRows)),
        ...(inRows && { fresh: Int32Array.from(fresh.flat()) }),
      });
      await compiled.release();
      return results;
    };
    const [together, alone] = [await run(true), await run(false)];
    expect(Math.abs(Number(together.loss[0]) - Number(alone.loss[0]))).toBeLessThan(1e-5);
    for (const path of Object.keys(numbers)) {
      const [got, wanted] = [together, alone].map((each) => [...(each[gradientName(path)] as Float32Array)]);
      const [length, apart] = [Math.hypot(...wanted), Math.hypot(...got.map((each, i) => each - wanted[i]))];
      expect(length, path).toBeGreaterThan(1e-6);
      // With weights of order 1 another order of operations moves the gradients of the gated delta rule by 2.9e-5 in float32.
      expect(apart, path).toBeLessThan(5e-5 * length + 1e-6);
    }
  });
});

test.each(others)(
  "$name $shown sees over the border of a session, and is refused in one sentence",
  ({ model }) => {
    const { mixer } = model.mixers.find((each) => !each.mixer.packs)!; // there is one in each of these
    expect(() => refuseUnpacked(model, "train.packedLength")).toThrow(
      `train.packedLength: expected mixers that reset at each session (\`packs\`, docs/reference/models.md), got "${mixer.name}". ${mixer.unpacked} Remove it; each session then has a separate row`,
    );
  },
);

test("a session begins from zeros: a trained start is refused", async () => {
  const model = small("lstm", { initialState: "trained" });
  const { tokens, fresh } = drawn(3);
  await expect(runParallel(model, varied(model), tokens, { fresh })).rejects.toThrow(
    'fresh: expected model.initialState: "zeros", from which each session of a row begins, got "trained"',
  );
  const prefixed = small("transformer", { initialState: "trained" });
  await expect(runParallel(prefixed, varied(prefixed), tokens, { fresh })).rejects.toThrow(
    /^fresh: expected model\.initialState/,
  );
});
