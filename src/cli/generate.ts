/** @file statelab generate: examples of a task with their true states, to stdout or as a data set. */

import { once } from "node:events";
import { generation, writeGeneration } from "../app/generate.ts";
import { fail } from "../core/error.ts";
import { shellWord } from "../core/format.ts";
import { itemsInTurns } from "../core/rotations.ts";
import type { Example } from "../tasks/index.ts";
import { defineCommand } from "./lib/command.ts";
import { flag, group, seedOption } from "./lib/flags.ts";
import { progressOn } from "./lib/progress.ts";

export const command = defineCommand({
  name: "generate",
  summary: "print or save examples of a task",
  usage: "generate TASK [OPTIONS], or generate --task FILE [OPTIONS]",
  positionals: { least: 0, most: 1 },
  options: {
    ...group("What to generate", {
      task: flag.text("FILE", "use your own task file"),
      set: flag.texts("KEY=VALUE", "change the task, e.g. variables=5; may be repeated"),
      count: flag.integer("N", "number of examples", { default: 10, least: 0 }),
      seed: seedOption,
      split: flag.text("NAME", "name of the split; no two splits share examples", { default: "train" }),
    }),
    ...group("Data set", {
      out: flag.text("DIR", "write a data set [JSON lines on stdout]"),
      overwrite: flag.toggle("replace an existing split"),
      format: flag.choice("FORMAT", "jsonl or parquet", ["jsonl", "parquet"], { default: "jsonl" }),
      tokenizer: flag.choice("KIND", "word or character", ["word", "character"], { default: "word" }),
    }),
  },
  examples: [
    "generate repl --count 3 --seed 7",
    "generate repl --set variables=5 --set 'spacing=[1, 4]' --count 100000 --out data/s5",
    "generate --task ./mine.ts --count 3",
  ],
  notes:
    "Writes SPLIT.jsonl or SPLIT.parquet, tokenizer.json, config.json and README.md (a data card). An example depends only on its index, the task, the seed and the split.\n" +
    "More: docs/how-to/add-a-task.md. Names of tasks: statelab list tasks",

  async run({ positionals, values, json, print, say, signal }) {
    const { split, out, format, tokenizer } = values;
    if (out === undefined && format === "parquet") fail("--format parquet", "--out DIR", "none");
    const made = await generation({
      ...{ name: positionals[0], file: values.task, settings: values.set, split },
      count: values.count,
      seed: values.seed,
    });
    const { about, count } = made;
    const progress = progressOn(process.stderr);
    // JSON lines on the same terminal would break the progress line.
    const drawn = out !== undefined || json || !process.stdout.isTTY;
    const onExample = (step: number) => {
      if (drawn && step % 1024 === 0) progress.update("examples", { step, steps: count });
    };
    try {
      if (out === undefined) {
        const examples = made.examples(signal, onExample);
        if (!json) return await printLines(examples, print);
        if (count > mostInDocument)
          fail(
            "--json",
            `at most ${mostInDocument} examples in one document`,
            count,
            "Leave it out, or give --out",
          );
        const all: Example[] = [];
        for await (const example of itemsInTurns(examples)) all.push(example);
        progress.close();
        print(JSON.stringify({ ...about, split, count, examples: all }, null, 2));
        return;
      }
      const written = await writeGeneration(made, {
        command: callOf(positionals[0], values),
        ...{ folder: out, tokenizer, format, overwrite: values.overwrite, signal, onExample },
      });
      progress.close();
      if (json) print(JSON.stringify({ ...about, split, count, ...written }, null, 2));
      else print(`${written.rows} examples (${written.bytes} bytes) in ${out}: ${written.files.join(", ")}`);
    } catch (error) {
      if (signal.aborted) say("statelab: stopped; no file was changed");
      throw error;
    } finally {
      progress.close();
    }
  },
});

/** More would exceed the longest string of JavaScript. */
const mostInDocument = 1_000_000;

/** Prints JSON lines and waits for stdout to drain. */
async function printLines(examples: Iterable<Example>, print: (text: string) => void): Promise<void> {
  for await (const example of itemsInTurns(examples)) {
    print(JSON.stringify(example));
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
  }
}

interface Call {
  readonly task: string | undefined;
  readonly count: number;
  readonly seed: number;
  readonly split: string;
  readonly set: readonly string[];
  readonly format: string;
  readonly tokenizer: string;
}

/** The command that makes the same files, for the card. */
function callOf(
  name: string | undefined,
  { task, count, seed, split, set, format, tokenizer }: Call,
): string {
  return [
    "statelab generate",
    name === undefined ? `--task ${shellWord(task ?? "")}` : shellWord(name),
    ...set.map((setting) => `--set ${shellWord(setting)}`),
    `--count ${count} --seed ${seed} --split ${split} --format ${format} --tokenizer ${tokenizer} --out DIR`,
  ].join(" ");
}
