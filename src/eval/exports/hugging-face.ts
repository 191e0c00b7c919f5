/**
 * @file A Hugging Face data set: the samples of each arm and direction as JSON lines, and a card whose head says which file is which
 * configuration and what type each column has, since a column of nulls alone would tell none.
 *
 *     README.md    configs: [{config_name: cruxeval_function_output, data_files: [{split: test, path: cruxeval_function_output.jsonl}]}]
 *
 * Source: https://huggingface.co/docs/hub/datasets-manual-configuration
 */

import type { SampleRecord } from "../../schemas/eval.ts";
import { type AskExport, exportedTasks } from "./export.ts";

/** Column types of `datasets`. */
const columns = {
  ...{ sample: "string", arm: "string", predict: "string", id: "string", index: "int64", steps: "int64" },
  ...{ prompt: "string", finish: "string", promptTokens: "int64", replyTokens: "int64" },
  ...{ extracted: "string", expected: "string", verdict: "string", words: "string" },
} as const satisfies Partial<Record<keyof SampleRecord, string>>;
const lists = ["replies", "reasoning"] as const;

export const dataSet: AskExport = {
  summary: "a Hugging Face data set",
  files(input) {
    const tasks = exportedTasks(input);
    const { bench, model, scoring, style, denominator } = input.results;
    const files = tasks.map(({ name, samples }) => ({
      name: `${name}.jsonl`,
      text: samples.map((sample) => `${JSON.stringify(rowOf(sample))}\n`).join(""),
    }));
    const card = [
      "---",
      `pretty_name: ${JSON.stringify(`${bench} asked of ${model}`)}`,
      "configs:",
      ...tasks.flatMap(({ name }) => [
        `- config_name: ${name}`,
        "  data_files:",
        "  - split: test",
        `    path: ${name}.jsonl`,
      ]),
      "dataset_info:",
      ...tasks.flatMap(({ name }) => [`- config_name: ${name}`, "  features:", ...features]),
      "---",
      `# ${bench}, asked of ${model}\n`,
      `Made by \`statelab llm eval\` (style ${style}, scoring ${scoring}); a row is one sample. ${denominator}.\n`,
      ...tasks.map(({ name, samples }) => `- \`${name}\`: ${samples.length} samples`),
      "",
    ].join("\n");
    return [{ name: "README.md", text: card }, ...files];
  },
};

const features = [
  ...Object.entries(columns).flatMap(([name, type]) => [`  - name: ${name}`, `    dtype: ${type}`]),
  ...lists.flatMap((name) => [`  - name: ${name}`, "    sequence: string"]),
];

function rowOf(sample: SampleRecord) {
  const cells = Object.keys(columns).map((name) => [name, sample[name as keyof typeof columns]]); // its own keys
  return { ...Object.fromEntries(cells), replies: sample.replies, reasoning: sample.reasoning ?? [] };
}
