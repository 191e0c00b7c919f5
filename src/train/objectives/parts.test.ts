import fc from "fast-check";
import { expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import { prepareTask, taskNamed } from "../../tasks/index.ts";
import type { Sink } from "../../tasks/task.ts";
import { copy, selectiveCopy } from "./copy.ts";
import { namesWith, objectives } from "./index.ts";
import { infill } from "./infill.ts";
import { nextToken } from "./next-token.ts";
import type { ObjectiveForms, Part } from "./objective.ts";
import { NEW_WORDS, widened, wrapped } from "./part.ts";

const [COPY, FIND, HOLE] = [1000, 1001, 1002];
const newWords = { copy: COPY, find: FIND, hole: HOLE };

/** What is written, and which of it is asked for. */
function written<Params>(
  objective: Part<Params>,
  program: readonly number[],
  params: unknown = {},
  seed = 1,
) {
  const words: number[] = [];
  const asked: boolean[] = [];
  const put = (isAsked: boolean) => (index: number) => {
    words.push(index);
    asked.push(isAsked);
  };
  const own = objective.params.parse(params);
  objective.write(program, rngFrom(seed), { word: put(false), answer: put(true) }, newWords, own);
  return {
    words,
    asked,
    answers: words.filter((_, i) => asked[i]),
    most: objective.most(program.length, own),
  };
}

/** Programs with few words, so that pieces repeat. */
const programs = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 24 });

test("next token asks for all but the first, copy for the whole program once more", () => {
  expect(written(nextToken.part, [4, 5, 4])).toMatchObject({ words: [4, 5, 4], asked: [false, true, true] });
  expect(written(copy, [4, 5])).toMatchObject({ words: [4, 5, COPY, 4, 5], answers: [4, 5] });
});

test("selective copy asks for what stands behind words that stand there once, whatever the program", () => {
  fc.assert(
    fc.property(programs, fc.nat(), (program, seed) => {
      const { words, answers } = written(selectiveCopy, program, { pieces: 3, words: 2, before: 1 }, seed);
      expect(words.slice(0, program.length)).toEqual(program);
      const text = `,${program.join(",")},`;
      const pieces = words.slice(program.length).join(",").split(String(FIND)).slice(1);
      const found = pieces.flatMap((piece) => {
        const [question, answer] = piece.split(`,${COPY},`).map((part) => part.replace(/^,|,$/g, ""));
        const places = [...Array(text.length).keys()].filter((at) => text.startsWith(`,${question},`, at));
        expect(places).toHaveLength(1);
        expect(text.startsWith(`,${question},${answer},`, places[0])).toBe(true);
        return answer.split(",").map(Number);
      });
      expect(found).toEqual(answers);
    }),
    { numRuns: 200 },
  );
});

test("selective copy asks for nothing where no question tells one piece from another", () => {
  expect(written(selectiveCopy, [7, 7], { words: 2 }).answers).toEqual([]);
});

test("what infilling takes out, put back into the holes, is the program", () => {
  fc.assert(
    fc.property(programs, fc.nat(), (program, seed) => {
      const { words, asked } = written(infill, program, { share: 0.4, mean: 2 }, seed);
      const end = words.indexOf(COPY);
      const pieces: number[][] = [];
      for (let i = end + 1; i < words.length; i++) {
        expect(asked[i]).toBe(words[i] !== HOLE);
        if (words[i] === HOLE) pieces.push([]);
        else pieces.at(-1)?.push(words[i]);
      }
      expect(asked.slice(0, end + 1)).not.toContain(true);
      expect(pieces.every(({ length }) => length > 0)).toBe(true);
      const back = words.slice(0, end).flatMap((word) => (word === HOLE ? pieces.shift()! : [word])); // as many as holes
      expect(back).toEqual(program);
    }),
    { numRuns: 200 },
  );
});

test.each([
  [0.15, 3],
  [0.5, 1],
  [0.3, 8],
])("infilling takes out %d of the words, in pieces of %d in the mean", (share, mean) => {
  const program = Array.from({ length: 20_000 }, () => 1);
  const { words, answers } = written(infill, program, { share, mean });
  const holes = words.slice(0, words.indexOf(COPY)).filter((word) => word === HOLE).length;
  expect(Math.abs(answers.length / program.length - share)).toBeLessThan(0.03);
  expect(Math.abs(answers.length / holes / mean - 1)).toBeLessThan(0.1);
});

test.each(namesWith("part"))("%s writes no more words than it says", (name) => {
  const { part } = (objectives as Record<string, ObjectiveForms>)[name];
  fc.assert(
    fc.property(programs, fc.nat(), (program, seed) => {
      const { words, most } = written(part!, program, {}, seed);
      expect(words.length).toBeLessThanOrEqual(most);
    }),
    { numRuns: 100 },
  );
});

test("around a task, states stand where they stood in the program, and answers are named by their words", () => {
  const wide = widened(prepareTask(taskNamed("repl"), { variables: 2, commands: 2, spacing: 1 }));
  expect(wide.words.slice(-3)).toEqual(Object.values(NEW_WORDS));
  const prepared = wrapped(wide, copy, {});
  const record = (write: (sink: Sink) => void) => {
    const words: number[] = [];
    const states: number[] = [];
    const named: string[] = [];
    write({
      word: (index) => void words.push(index),
      reveal: (_, value) => void named.push(wide.values[value]),
      target: () => {},
      state: () => void states.push(words.length),
    });
    return { words, states, named };
  };
  const plain = record((sink) => wide.write(rngFrom(5), sink));
  const copied = record((sink) => prepared.write(rngFrom(5), sink));
  expect(copied.states).toEqual(plain.states);
  expect(copied.named).toEqual(plain.words.map((word) => wide.words[word]));
  expect(copied.words.length).toBe(2 * plain.words.length + 1);
});
