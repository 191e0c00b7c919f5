/**
 * @file The card of a data set: README.md with the YAML header of Hugging Face (splits, files, size), then what a row is, how it was
 * made, how to load it.
 */

import { stringify } from "yaml";
import type { DatasetConfig, DatasetRow } from "../../schemas/dataset.ts";

interface CardWords {
  readonly summary: string;
  readonly source: string;
  /** An example row; undefined if there are none. */
  readonly sample: DatasetRow | undefined;
}

const SHOWN_CHARACTERS = 600;

export function datasetCard(config: DatasetConfig, { summary, source, sample }: CardWords): string {
  const splits = Object.entries(config.splits);
  const commands = splits.map(([split, { command }]) => command ?? `(of split ${split} no command was kept)`);
  const rows = splits.reduce((sum, [, { count }]) => sum + count, 0);
  const head = stringify({
    pretty_name: `statelab ${config.task}`,
    license: "apache-2.0",
    task_categories: ["text-generation"],
    tags: ["state-tracking", "synthetic", "code", "statelab"],
    size_categories: [sizeCategory(rows)],
    configs: [
      {
        config_name: "default",
        data_files: splits.map(([split, { file }]) => ({ split, path: file })),
      },
    ],
  });
  return [
    `---\n${head}---\n`,
    `# ${config.task}: ${summary}\n`,
    `${rows} examples (${splits.map(([split, { count }]) => `${split}: ${count}`).join(", ")}), made by statelab`,
    `${config.lab} from seed ${config.seed}. Source of the task: ${source}.\n`,
    "Each row has",
    "- `text`: the program;",
    "- `reveals`: where the program shows a piece of its state: `text[start:end]` is the `value` of `variable`, after",
    "  `commands` commands (`start` = `end` where the value is asked for and not written). This is what a model that",
    "  tracks the state must predict;",
    "- `states`: the true state after the initialisation and after every command: when `text[:end]` has run, `values`",
    "  hold.\n",
    ...(sample === undefined ? [] : [sampleOf(sample)]),
    "Made by",
    `\`\`\`\n${commands.join("\n")}\n\`\`\``,
    "with the parameters",
    `\`\`\`json\n${JSON.stringify(config.params, null, 2)}\n\`\`\`\n`,
    "Row i of a split depends on task, parameters, seed, the split's name and i alone, so a larger data set begins",
    `with the rows of a smaller one. \`tokenizer.json\` is the ${config.tokenizer} tokenizer of the task.\n`,
    "Load it with Hugging Face `datasets` by `load_dataset(FOLDER)`, the tokenizer with `transformers` by",
    "`PreTrainedTokenizerFast.from_pretrained(FOLDER)`. Prompt and target of a row's last reveal:",
    "```python",
    'data.map(lambda row: {"prompt": row["text"][: row["reveals"][-1]["start"]], "target": row["reveals"][-1]["value"]})',
    "```",
    "",
  ].join("\n");
}

function sampleOf({ text }: DatasetRow): string {
  const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text.trimEnd();
  return `The first row:\n\`\`\`\n${shown}\n\`\`\`\n`;
}

/** The thresholds of Hugging Face's size_categories. */
function sizeCategory(rows: number): string {
  if (rows < 1000) return "n<1K";
  const steps = ["1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B", "100B", "1T"];
  const step = Math.min(Math.floor(Math.log10(rows)) - 3, steps.length - 2);
  return `${steps[step]}<n<${steps[step + 1]}`;
}
