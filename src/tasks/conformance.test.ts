import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { LabError } from "../core/error.ts";
import { sessionCode, taskChecks } from "./conformance/checks.ts";
import { wordsFrom } from "./example.ts";
import { goldenSettings } from "./golden.test-helper.ts";
import {
  batchWriter,
  type Example,
  emptyBatch,
  exampleFrom,
  exampleStream,
  maximumLength,
  prepareTask,
  type TaskName,
  taskNamed,
  taskParams,
  tasks,
} from "./index.ts";
import { hasPython, replay } from "./python-replay.test-helper.ts";
import { characterTokenizer, wordTokenizer } from "./tokenizer.ts";

const cases = (Object.keys(tasks) as TaskName[]).flatMap((name) =>
  goldenSettings(name).map((params) => ({
    name,
    params: JSON.stringify(params),
    prepared: prepareTask(taskNamed(name), params),
  })),
);

/** Tasks whose longest example is one of millions; of the first one variables come into being line by line. */
const growing = new Set<TaskName>(["arithmetic-program", "api"]);
const longTailed = new Set<TaskName>([...growing, "branches", "debugger"]);

/** Tasks of which a state need not hold all variables. */
const partial = new Set<TaskName>([...growing, "time-travel", "opaque", "debugger", "active-reveals"]);

/** Tasks whose answers are not determined by the text, without a hidden machine. Separate tests recompute their states. */
const undetermined = new Set<TaskName>(["debugger"]);

describe.each(cases)("$name $params", ({ name, prepared }) => {
  const written = prepared.asks !== "states";
  const draw = (seed: number, index: number) => exampleFrom(prepared, exampleStream(seed, "train")(index));
  let samples: readonly Example[]; // drawn where a test of this task runs
  beforeAll(() => {
    samples = Array.from({ length: 200 }, (_, i) => draw(1, i));
  });

  test.each(Object.entries(taskChecks))(
    "the check that users ask of their own tasks finds nothing: %s",
    (_, examine) => {
      expect(examine(prepared)).toBeUndefined();
    },
  );

  test("an example is a function of seed, split and index, and different ones differ", () => {
    expect(draw(1, 7)).toEqual(samples[7]);
    const others = [draw(1, 3), draw(1, 4), draw(1, 5), draw(2, 3), draw(2, 4)];
    expect(new Set(others.map((example) => example.text)).size).toBeGreaterThan(1);
    const other = exampleFrom(prepared, exampleStream(1, "test")(3));
    expect(exampleFrom(prepared, exampleStream(1, "test")(3))).toEqual(other);
  });

  test("reveals are in order, and each is about the last state before it", () => {
    const words = wordTokenizer(prepared.words);
    for (const { reveals, states } of samples.slice(0, 40)) {
      for (const reveal of reveals) {
        expect(states.findLast((state) => state.end <= reveal.start)).toBe(states[reveal.commands]);
        expect(words.encode(reveal.value).length).toBeGreaterThan(0);
      }
      expect(reveals).toEqual(reveals.toSorted((a, b) => a.start - b.start));
    }
  });

  test("states list the variables in their order, and all of them unless the task is partial", () => {
    for (const { values } of samples.slice(0, 40).flatMap(({ states }) => states)) {
      const named = prepared.variables.filter((name) => Object.hasOwn(values, name));
      expect(Object.keys(values)).toEqual(named);
      if (!partial.has(name)) expect(named).toEqual(prepared.variables);
    }
  });

  test("words and characters decode to the text", () => {
    const words = wordTokenizer(prepared.words);
    const characters = characterTokenizer(prepared.words);
    for (const [i, { text }] of samples.slice(0, 40).entries()) {
      const written = wordsFrom(prepared, exampleStream(1, "train")(i));
      expect(words.decode(written)).toBe(text);
      expect(characters.decode(characters.encode(text))).toBe(text);
      expect(characters.encode(text)).toHaveLength(text.length);
    }
  });

  test("no example is longer than the bound, and one of 200 reaches it", () => {
    const lengths = samples.map((_, i) => wordsFrom(prepared, exampleStream(1, "train")(i)).length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(prepared.maximumWords);
    if (longTailed.has(name)) return;
    expect(Math.max(...lengths)).toBe(prepared.maximumWords);
    if (prepared.maximumCharacters !== undefined) {
      expect(Math.max(...samples.map(({ text }) => text.length))).toBe(prepared.maximumCharacters);
    }
  });

  const tokenizers = (["word", "character"] as const).filter(
    (kind) => kind === "word" || written || prepared.values.every((value) => value.length === 1),
  );
  test.each(tokenizers)("typed arrays by %s say the same as the text", (kind) => {
    const tokenizer = kind === "word" ? wordTokenizer(prepared.words) : characterTokenizer(prepared.words);
    const length = maximumLength(prepared, tokenizer);
    const batch = emptyBatch(6, length);
    const write = batchWriter(prepared, tokenizer);
    write(batch, exampleStream(9, "train"), 50); // so that the second fill must clear what the first left
    write(batch, exampleStream(1, "train"), 10);
    for (let row = 0; row < 6; row++) {
      const { text, reveals } = samples[10 + row];
      const ids = tokenizer.encode(text);
      const used = written ? ids.length - 1 : ids.length;
      const slice = (all: ArrayLike<number>) => Array.from(all).slice(row * length, (row + 1) * length);
      const padding = new Array<number>(length - used).fill(0);
      const asked = reveals.map(({ start }) => tokenizer.encode(text.slice(0, start)).length - 1);
      const unwritten = new Array<number>(used).fill(0);
      for (const [i, at] of asked.entries()) [unwritten[at]] = tokenizer.encode(reveals[i].value);
      expect(batch.lengths[row]).toBe(used);
      expect(slice(batch.tokens)).toEqual([...ids.slice(0, used), ...padding]);
      expect(slice(batch.targets)).toEqual([...(written ? ids.slice(1) : unwritten), ...padding]);
      const range = [batch.revealStarts[row], batch.revealStarts[row + 1]] as const;
      const ends = Array.from(batch.revealEnds.slice(...range), (end) => end - row * length);
      const tokensAsked = asked.flatMap((at, i) => Array.from({ length: ends[i] - at }, (_, k) => at + k));
      expect(slice(batch.weights).flatMap((weight, t) => (weight === 1 ? [t] : []))).toEqual(tokensAsked);
      const positions = batch.revealPositions.slice(...range);
      expect(Array.from(positions, (at) => at - row * length)).toEqual(asked);
      const value = (at: number, i: number) =>
        tokenizer.decode(batch.targets.slice(at, row * length + ends[i]));
      expect(Array.from(positions, value)).toEqual(reveals.map(({ value }) => value));
    }
  });
});

test.skipIf(!hasPython)(
  "CPython finds every state anew from the text alone, where no chance hides it (skipped without python3)",
  () => {
    const certain = cases.filter(
      ({ name, prepared }) => prepared.posterior === undefined && !undetermined.has(name),
    );
    const drawn = certain.flatMap(({ name, params, prepared }) =>
      Array.from({ length: 6 }, (_, i) => ({
        example: exampleFrom(prepared, exampleStream(1, "train")(i)),
        task: name,
        params: taskParams(taskNamed(name), JSON.parse(params)),
      })),
    );
    const found = replay(
      drawn.flatMap(({ example: { text, states }, ...job }) =>
        states.map(({ end, values }) => ({
          ...job,
          text: sessionCode(text.slice(0, end)),
          names: Object.keys(values),
        })),
      ),
    );
    expect(found).toEqual(
      drawn.flatMap(({ example }) => example.states.map(({ values }) => Object.values(values))),
    );
  },
);

test.each(Object.keys(tasks) as TaskName[])("%s refuses any unknown parameter and takes {}", (name) => {
  const task = taskNamed(name);
  expect(() => prepareTask(task, {})).not.toThrow();
  const known = Object.keys(taskParams(task, {}) as object);
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (key) => {
      fc.pre(!known.includes(key) && key !== "__proto__");
      expect(() => prepareTask(task, { [key]: 1 })).toThrow(LabError);
    }),
  );
});

