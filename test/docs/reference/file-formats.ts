/** @file docs/reference/file-formats.md: the files that Statelab writes, with the fields of their schemas. */

import type { z } from "zod";
import { EpisodeBegin, EpisodeEnd, EpisodeTurn } from "../../../src/schemas/agents.ts";
import { DatasetConfig, DatasetRow } from "../../../src/schemas/dataset.ts";
import { describedKeys } from "../../../src/schemas/described-keys.ts";
import { AnswerRecord, AskResults, SampleRecord } from "../../../src/schemas/eval.ts";
import { HistoryRecord } from "../../../src/schemas/execution-trace.ts";
import { FaultRecord } from "../../../src/schemas/fault.ts";
import { Origin } from "../../../src/schemas/provenance.ts";
import { StepRecord } from "../../../src/schemas/run-config.ts";
import { SearchRecord } from "../../../src/schemas/search-space.ts";
import { RevealRecord, TestedRecord } from "../../../src/schemas/test-result.ts";
import { TracedRow } from "../../../src/schemas/trace.ts";
import { code, generated, table } from "./markdown.ts";

/** Fields of a file's records, those that are described. */
function fields(schema: z.ZodType): string {
  const keys = describedKeys(schema).filter(
    ({ name, description }) => description !== "" && name !== "version",
  );
  return table(
    ["field", "meaning"],
    keys.map(({ name, description }) => [code(name), description]),
  );
}

const runFolder = [
  ["`config.json`", "every setting, the seed, the version, and later changes"],
  ["`origin.json`", "versions, machine and command line of each process"],
  ["`own/`", "a custom task and model with their imports as they ran, and the tokenizer of a language model"],
  ["`metrics.jsonl`", "one line per training step"],
  ["`checkpoints/STEP/model.safetensors`", "weights in float32, named by their path in the model"],
  ["`checkpoints/STEP/optimizer.safetensors`", "state of the optimizer"],
  ["`checkpoints/STEP/state.json`", "step, curriculum state and configuration"],
  ["`checkpoints/STEP/SHA256SUMS`", "checksums of these three files, for `sha256sum -c`"],
  ["`model.onnx`", "the finished model over a whole sequence"],
  ["`step.onnx`", "the finished model, one token at a time"],
  ["`model.safetensors`", "its weights"],
  ["`tokenizer.json`", "the tokenizer in the format of Hugging Face"],
  ["`tokenizer_config.json`", "settings of the tokenizer"],
  ["`tested.jsonl`", "every test with each answer"],
  ["`evaluations/NAME@STEP.json`", "output of `statelab evaluate`"],
  ["`evaluation.json`", "the newest of these"],
  ["`analysis/`, `report.html`", "output of `statelab analyze` and `statelab report`"],
  ["`measured/`, `answered.json`", "further results of an experiment"],
  ["`stream/`", "batches from data workers"],
  ["`tensorboard/`", "the event file of `statelab train --log tensorboard`"],
  ["`run.lock`", "the process that writes to the folder"],
] as const;

