/**
 * @file A training within a part of an experiment's work: nothing is written, so that one may begin with the weights of another,
 * be asked at any step, and be one of many rates of which the best is taken.
 *
 *     const lesson = openLesson(config, { base });
 *     for await (const record of lesson.steps(300)) yield { done: record.step, of: 300 };
 *     await lesson.ask({}, 300)
 */

import { modelNamed, parameterShapes } from "../../src/models/index.ts";
import type { RunConfig, StepRecord } from "../../src/schemas/run-config.ts";
import { exampleStream, type Task, taskNamed } from "../../src/tasks/index.ts";
import type { Runtime } from "../../src/tensor/index.ts";
import { nodeRuntime } from "../../src/tensor/session-node.ts";
import { type Evaluation, evaluate, exactSurprises, meanNats, type Test } from "../../src/train/evaluate.ts";
import { setUp } from "../../src/train/setup.ts";
import { makeTrainer, type Trainer } from "../../src/train/trainer.ts";

export type Weights = Readonly<Record<string, Float32Array>>;
type Change = Readonly<Record<string, unknown>>;

export interface Lesson {
  readonly trainer: Trainer;
  readonly runtime: Runtime;
  /** Trains up to that step, or to the configured end. */
  steps(until?: number): AsyncGenerator<StepRecord, void>;
  /** Programs of the task as it is asked, none of which was trained on so far. */
  test(change: Change, programs: number): Test;
  ask(change: Change, programs: number): Promise<Answers>;
  /** By the present weights where no others are given. */
  evaluate(test: Test, weights?: Weights): Promise<Evaluation>;
  /** Copied. */
  weights(): Weights;
  release(): Promise<void>;
}

interface Answers extends Pick<Evaluation, "accuracy" | "accuracyLast"> {
  /** Mean nats of what is revealed, less what the exact filter pays on the same programs; absent where nothing is hidden by chance. */
  readonly above?: number;
}

interface LessonOptions {
  readonly base?: Weights | undefined;
  /** In place of the named one. */
  readonly task?: Task;
}

export function openLesson(config: RunConfig, { base, task }: LessonOptions = {}): Lesson {
  const runtime = nodeRuntime({ device: config.device === "cuda" ? "cuda" : "cpu", threads: config.threads });
  const parts = {
    task: task ?? taskNamed(config.task.name),
    architecture: modelNamed(config.model.name),
    ...{ runtime, now: () => performance.now() },
  };
  const trainer = makeTrainer(setUp(config, parts), { ...parts, base });
  const { model, data, parameters } = trainer;
  const test = (change: Change, programs: number): Test => ({
    prepared: data.variant(change, "test"),
    tokenizer: data.tokenizer,
    stream: exampleStream(config.seed, `test ${JSON.stringify(change)}`),
    programs,
    exclude: trainer.trained(),
  });
  const evaluated = (asked: Test, weights: Weights = parameters) =>
    evaluate(model, { tree: parameterShapes(model), data: weights }, asked, runtime);
  return {
    ...{ trainer, runtime, test, evaluate: evaluated },
    async *steps(until = config.train.steps) {
      if (trainer.state().step >= until) return;
      for await (const record of trainer.steps()) {
        yield record;
        if (record.step >= until) return;
      }
    },
    async ask(change, programs) {
      const asked = test(change, programs);
      const { accuracy, accuracyLast, surprises } = await evaluated(asked);
      const exact = exactSurprises(asked);
      return {
        ...{ accuracy, accuracyLast },
        ...(exact && surprises && { above: meanNats(surprises.vocabulary) - meanNats(exact) }),
      };
    },
    weights: () =>
      Object.fromEntries(Object.entries(parameters).map(([path, numbers]) => [path, numbers.slice()])),
    release: () => trainer.release(),
  };
}
