import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { silent } from "../../core/progress.ts";
import { EvalConfig } from "../../schemas/eval-config.ts";
import { type EvalRequest, evaluateBenchmark } from "./eval.ts";
import { replayEval } from "./replay.ts";

const root = tmpFolder("ask-replay");
const script = join(root, "script.jsonl");
writeFileSync(script, `{"contains":"p ^= 1","reply":"assert p == 1"}\n{"reply":"assert p == 0"}\n`);

const order = (folder: string, seed = 0): EvalRequest => ({
  config: EvalConfig.parse({
    ...{ bench: "parity", settings: ["programs=6", "length=3"], arms: ["function"], seed, script },
    ...{ maximumTokens: 20, atMost: 2, maximumRetries: 0, host: "embedded", folder: join(root, folder) },
  }),
  ...{ signal: new AbortController().signal, progress: silent },
});
const changed = (folder: string, name: string, change: (text: string) => string) => {
  const path = join(root, folder, name);
  const before = readFileSync(path, "utf8");
  writeFileSync(path, change(before));
  return () => writeFileSync(path, before);
};

test("every sample and number follows from the answers, and what does not is named", async () => {
  await evaluateBenchmark(order("asked"));
  expect(await replayEval(order("asked"))).toEqual({ folder: join(root, "asked"), answers: 6, samples: 6 });
  // a verdict, a number, an answer, another seed
  const wrong = (text: string) =>
    text.includes('"verdict":"wrong"')
      ? text.replace('"verdict":"wrong"', '"verdict":"correct"')
      : text.replace('"verdict":"correct"', '"verdict":"wrong"');
  let restore = changed("asked", "samples.jsonl", wrong);
  await expect(replayEval(order("asked"))).rejects.toThrow(/samples\.jsonl, line \d: expected/);
  restore();
  restore = changed("asked", "results.json", (text) =>
    text.replace(/"correct": (\d)/, (_, count) => `"correct": ${Number(count) + 1}`),
  );
  await expect(replayEval(order("asked"))).rejects.toThrow(/results\.json: expected arms/);
  restore();
  restore = changed("asked", "answers.jsonl", (text) => text.replace("assert p == ", "assert p ==  "));
  await expect(replayEval(order("asked"))).rejects.toThrow(
    /answers\.jsonl, line 1: expected the line as it was written/,
  );
  restore();
  await expect(replayEval(order("asked", 1))).rejects.toThrow(/Give the options of the evaluation/);
  expect(await replayEval(order("asked"))).toMatchObject({ samples: 6 });
  await expect(replayEval(order("none"))).rejects.toThrow(
    /answers\.jsonl: expected a file of a finished evaluation/,
  );
});
