/** @file inspect_ai lists and reads the log that `statelab llm export --to inspect` writes. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { statelab, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { here, isInstalled, python } from "./python.test-helper.ts";

const root = tmpFolder("inspect");

test.skipIf(!isInstalled("inspect-ai"))(
  "inspect_ai finds the log, its model, its scores and the ids of its messages, and scores it again",
  async () => {
    writeFileSync(join(root, "script.jsonl"), '{"replies": ["0", "1"]}\n');
    const asked = "llm eval --bench parity --set programs=6 --answers script.jsonl --out asked";
    expect((await statelab(root, ...words(asked))).stderr).not.toContain("expected");
    await statelab(root, ...words("llm export asked --to inspect --out logs"));
    const { stdout, stderr } = python([here("inspect_log.py"), join(root, "logs")]);
    const read = JSON.parse(stdout.trim().split("\n").at(-1) || JSON.stringify(stderr)); // below its progress bars
    expect(read).toMatchObject({ logs: 1, evals: 1, samples: 6, rescored: 2 });
    expect(read.messages).toEqual(["parity_0-0-prompt", "parity_0-0-reply"]);
    expect(read.model).toMatch(/^openai-api\/statelab\//);
    expect(read.metrics.accuracy).toBe(read.metrics.pass_at_1);
  },
  120_000,
);