const fourKinds = { commandKinds: ["swap", "maybe", "either", "hidden"], fullEvery: 2 };
test.each([
  ["repl", {}, { commands: 50, spacing: [1, 50], reveal: "full", commandKind: "permutation" }],
  ["pfsa", {}, { commands: 5, spacing: [1, 2], probability: 0.125, start: "hidden" }],
  ["pfsa", {}, { commands: 5, spacing: 1, probability: 0.375, ...fourKinds }],
  ["group-words", { group: "S_3" }, { length: 500, generators: "swaps", targets: "last" }],
  ["group-words", { group: "S_5" }, { length: 1, generators: "swaps", targets: "last" }],
  ["recall", { addresses: 300 }, { length: 300 }],
] as const)("%s %j: a curriculum may change %j, the vocabulary stays", (name, fixed, changed) => {
  const words = (params: object) => prepareTask(taskNamed(name), { ...fixed, ...params }).words;
  expect(words(changed)).toEqual(words({}));
});

test("an unknown task is refused, and the nearest name is offered", () => {
  expect(() => taskNamed("rpel")).toThrow(
    'task: expected the name of a task, got "rpel". Did you mean repl?',
  );
  expect(() => taskNamed("toString")).toThrow('got "toString". See statelab list tasks');
});

/** By their terms, or by the words of their vocabulary. */
const limited: readonly TaskName[] = ["arithmetic-program", "recall", "state-recall"];

/** Tasks that can be asked of longer programs than they were trained on, by the field that says how long. */
const lengthened = (Object.keys(tasks) as TaskName[]).flatMap((name) => {
  const params = taskParams(taskNamed(name), {}) as Readonly<Record<string, unknown>>;
  return ["length", "commands"].flatMap((field) => {
    const value = params[field];
    const most = Array.isArray(value) ? Number(value[1]) : value;
    return !limited.includes(name) && Number.isFinite(most)
      ? [{ name, field, longer: { ...params, [field]: 4 * Number(most) } }]
      : [];
  });
});

test("there are many tasks that can be lengthened", () => {
  expect(lengthened.length).toBeGreaterThan(12);
});

test.each(lengthened)(
  "$name: what is known of a trained task's answers is told of programs of four times the $field, too",
  ({ name, longer }) => {
    const { references = {} } = prepareTask(taskNamed(name), {});
    const asked = prepareTask(taskNamed(name), longer);
    for (let i = 0; i < 20; i++) {
      const example = exampleFrom(asked, exampleStream(1, "test")(i));
      for (const [reference, of] of Object.entries(references)) {
        const shares = of(example);
        expect(shares.length, reference).toBe(example.reveals.length);
        for (const share of shares) expect(share >= 0 && share <= 1 + 1e-9, reference).toBe(true);
      }
    }
  },
);
