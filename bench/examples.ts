/**
 * @file How fast examples are made: into typed arrays for training, and with every state as JSON lines and Parquet.
 *
 *     npm run bench -- examples
 *
 * REPL traces of 64 commands with a reveal after every 8, word tokens, one thread, the median of five runs. Files are
 * written to the temporary folder and flushed to the disk. The yardstick is what a user would otherwise write: a short
 * Python generator of the same programs as lists of token ids, without states; where there is no python3
 * it is left out. Target: 10 million tokens a second into arrays, 2 million as JSON lines.
 */

import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "../src/core/statistics.ts";
import { writeParquet } from "../src/storage/dataset/parquet.ts";
import { writeJsonLines } from "../src/storage/dataset.ts";
import {
  batchWriter,
  emptyBatch,
  exampleFrom,
  exampleStream,
  maximumLength,
  prepareTask,
  tasks,
} from "../src/tasks/index.ts";
import { wordTokenizer } from "../src/tasks/tokenizer.ts";
import type { BenchOptions } from "./lib/interleave.ts";

/** Word tokens a second, by way of making them. */
export type ExamplesResult = Readonly<Record<string, number>>;

const ROWS = 64;
const RUNS = 5;
const FILE_ROWS = 4000;
const SWAPS = { commands: 64, spacing: 8 };
const PERMUTATIONS = { ...SWAPS, variables: 5, commandKind: "permutation" };

export async function run({ json }: BenchOptions): Promise<ExamplesResult> {
  const result = await measure();
  if (json) console.log(JSON.stringify(result, null, 2));
  else {
    for (const [way, rate] of Object.entries(result)) {
      console.log(`${way.padEnd(40)} ${(rate / 1e6).toFixed(1).padStart(7)} million tokens/s`);
    }
  }
  return result;
}

export async function measure(): Promise<ExamplesResult> {
  const yardstick = python();
  return {
    "typed arrays, S_3 swaps": await arrays(SWAPS),
    "typed arrays, S_5 permutations": await arrays(PERMUTATIONS),
    "JSON lines with states, S_3 swaps": await files(SWAPS, "jsonl"),
    "JSON lines with states, S_5 permutations": await files(PERMUTATIONS, "jsonl"),
    "Parquet with states, S_3 swaps": await files(SWAPS, "parquet"),
    ...(yardstick !== undefined && { "Python lists of ids, S_3 swaps": yardstick }),
  };
}

function arrays(params: object): Promise<number> {
  const prepared = prepareTask(tasks.repl, params);
  const tokenizer = wordTokenizer(prepared.words);
  const batch = emptyBatch(ROWS, maximumLength(prepared, tokenizer));
  const write = batchWriter(prepared, tokenizer);
  const stream = exampleStream(0, "train");
  let drawn = 0;
  return rate(async () => {
    let tokens = 0;
    for (let i = 0; i < 100; i++, drawn += ROWS) {
      write(batch, stream, drawn);
      for (const length of batch.lengths) tokens += length + 1;
    }
    return tokens;
  });
}

/** Rows through the code that `statelab generate` runs, the disk included. */
async function files(params: object, format: "jsonl" | "parquet"): Promise<number> {
  const prepared = prepareTask(tasks.repl, params);
  const stream = exampleStream(0, "train");
  const folder = await mkdtemp(join(tmpdir(), "statelab-bench-"));
  let drawn = 0;
  function* rows() {
    for (let i = 0; i < FILE_ROWS; i++) yield exampleFrom(prepared, stream(drawn++));
  }
  try {
    return await rate(async () => {
      const path = join(folder, `${drawn}.${format}`);
      if (format === "jsonl") await writeJsonLines(path, rows());
      else await writeParquet(path, rows(), { variables: prepared.variables, outcomes: [] });
      return FILE_ROWS * prepared.maximumWords; // a single spacing: every program has the same number of words
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Tokens a second: the median of some runs, after one run to warm up. */
async function rate(make: () => Promise<number>): Promise<number> {
  const rates: number[] = [];
  for (let round = 0; round <= RUNS; round++) {
    const start = performance.now();
    const tokens = await make();
    if (round > 0) rates.push((tokens * 1000) / (performance.now() - start));
  }
  return median(rates);
}

/** The yardstick: the same programs as lists of ids, as plain Python. Prints tokens a second. */
const PYTHON = `
import random, statistics, time
NEWLINE, EQUALS, COMMA, PRINT, PRINTED, CLOSE, SPACE, NAME, VALUE, PROMPT = 0, 1, 2, 3, 4, 5, 6, 7, 10, 13
def example(rng, n=3, commands=64, spacing=8):
    values = list(range(n)); rng.shuffle(values); ids = []
    for i in range(n):
        ids += [PROMPT, NAME + i, EQUALS, VALUE + values[i], NEWLINE]
    for c in range(1, commands + 1):
        i, j = sorted(rng.sample(range(n), 2))
        values[i], values[j] = values[j], values[i]
        ids += [PROMPT, NAME + i, COMMA, NAME + j, EQUALS, NAME + j, COMMA, NAME + i, NEWLINE]
        if c % spacing == 0:
            v = rng.randrange(n)
            ids += [PROMPT, PRINT, NAME + v, PRINTED, NAME + v, CLOSE, NEWLINE, NAME + v, SPACE, VALUE + values[v], NEWLINE]
    return ids
rates = []
rng = random.Random(0)
for _ in range(${RUNS}):
    start = time.perf_counter()
    tokens = sum(len(example(rng)) for _ in range(500))
    rates.append(tokens / (time.perf_counter() - start))
print(statistics.median(rates))
`;

/** Undefined where there is no python3. */
function python(): number | undefined {
  const { status, stdout } = spawnSync("python3", ["-c", PYTHON]);
  return status === 0 ? Number(stdout.toString()) : undefined;
}
