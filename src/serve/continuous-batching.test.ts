import { expect, test } from "vitest";
import type { Decoder } from "../train/decoder.ts";
import { createEngine, type Sequence } from "./continuous-batching.ts";

/** A decoder that writes down what it was fed; its logits are the token and its place. */
function recorder(slots: number, chunk = 100) {
  const fed: string[] = [];
  const broken = { step: -1 };
  const decoder: Decoder = {
    ...{ slots, context: 100, vocabulary: 2, chunk, readsAhead: true },
    tokens: new Int32Array(slots),
    positions: new Int32Array(slots),
    clear(slot) {
      fed.push(`clear ${slot}`);
    },
    async step() {
      await new Promise(setImmediate);
      fed.push([...this.tokens].map((token, i) => `${token}@${this.positions[i]}`).join(" "));
      if (fed.length === broken.step) throw new Error("the device is gone");
      return Float32Array.from([...this.tokens].flatMap((token, i) => [token, this.positions[i]]));
    },
    async read(slot, tokens, position) {
      fed.push(`read ${slot}: ${tokens.join()}@${position}`);
      return Float32Array.from(tokens.flatMap((token, i) => [token, position + i]));
    },
    carried: () => ({}),
    release: async () => {},
  };
  return { decoder, fed, broken };
}

/** Reads its prompt, then generates token + 1, `made` times; logs what it saw. */
function counting(prompt: readonly number[], made: number, seen: string[] = []): Sequence {
  return {
    prompt,
    read([token, place], at) {
      seen.push(`${token}@${place}`);
      expect(place).toBe(at);
      return at + 1 < prompt.length + made ? token + 1 : undefined;
    },
  };
}

const never = new AbortController().signal;

test("a sequence is fed its prompt and then what it chooses, and sees the logits of each", async () => {
  const { decoder, fed } = recorder(1);
  const seen: string[] = [];
  await createEngine(decoder).run([counting([10, 20], 2, seen)], never);
  expect(fed).toEqual(["clear 0", "10@0", "20@1", "21@2", "22@3"]);
  expect(seen).toEqual(["10@0", "20@1", "21@2", "22@3"]);
});

test("a long prompt is read in chunks, one a step, and its last token is always stepped", async () => {
  const { decoder, fed } = recorder(2, 3);
  const [long, exact] = [[] as string[], [] as string[]];
  await createEngine(decoder).run(
    [counting([1, 2, 3, 4, 5, 6, 7, 8, 9], 1, long), counting([20, 21, 22], 1, exact)],
    never,
  );
  expect(fed).toEqual([
    "clear 0",
    "clear 1",
    ...["read 0: 1,2,3@0", "4@3 20@0", "read 0: 5,6,7@4", "8@7 21@1"],
    ...["9@8 22@2", "10@9 23@3"],
  ]);
  expect(long).toEqual(["1@0", "2@1", "3@2", "4@3", "5@4", "6@5", "7@6", "8@7", "9@8", "10@9"]);
  expect(exact).toEqual(["20@0", "21@1", "22@2", "23@3"]);
});

test("free slots go to the requests in turn", async () => {
  const { decoder, fed } = recorder(1);
  const engine = createEngine(decoder);
  const one = (token: number) => counting([token], 0);
  const ends: string[] = [];
  await Promise.all([
    engine.run([one(1), one(2), one(3)], never).then(() => ends.push("many")),
    engine.run([one(7)], never).then(() => ends.push("single")),
    engine.run([one(8), one(9)], never).then(() => ends.push("two")),
  ]);
  const order = fed.filter((line) => !line.startsWith("clear")).map((line) => Number(line.split("@")[0]));
  // The first has begun and queues again before the others arrive; from there on they take turns.
  expect(order).toEqual([1, 2, 7, 8, 3, 9]);
  expect(ends).toEqual(["single", "many", "two"]);
});

test("what a sequence throws ends its own request alone", async () => {
  const { decoder } = recorder(2);
  const engine = createEngine(decoder);
  const faulty: Sequence = {
    prompt: [1],
    read() {
      throw new Error("its own mistake");
    },
  };
  const seen: string[] = [];
  const ended = await Promise.allSettled([
    engine.run([faulty, counting([5], 50)], never),
    engine.run([counting([3], 3, seen)], never),
  ]);
  expect(ended).toMatchObject([
    { status: "rejected", reason: new Error("its own mistake") },
    { status: "fulfilled" },
  ]);
  expect(seen).toHaveLength(4);
  expect([engine.busy, engine.waiting]).toEqual([0, 0]);
});

test("a decoder that fails ends every request, those that wait too, and the next one is served", async () => {
  const { decoder, broken } = recorder(1);
  broken.step = 3;
  const engine = createEngine(decoder);
  const ended = await Promise.allSettled([
    engine.run([counting([1], 50)], never),
    engine.run([counting([2], 50)], never),
  ]);
  expect(ended.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const seen: string[] = [];
  await engine.run([counting([4], 1, seen)], never);
  expect(seen).toEqual(["4@0", "5@1"]);
});

test("a request that is aborted leaves the queue, or its slot, at once", async () => {
  const { decoder } = recorder(1);
  const engine = createEngine(decoder);
  const [running, waiting] = [new AbortController(), new AbortController()];
  const first = engine.run([counting([1], 1e9)], running.signal);
  const second = engine.run([counting([2], 1e9)], waiting.signal);
  waiting.abort(new Error("left"));
  await expect(second).rejects.toThrow("left");
  running.abort(new Error("left too"));
  await expect(first).rejects.toThrow("left too");
  await expect(engine.run([counting([1], 1)], running.signal)).rejects.toThrow("left too");
  const seen: string[] = [];
  await engine.run([counting([6], 0, seen)], never);
  expect(seen).toEqual(["6@0"]);
});
