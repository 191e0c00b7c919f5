import fc from "fast-check";
import { expect, test } from "vitest";
import { CurriculumConfig } from "../schemas/run-config.ts";
import { advance, beginning, runningAccuracy, type StageProgress } from "./curriculum.ts";

const threeStages = (more: object = {}) =>
  CurriculumConfig.parse({ stages: [[{}], [{}, {}], [{}, {}, {}]], ...more });

type Answer = readonly [right: number, asked: number];

function progressOf(answers: readonly Answer[], config: CurriculumConfig): StageProgress[] {
  let progress = beginning;
  return answers.map(([right, asked]) => {
    progress = advance(progress, right, asked, config);
    return progress;
  });
}

const answers = fc.array(
  fc
    .integer({ min: 0, max: 40 })
    .chain((asked) => fc.tuple(fc.integer({ min: 0, max: asked }), fc.constant(asked))),
  { minLength: 1, maxLength: 120 },
);

test("stages are gone through one by one, never back and never past the last", () => {
  fc.assert(
    fc.property(
      answers,
      fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
      (given, maxStepsPerStage) => {
        let before = beginning;
        for (const now of progressOf(given, threeStages({ threshold: 0.6, maxStepsPerStage }))) {
          expect([before.stage, before.stage + 1]).toContain(now.stage);
          expect(now.stage).toBeLessThan(3);
          expect(now.stepsInStage).toBe(now.stage === before.stage ? before.stepsInStage + 1 : 0);
          expect(now.right).toBeLessThanOrEqual(now.asked);
          before = now;
        }
      },
    ),
    { seed: 1 },
  );
});

test("the running accuracy weighs an answer by e^(-answers since / averagingWindow), as a sum over the whole history does", () => {
  fc.assert(
    fc.property(answers, fc.integer({ min: 1, max: 200 }), (given, averagingWindow) => {
      const config = CurriculumConfig.parse({ averagingWindow }); // one stage: nothing is ever forgotten by moving on
      let since = 0;
      let [right, asked] = [0, 0];
      for (const [r, a] of given.toReversed()) {
        right += r * Math.exp(-since / averagingWindow);
        asked += a * Math.exp(-since / averagingWindow);
        since += a;
      }
      const last = progressOf(given, config).at(-1) as StageProgress; // one for each of at least one answer
      expect(last.asked).toBeCloseTo(asked, 6);
      expect(runningAccuracy(last)).toBeCloseTo(asked === 0 ? 0 : right / asked, 6);
    }),
    { seed: 2 },
  );
});

test("a stage is left at the first step that makes its accuracy high enough over enough answers", () => {
  const config = threeStages({ averagingWindow: 100, threshold: 0.9 });
  const perfect = Array.from({ length: 30 }, (): Answer => [10, 10]);
  const stages = progressOf(perfect, config).map(({ stage }) => stage);
  // Ten a step, each older ten worth e^-0.1 as much: 10 (1 - e^-0.1n) / (1 - e^-0.1) is 50 between n = 6 and 7.
  expect(stages.indexOf(1)).toBe(6);
  expect(stages.indexOf(2)).toBe(13);
  expect(stages.at(-1)).toBe(2);
});

test("below the accuracy the first stage lasts for ever, and at it, it does not", () => {
  const config = threeStages({ averagingWindow: 100, threshold: 0.9 });
  const answersAt = (right: number) => Array.from({ length: 200 }, (): Answer => [right, 20]);
  expect(progressOf(answersAt(17), config).at(-1)?.stage).toBe(0);
  expect(progressOf(answersAt(18), config).at(-1)?.stage).toBe(2);
});

test("a stage that is not mastered ends after maxStepsPerStage", () => {
  const stages = progressOf(
    Array.from({ length: 12 }, (): Answer => [0, 20]),
    threeStages({ maxStepsPerStage: 4 }),
  ).map(({ stage }) => stage);
  expect(stages).toEqual([0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
});

test("what was answered in a stage does not count in the next", () => {
  const [moved] = progressOf([[100, 100]], threeStages({ averagingWindow: 100 }));
  expect(moved).toEqual({ stage: 1, stepsInStage: 0, asked: 0, right: 0 });
  expect(runningAccuracy(moved)).toBe(0);
});