export const fileFormatsPage = () =>
  generated(
    "File formats",
    "This page lists the files that Statelab writes, with the fields of each. All are JSON, JSON lines, safetensors, ONNX or Parquet, which other programs read.",
    "N is an index, from 0. A file of JSON lines has one object per line. Records with a version have the field `version`.",
    "## Run folder",
    "`statelab train` writes one folder per run. [Train](../how-to/train.md) explains checkpoints and how to resume.",
    table(["file", "what it holds"], runFolder),
    "Matrices multiply from the right: in `y = x W`, W has the shape [inputs, outputs].",
    "### metrics.jsonl",
    fields(StepRecord),
    "Objectives and models may add numbers of their signals and penalties.",
    "### tested.jsonl",
    "A test is evaluated once per checkpoint. `statelab evaluate --rerun` repeats it.",
    fields(TestedRecord),
    "### origin.json",
    "`own.task` and `own.model` have the original `path`, the `file` of the copy, its `sha256` and its `sources`.",
    fields(Origin),
    "### model.onnx",
    table(
      ["file", "inputs", "outputs"],
      [
        [
          "`model.onnx`",
          "`tokens` int32 [B, T]",
          "`logits` float32 [B, T, V], `layers.L.NAME` for each recorded value ([models](models.md))",
        ],
        [
          "`step.onnx`",
          "`token` int32 [1], `position` int32 [1], `state.NAME` for each state",
          "`logits` float32 [1, V], `next.NAME` for each state",
        ],
      ],
    ),
    "B is any number. T is at most the longest sequence of the training, or `statelab export --length N`. Shorter sequences cost as much as the longest: they are padded within the file, and sequences are computed one after the other. States of `step.onnx` begin with zeros, and `next.NAME` is the `state.NAME` of the next step.",
    "### Exports",
    table(
      ["command", "files"],
      [
        [
          "`statelab export RUN --to csv`, `--to parquet`",
          "`metrics`, a row per step; `tested`, a row per test; `positions`, a row per test and position of the reveal; `answers`, a row per answer, for one run; `summary`, a row per test and setting; `compared`, for several settings",
        ],
        ["`statelab export RUN --to latex`", "`summary.tex`, `compared.tex` for several settings"],
        [
          "`statelab export RUN --to svg`, `--to png`",
          "`N-TITLE.svg`, `N-TITLE.png`, the figures of the report",
        ],
        ["`statelab export RUN --to tensorboard`", "`events.out.tfevents.TIME.statelab`"],
        [
          "`statelab export RUN --to hf`",
          "`config.json`, `generation_config.json`, `model.safetensors`, `tokenizer.json`, `tokenizer_config.json`, `README.md` (model card), in `RUN/export/hf`",
        ],
      ],
    ),
    "## Predictions",
    "`statelab evaluate RUN --save-predictions FILE` writes one line per reveal, which `statelab llm eval --bench reveals` can ask a language model.",
    fields(RevealRecord),
    "## Data sets",
    "`statelab generate TASK --out DIR` writes one file per split, as JSON lines or Parquet, and `config.json`. Offsets count UTF-16 units from the start of the text. In `datasets`, integers have 32 bits from Parquet and 64 from JSON lines: `cast` one to the `features` of the other before `concatenate_datasets`.",
    fields(DatasetRow),
    "`config.json` holds what determines the rows:",
    fields(DatasetConfig),
    "## Searches",
    "`statelab sweep --search FILE` writes `search.json`:",
    fields(SearchRecord),
    "## LLM evaluations",
    "`statelab llm eval` writes `answers.jsonl` as answers arrive, then `samples.jsonl`, `results.json` and `report.html`. The same answers give the same `samples.jsonl` and `results.json`.",
    "### answers.jsonl",
    fields(AnswerRecord),
    "### samples.jsonl",
    fields(SampleRecord),
    "### results.json",
    fields(AskResults),
    "## Code traces",
    "`statelab data trace` writes `traces.jsonl` and `traces.parquet`, one record per call. `statelab trace --json` prints the value of `trace`.",
    fields(TracedRow),
    "## Faults",
    "`statelab data faults` writes one line per fault:",
    fields(FaultRecord),
    "## Recordings",
    "`statelab debug --save FILE` writes the events of a run. States are differences: `names` and `set` change the state before.",
    fields(HistoryRecord),
    "## Agent episodes",
    "`statelab agent run` writes `ledger.jsonl`, an event log in which each line has the SHA-256 of the line before (`previous`). An episode is a line of kind `begin`, lines of kind `turn`, and a line of kind `end`.",
    "### begin",
    fields(EpisodeBegin),
    "### turn",
    fields(EpisodeTurn),
    "### end",
    fields(EpisodeEnd),
  );
