import fc from "fast-check";
import { expect, test } from "vitest";
import { runSteps } from "../models/conformance.test-helper.ts";
import { parameterShapes } from "../models/index.ts";
import { RunConfig } from "../schemas/run-config.ts";
import {
  batchWriter,
  emptyBatch,
  exampleFrom,
  exampleStream,
  prepareTask,
  type TaskName,
  taskNamed,
  tokenizerNamed,
} from "../tasks/index.ts";
import { withData } from "../tensor/index.ts";
import {
  evaluate,
  evaluateReferences,
  exactSurprises,
  freshExamples,
  meanNats,
  summarize,
  type Test,
} from "./evaluate.ts";
import { repl, runtime, tinyConfig, withTrainer } from "./fixture.test-helper.ts";

/** @param tokens words or characters. */
function testOf(
  params: object,
  programs: number,
  name: TaskName = "repl",
  tokens: "word" | "character" = "word",
) {
  const prepared = prepareTask(taskNamed(name), params);
  const tokenizer = tokenizerNamed(tokens, prepared.words);
  return { prepared, tokenizer, stream: exampleStream(8, "test"), programs };
}

const textAt = ({ prepared, stream }: Test, place: number) => exampleFrom(prepared, stream(place)).text;

const spread = { variables: 2, commands: 4, spacing: [1, 4] };
/** A model that is half trained, so that it is sometimes right and sometimes wrong. */
const trained = await withTrainer(
  tinyConfig({ steps: 40, batch: 16, learningRate: 0.01 }),
  async (trainer) => {
    for await (const _ of trainer.steps());
    const { model, parameters, data } = trainer;
    return {
      model,
      data: parameters,
      tree: withData(parameterShapes(model), parameters),
      tokenizer: data.tokenizer,
    };
  },
);
const asking = (programs: number) => ({ ...testOf(spread, programs), tokenizer: trained.tokenizer });

test("worker threads change no answer, whatever the number of programs", async () => {
  for (const programs of [24, 25, 31]) {
    const by = (workers: number) =>
      evaluate(trained.model, trained, asking(programs), { ...runtime, workers }, 2);
    expect(await by(3)).toEqual(await by(1));
  }
});

test("hits and nats are those of the logits of the model stepped over each program's text, nats among all tokens and among values", async () => {
  const { model, tree, tokenizer } = trained;
  const asked = asking(12);
  const got = await evaluate(model, trained, asked, runtime, 5); // 12 = 5 + 5 + 2
  const { vocabulary, values } = got.surprises!;
  const ids = asked.prepared.values.map((value) => tokenizer.tokens.indexOf(value));
  const wanted: number[][] = [];
  for (const [i, place] of freshExamples(asked).entries()) {
    const { text, reveals } = exampleFrom(asked.prepared, asked.stream(place));
    const tokens = tokenizer.encode(text);
    const { logits } = await runSteps(model, tree, [tokens], tokens.length);
    const hits = reveals.map(({ start, value }, j) => {
      const now = logits[0][tokenizer.encode(text.slice(0, start)).length - 1];
      const shareAmong = (indices: readonly number[]) => {
        const total = indices.reduce((sum, id) => sum + Math.exp(now[id]), 0);
        return Math.exp(now[tokenizer.tokens.indexOf(value)]) / total;
      };
      expect(vocabulary[i][j]).toBeCloseTo(-Math.log(shareAmong([...now.keys()])), 4);
      expect(values[i][j]).toBeCloseTo(-Math.log(shareAmong(ids)), 4);
      return Number(tokenizer.decode([now.indexOf(Math.max(...now))]) === value);
    });
    wanted.push(hits);
  }
  expect(got.hits).toEqual(wanted);
  expect(new Set(wanted.flat())).toEqual(new Set([0, 1]));
  expect(values.map(({ length }) => length)).toEqual(wanted.map(({ length }) => length));
  expect(new Set(wanted.map(({ length }) => length))).toEqual(new Set([1, 4]));
  expect(await evaluate(model, trained, asked, runtime, 25)).toEqual(got);
  // Knowing that a value comes never costs anything, and of two values a guess costs ln 2.
  expect(meanNats(values)).toBeLessThan(meanNats(vocabulary));
  expect(meanNats(values)).toBeLessThan(Math.LN2 + 0.1);
});

