/** @file inspect_ai and lm-evaluation-harness run the tasks of `statelab llm export --to hub`; with the judge they agree with `llm score`. */

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTranscripts } from "../../src/app/diagnose/diagnose.ts";
import { main, statelab, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { here, isInstalled, python } from "./python.test-helper.ts";

const root = tmpFolder("harness-judge");
const pack = join(root, "pack");
const bin = join(root, "bin");
mkdirSync(bin);
symlinkSync(main, join(bin, "statelab"));

const forms: readonly ((answer: string) => string)[] = [
  (answer) => `[ANSWER]\n${answer}\n[/ANSWER]`,
  (answer) => answer,
  (answer) => `The answer is **${answer}**.`,
  (answer) => `[ANSWER] assert p == ${answer}`,
  () => "[ANSWER] 7 [/ANSWER]",
  () => "I do not know.",
];

type Right = Readonly<Record<string, boolean>>;
const count = (right: Right) => Object.values(right).filter(Boolean).length;

async function prepare() {
  await statelab(root, ...words("llm export parity --set programs=120 --set length=12 --to hub --out pack"));
  const rows = readFileSync(join(pack, "test.jsonl"), "utf8").trim().split("\n");
  const replies = rows.map((line, i) => {
    const { prompt, target } = JSON.parse(line);
    return [prompt, forms[i % forms.length](target)];
  });
  writeFileSync(join(pack, "replies.json"), JSON.stringify(Object.fromEntries(replies)));
}

function harness(name: string) {
  const { stdout, stderr } = python([here("harness_judge.py"), name, pack, bin]);
  return JSON.parse(stdout.trim().split("\n").at(-1) || JSON.stringify(stderr));
}

/** What `llm score` says of a log, by prompt. */
async function scored(log: string): Promise<Right> {
  const { stdout } = await statelab(root, "llm score", "parity", log, "--json");
  const rows = readFileSync(join(pack, "test.jsonl"), "utf8").trim().split("\n");
  const prompts = new Map(rows.map((line) => [JSON.parse(line).id, JSON.parse(line).prompt]));
  const { verdicts } = JSON.parse(stdout);
  return Object.fromEntries(
    verdicts.map((each: { id: string; verdict: string }) => [
      prompts.get(each.id),
      each.verdict === "correct",
    ]),
  );
}

test.skipIf(!isInstalled("inspect-ai"))(
  "inspect_ai with the judge agrees with llm score of its .eval log; the task of eval.yaml is a lower bound",
  async () => {
    await prepare();
    const judged: Right = harness("inspect");
    const [log] = readdirSync(join(pack, "logs")).filter((name) => name.endsWith(".eval"));
    expect(await scored(join(pack, "logs", log))).toEqual(judged);
    expect(openTranscripts(join(pack, "logs", log))).toHaveLength(120);
    expect(count(judged)).toBeGreaterThan(Object.keys(judged).length / 2);
    const pattern: Right = harness("hf");
    expect(count(pattern)).toBeGreaterThan(0);
    expect(count(pattern)).toBeLessThan(count(judged));
    for (const [prompt, right] of Object.entries(pattern)) if (right) expect(judged[prompt]).toBe(true);
  },
  300_000,
);

test.skipIf(!isInstalled("lm-eval"))(
  "lm-evaluation-harness with the judge agrees with llm score of its samples",
  async () => {
    await prepare();
    const [filtered, judged]: [Right, Right] = harness("lm-eval");
    expect(await scored(join(pack, "logs", "samples_judge.jsonl"))).toEqual(judged);
    expect(count(filtered)).toBeGreaterThan(0);
    expect(count(filtered)).toBeLessThan(count(judged));
  },
  300_000,
);
