/** @file docs/reference/tasks.md: every task with an example, its parameters, its references and its source. */

import { applySettings } from "../../../src/core/settings.ts";
import { describedKeys } from "../../../src/schemas/described-keys.ts";
import {
  exampleFrom,
  exampleStream,
  prepareTask,
  type TaskName,
  taskNamed,
  tasks,
} from "../../../src/tasks/index.ts";
import { block, code, generated, headerOf, keyTable, sentence, sourceOf, table } from "./markdown.ts";

/** Settings that make a short example; the first number is the seed. */
const shown: Readonly<Partial<Record<TaskName, string>>> = {
  repl: "5 commands=4 spacing=2",
  asserts: "0 variables=3 commands=5 spacing=2",
  "group-words": "0 length=5",
  parity: "3 length=8",
  "modular-arithmetic": "4 length=9",
  recall: "1 length=8",
  "state-recall": "2 variables=3 commands=4 length=6",
  "time-travel": "2 commands=4 questions=3",
  mqar: "0 pairs=3 length=16 keys=9 values=9 fillers=9",
  "selective-copy": "0 items=3 length=8 kinds=5",
  tomita: "0 language=4 length=10",
  dyck: "1 length=12",
  pfsa: "1 commandKinds=[swap,maybe,either,hidden] commands=4 spacing=2",
  automaton: "1 commands=6 fullEvery=2",
  stutter: "1 of=group-words length=5 pauses=2",
  opaque: "0 of=parity length=4",
  "parity-program": "2 length=4",
  "list-permutation": "1 length=3",
  "arithmetic-program": "3 length=4",
  cells: "0",
  debugger: "4 lines=4 questions=3 calls=false",
  branches: "3 conditions=2 lines=1",
  api: "0 calls=5 blocks=0.4",
  "active-reveals": "0 prints=2",
};

const settingsOf = (name: TaskName) => (shown[name] ?? "0").split(" ");

/** What else a user needs to know. */
const notes: Partial<Record<TaskName, string>> = {
  "group-words":
    "The state after a word is (state before) · word, so the words apply from left to right. A permutation is named by the order that it brings 1, 2, 3 ... into.",
  pfsa: "Each reveal has its exact `posterior`. The excess loss is the loss of a model minus the loss of the exact Bayes filter.",
  automaton:
    'A custom automaton is an object with `states`, `start`, `actions` and `reveals`: `--set automaton="$(cat door.yaml)"`. [Belief](../concepts/belief.md) shows one.',
  tomita: table(
    ["language", "strings"],
    [
      ["1", "only 1s"],
      ["2", "10 repeated"],
      ["3", "no odd run of 1s before an odd run of 0s"],
      ["4", "no 000"],
      ["5", "even numbers of 0s and of 1s"],
      ["6", "as many 0s as 1s, modulo 3"],
      ["7", "0s, 1s, 0s, 1s, each any number"],
    ],
  ),
  cells: "The sessions are those of the [knapsack](../how-to/agents.md).",
};

export const tasksPage = () =>
  generated(
    "Tasks",
    "These are the tasks that `task.name` of a configuration can name, and that `statelab generate TASK` prints. Each example has a hidden state, and some values of it are asked. Your own task is a file: [add a task](../how-to/add-a-task.md).",
    "In most tasks the answer is part of the text. In others the question is at a word and the answer is not written, which the sections below note. The default loss, `revealed-values`, covers both, and `next-token` is refused for the second kind.",
    "A test skips examples that were trained on. A task of short texts may run out of others, so a result reports its number of programs.",
    "A range such as [3, 40] draws a number for each example, with equal probability. Ranges do not change the vocabulary, so stages and tests may have other ones.",
    "W is the number of commands that the windowed Bayes filter sees: twice the widest spacing in training, or in tasks with a length the longest trained length. [Baselines](../concepts/baselines.md) defines the references.",
    table(
      ["task", "what it is"],
      Object.entries(tasks).map(([name, { summary }]) => [`[${code(name)}](#${name})`, summary]),
    ),
    "## Data sets",
    "The task `data-set` trains on the rows of a folder, and tests on another split. The rows are made by `statelab generate --out`, or by you in the same [format](file-formats.md#data-sets).",
    "```yaml\ntask: { name: data-set, folder: data/swaps }\nevaluate: { settings: [{ split: test }] }\n```",
    "Rows of Statelab have the words, bounds and references of their task. Your own rows have no references. Their words are runs of letters, runs of spaces, and single other characters, and a reveal begins and ends with a word.",
    "The rows are not copied into the run: a change of the folder changes what `train --resume` and `evaluate` read.",
    ...(Object.keys(tasks) as TaskName[]).flatMap(section), // its keys
  );

function section(name: TaskName): string[] {
  const paragraphs = headerOf(sourceOf("tasks", name));
  const { text, asked } = exampleOf(name);
  const [seed, ...settings] = settingsOf(name);
  const call = [`statelab generate ${name} --count 1 --seed ${seed}`, ...settings].join(" --set ");
  const said = paragraphs.map((each) => each.replaceAll("\n", " "));
  const references = said.flatMap((each) => /References(?: are|:)(?:(?!Source:).)*/.exec(each) ?? []);
  const source = said.flatMap((each) => /Source: (.*)/.exec(each)?.[1] ?? []).at(-1);
  return [
    `## ${name}`,
    sentence(tasks[name].summary),
    block(`$ ${call}`),
    block(text),
    asked,
    keyTable(describedKeys(taskNamed(name).params), "parameter"),
    notes[name] ?? "",
    ...references.map((each) => each.trim()),
    `Source: ${source ?? sentence(tasks[name].source)}`,
  ];
}

function exampleOf(name: TaskName) {
  const [seed, ...settings] = settingsOf(name);
  const prepared = prepareTask(taskNamed(name), applySettings({}, settings));
  const { text, reveals } = exampleFrom(prepared, exampleStream(Number(seed), "train")(0));
  const values = reveals.map(({ value }) => code(value)).join(" ");
  const unwritten = reveals.every(({ start, end }) => start === end);
  return { text, asked: `${unwritten ? "Asked and not written" : "Asked"}: ${values}` };
}
