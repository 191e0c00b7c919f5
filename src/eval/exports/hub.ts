/**
 * @file The questions of a benchmark as a Hugging Face data set that inspect_ai and lm-evaluation-harness run.
 *
 *     README.md, test.jsonl          the data set: id, prompt, target, benchmark
 *     eval.yaml                      inspect eval hf/OWNER/NAME, without Statelab
 *     statelab_parity.yaml           lm_eval --include_path . --tasks statelab_parity, without Statelab
 *     statelab_parity_judge.yaml     the same, judged by `statelab llm judge`
 *     inspect_task.py                inspect eval inspect_task.py, judged likewise
 *
 * Source: inspect_ai/_eval/task/hf.py; task_guide.md of lm-evaluation-harness.
 */

import { stringify } from "yaml";
import type { QuestionRow } from "../../schemas/questions.ts";
import type { Parameters } from "../endpoints/endpoint.ts";
import type { Exported } from "./export.ts";

/** Tags, `assert x ==` and bare values; the judge also reads prose. The first group is compared with the target. */
const pattern = String.raw`(?:\[ANSWER\]\s*)?(?:assert .*?==\s*)?(\S.*?)\s*(?:\[/ANSWER\]|$)`;

export function hubFiles(
  bench: { readonly name: string; readonly summary: string; readonly source: string },
  rows: readonly QuestionRow[],
  { maximumTokens, stop, temperature }: Pick<Parameters, "maximumTokens" | "stop" | "temperature">,
): Exported[] {
  const task = `statelab_${bench.name.replaceAll("-", "_")}`;
  const accuracy = (metric: string) => [{ metric, aggregation: "mean", higher_is_better: true }];
  const takeFirst = { function: "take_first" };
  const yaml = (name: string, value: unknown) => ({ name, text: stringify(value) });
  return [
    { name: "test.jsonl", text: rows.map((row) => `${JSON.stringify(row)}\n`).join("") },
    { name: "README.md", text: cardOf(task, bench, rows.length) },
    yaml("eval.yaml", {
      name: task,
      evaluation_framework: "inspect-ai",
      tasks: [
        {
          ...{ id: task, config: "default", split: "test" },
          field_spec: { input: "prompt", target: "target", metadata: ["id", "benchmark"] },
          solvers: [{ name: "generate", args: { max_tokens: maximumTokens, stop_seqs: stop } }],
          scorers: [{ name: "pattern", args: { pattern, ignore_case: false } }],
        },
      ],
    }),
    yaml(`${task}.yaml`, {
      task,
      dataset_path: "json",
      dataset_kwargs: { data_files: { test: "test.jsonl" } },
      test_split: "test",
      output_type: "generate_until",
      ...{ doc_to_text: "prompt", doc_to_target: "target" },
      generation_kwargs: {
        ...{ until: stop, max_gen_toks: maximumTokens, temperature, do_sample: temperature > 0 },
      },
      filter_list: [{ name: "answer", filter: [{ function: "regex", regex_pattern: pattern }, takeFirst] }],
      metric_list: accuracy("exact_match"),
    }),
    {
      name: `${task}_judge.yaml`,
      text: `${stringify({
        ...{ include: `${task}.yaml`, task: `${task}_judge` },
        filter_list: [{ name: "judge", filter: [takeFirst] }],
        metric_list: accuracy("acc"),
      })}process_results: !function judge.process_results\n`,
    },
    { name: "judge.py", text: judgeScript },
    { name: "inspect_task.py", text: inspectScript(task, maximumTokens, stop) },
  ];
}

/** One process serves all calls. */
const judgeScript = `import json, subprocess

process = subprocess.Popen(
    ["statelab", "llm", "judge"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
)


def judge(row, reply, finish=None):
    print(json.dumps({**row, "reply": reply, "finish": finish}), file=process.stdin, flush=True)
    return json.loads(process.stdout.readline())


def process_results(doc, results):
    return {"acc": float(judge(doc, results[0])["verdict"] == "correct")}
`;

const inspectScript = (task: string, maximumTokens: number, stop: readonly string[]) =>
  `from inspect_ai import Task, task
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.scorer import Score, accuracy, scorer, stderr
from inspect_ai.solver import generate
from judge import judge

FIELDS = FieldSpec(input="prompt", target="target", id="id", metadata=["benchmark"])
FINISH = {"max_tokens": "length"}


@scorer(metrics=[accuracy(), stderr()])
def statelab():
    async def score(state, target):
        row = {"id": state.sample_id, "prompt": state.input_text, **state.metadata}
        told = judge(row, state.output.completion, FINISH.get(state.output.stop_reason, "stop"))
        value = "C" if told["verdict"] == "correct" else "I"
        return Score(value=value, answer=told["extracted"], explanation=told["words"])

    return score


@task
def ${task}():
    solver = generate(max_tokens=${maximumTokens}, stop_seqs=${JSON.stringify(stop)})
    return Task(dataset=json_dataset("test.jsonl", FIELDS), solver=solver, scorer=statelab())
`;

const cardOf = (
  task: string,
  { name, summary, source }: { readonly name: string; readonly summary: string; readonly source: string },
  count: number,
) => `---
pretty_name: ${JSON.stringify(`Statelab ${name}`)}
task_categories:
- text-generation
tags:
- state-tracking
configs:
- config_name: default
  data_files:
  - split: test
    path: test.jsonl
---
# ${name}: ${summary}

${count} questions, made by \`statelab llm export ${name} --to hub\`. Source: ${source}.
Each row has \`id\`, \`prompt\`, \`target\` and \`benchmark\`, the options that make the question again.

Without Statelab, a regular expression reads the answer, which misses answers in prose:

\`\`\`
lm_eval --include_path . --tasks ${task} --model MODEL
inspect eval hf/OWNER/NAME --model MODEL
\`\`\`

With Statelab installed, \`statelab llm judge\` reads it. Run these commands in this folder:

\`\`\`
lm_eval --include_path . --tasks ${task}_judge --model MODEL
inspect eval inspect_task.py --model MODEL
\`\`\`
`;
