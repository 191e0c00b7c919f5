/** @file Runs weights that are set by hand: a task of a thousand words, in float32, and the share of answers that are right. */

import { rngFrom } from "../core/rng.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed } from "../tasks/index.ts";
import { wordTokenizer } from "../tasks/tokenizer.ts";
import { flattenParameters, withData } from "../tensor/index.ts";
import { runParallel } from "./conformance.test-helper.ts";
import type { Construction } from "./constructions/construction.ts";
import { taskAutomaton } from "./constructions/task-automaton.ts";
import { configureModel, initialParameters, type Model, type ModelParameters, modelNamed } from "./index.ts";
import { subjects } from "./subjects.test-helper.ts";

/** Of the zoo's rows. */
export const WIDTH = 32;

export const allHeld = Object.entries(subjects).flatMap(([name, { constructions = [] }]) =>
  constructions.map((held) => ({ name, held, shown: JSON.stringify({ ...held.task, ...held.config }) })),
);

function preparedFor({ task }: Construction, length: number) {
  const { name, ...params } = task;
  return prepareTask(taskNamed(name), { ...params, length, targets: "each" });
}

/** The model with its weights set. @throws where a path or a shape is not the model's. */
export function setByHand(
  name: string,
  held: Construction,
  change: object = {},
): { model: Model; tree: ModelParameters } {
  const { words } = preparedFor(held, 1);
  const config = { name, layers: 1, width: WIDTH, ...held.config, ...change };
  const model = configureModel(modelNamed(name), config, words.length, "model");
  const fresh = initialParameters(model, rngFrom(0));
  const rows = held.set(WIDTH);
  const known = flattenParameters(fresh).map(([path]) => path);
  for (const path of Object.keys(rows)) if (!known.includes(path)) throw new Error(`${name} has no ${path}`);
  const data = flattenParameters(fresh).map(([path, { shape, data }]): [string, Float32Array] => {
    const isNorm = /(^|\.)(mixerNorm|feedForwardNorm|norm)$/.test(path);
    if (rows[path] === undefined) return [path, new Float32Array(data.length).fill(isNorm ? 1 : 0)];
    const set = Float32Array.from(rows[path].flat());
    if (set.length !== data.length)
      throw new Error(`${path} is ${shape.join(" by ")}, not ${set.length} numbers`);
    return [path, set];
  });
  return { model, tree: withData(fresh, Object.fromEntries(data)) };
}

/** The share of states that are the most probable word, over all words of `rows` examples of `length` words each. */
export async function accuracyOf(
  { model, tree }: { model: Model; tree: ModelParameters },
  held: Construction,
  length: number,
  rows = 2,
): Promise<number> {
  const prepared = preparedFor(held, length);
  const tokenizer = wordTokenizer(prepared.words);
  const stream = exampleStream(3, "held");
  const examples = Array.from({ length: rows }, (_, i) => exampleFrom(prepared, stream(i)));
  const tokens = examples.map(({ text }) => tokenizer.encode(text));
  const { logits } = await runParallel(model, tree, tokens);
  const right = examples.flatMap(({ reveals }, row) =>
    reveals.map(({ value }, at) => {
      const from = tokens[row].length - reveals.length; // positions before the first question
      const now = logits[row][from + at];
      return Number(tokenizer.tokens[now.indexOf(Math.max(...now))] === value);
    }),
  );
  return right.reduce((sum, each) => sum + each, 0) / right.length;
}

/** The same of words that are given, which the task may never draw; by `automatonOf`. Each row begins with <s> where the task has it. */
export async function accuracyOfWords(
  { model, tree }: { model: Model; tree: ModelParameters },
  held: Construction,
  rows: readonly (readonly number[])[],
): Promise<number> {
  const { next, wordOf } = taskAutomaton(held.task);
  const first = held.task.name === "group-words" ? [0] : [];
  const { logits } = await runParallel(
    model,
    tree,
    rows.map((row) => [...first, ...row]),
  );
  const right = rows.flatMap((row, i) => {
    let state = 0;
    return row.map((word, t) => {
      state = next(state, word);
      const now = logits[i][first.length + t];
      return Number(now.indexOf(Math.max(...now)) === wordOf(state));
    });
  });
  return right.reduce((sum, each) => sum + each, 0) / right.length;
}