test("programs are the first of the stream that are distinct and were not trained on", async () => {
  const config = tinyConfig({ steps: 6, batch: 16 });
  await withTrainer(config, async (trainer) => {
    for await (const _ of trainer.steps());
    const exclude = trainer.trained();
    const asked = { ...testOf({ variables: 2, commands: 4, spacing: 1 }, 30), exclude };
    const trained = new Set(
      Array.from({ length: 6 * 16 }, (_, i) => {
        const prepared = prepareTask(repl(), { variables: 2, commands: 4, spacing: 1 });
        return exampleFrom(
          { ...prepared, write: afterDraw(prepared.write) },
          exampleStream(config.seed, "train")(i),
        ).text;
      }),
    );
    const wanted: number[] = [];
    const seen = new Set(trained);
    for (let place = 0; place < 1000 && wanted.length < 30; place++) {
      const text = textAt(asked, place);
      if (!seen.has(text)) wanted.push(place);
      seen.add(text);
    }
    expect(trained.size).toBe(exclude.size);
    // There are 2 x 2^4 programs; trained on most of them, few are left.
    expect(wanted.length).toBeLessThan(30);
    expect(freshExamples(asked)).toEqual(wanted);
  });
});

test("where every program was trained on, a test ends with no programs and not with an error", async () => {
  const asked = { ...testOf({ length: 3 }, 1000, "parity"), exclude: new Set<number>() };
  const all = freshExamples(asked);
  expect(new Set(all.map((place) => textAt(asked, place))).size).toBe(8);
  const batch = emptyBatch(1, 3);
  const write = batchWriter(asked.prepared, asked.tokenizer);
  const hashes = all.map((place) => {
    write(batch, asked.stream, place);
    return batch.hashes[0];
  });
  const exclude = new Set(hashes.slice(1));
  expect(freshExamples({ ...asked, exclude })).toEqual([all[0]]);
  const nothing = { ...asked, exclude: new Set(hashes) };
  expect(freshExamples(nothing)).toEqual([]);
  expect(evaluateReferences(nothing).exactBayes).toMatchObject({ programs: 0, reveals: 0 });
  await withTrainer(
    RunConfig.parse({ task: { name: "parity", length: 3 }, model: { name: "lstm", width: 8 } }),
    async ({ model, parameters }) => {
      const tree = parameterShapes(model);
      const { programs, hits } = await evaluate(model, { tree, data: parameters }, nothing, runtime);
      expect({ programs, hits }).toEqual({ programs: 0, hits: [] });
    },
    undefined,
    { task: taskNamed("parity") },
  );
});

test("states are asked for at the word after which they hold, and a model that can learns them past its lengths", async () => {
  const config = RunConfig.parse({
    task: { name: "parity", length: 8, targets: "each" },
    model: { name: "deltanet", layers: 1, width: 16, heads: 2, betaMax: 2 },
    train: { steps: 120, batch: 24, learningRate: 0.02 },
  });
  await withTrainer(
    config,
    async (trainer) => {
      for await (const _ of trainer.steps());
      const { model, parameters } = trainer;
      const tree = withData(parameterShapes(model), parameters);
      const asked = testOf({ length: [3, 16], targets: "each" }, 10, "parity");
      const got = await evaluate(model, { tree, data: parameters }, asked, runtime, 4);
      const wanted: number[][] = [];
      for (const place of freshExamples(asked)) {
        const bits = Array.from(textAt(asked, place), Number);
        const { logits } = await runSteps(model, tree, [bits], bits.length);
        let parity = 0;
        wanted.push(
          bits.map((bit, at) => {
            parity ^= bit;
            const now = logits[0][at];
            return Number(now.indexOf(Math.max(...now)) === parity);
          }),
        );
      }
      expect(got.hits).toEqual(wanted);
      expect(got.accuracyByReveal.slice(0, 8)).toEqual(new Array(8).fill(1));
      expect(got.accuracy).toBeGreaterThan(0.9);
    },
    undefined,
    { task: taskNamed("parity") },
  );
});

test("the exact filter pays -ln of the posterior of what was revealed, and a task without chance has no such filter", () => {
  const params = { variables: 2, commands: 2, spacing: 1, probability: 0.25 };
  const asked = testOf(params, 20, "pfsa");
  const paid = exactSurprises(asked)!;
  for (const [i, place] of freshExamples(asked).entries()) {
    const { reveals, states } = exampleFrom(asked.prepared, asked.stream(place));
    let before = states[0].values;
    for (const [j, { variable, value }] of reveals.entries()) {
      // Of two variables one tells the other, so the state is known after every reveal, and swaps with 1/4.
      const share = before[variable] === value ? 0.75 : 0.25;
      expect(paid[i][j]).toBeCloseTo(-Math.log(share), 10);
      before = states[j + 1].values;
    }
  }
  expect(exactSurprises(testOf({}, 3))).toBeUndefined();
});

test("characters are counted by the first character of the value, as words are", async () => {
  const config = { ...tinyConfig({ steps: 1 }), tokenizer: "character" as const };
  await withTrainer(config, async ({ model, parameters }) => {
    const asked = testOf({ variables: 2, commands: 4, spacing: 2 }, 6, "repl", "character");
    const tree = parameterShapes(model);
    const { hits, programs, reveals } = await evaluate(model, { tree, data: parameters }, asked, runtime);
    expect([programs, reveals]).toEqual([6, 12]);
    expect(hits.map(({ length }) => length)).toEqual([2, 2, 2, 2, 2, 2]);
  });
});

test("accuracies are means over all reveals, the last ones, and those at each position", () => {
  const { hits: _, ...summary } = summarize([[1, 0, 1], [0], [1, 1]]);
  expect(summary).toEqual({
    programs: 3,
    reveals: 6,
    accuracy: 4 / 6,
    accuracyLast: 2 / 3,
    accuracyByReveal: [2 / 3, 1 / 2, 1],
  });
});

test("accuracies by reveal, weighted by how often each position occurs, add up to the accuracy", () => {
  const programs = fc.array(fc.array(fc.constantFrom(0, 0.5, 1), { minLength: 1, maxLength: 9 }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(programs, (hits) => {
      const { accuracy, accuracyByReveal, reveals } = summarize(hits);
      const counts = accuracyByReveal.map((_, i) => hits.filter(({ length }) => length > i).length);
      const total = accuracyByReveal.reduce((sum, each, i) => sum + each * counts[i], 0);
      expect(total / reveals).toBeCloseTo(accuracy, 10);
    }),
    { seed: 4 },
  );
});

test("references answer the very programs of the test", () => {
  const asked = testOf({ variables: 3, commands: 12, spacing: 4 }, 40);
  const { exactBayes, windowedBayes } = evaluateReferences(asked);
  expect(exactBayes).toMatchObject({ programs: 40, reveals: 120, accuracy: 1, accuracyLast: 1 });
  // The window of 8 commands holds the initial values at the first reveal only.
  expect(windowedBayes.accuracyByReveal[0]).toBe(1);
  expect(windowedBayes.accuracyByReveal[1]).toBeLessThan(1);
  expect(windowedBayes.accuracyLast).toBeLessThan(1);
});

/** The first draw of a training example chooses its variant, even where there is one. */
function afterDraw(write: ReturnType<typeof prepareTask>["write"]): typeof write {
  return (rng, sink) => {
    rng.below(1);
    write(rng, sink);
  };
}
