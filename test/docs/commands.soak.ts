import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { callBuilt } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { fateOf, shownCommands } from "./commands.test-helper.ts";
import { page, project } from "./docs.test-helper.ts";

const root = tmpFolder("docs");

/** In this process, which is much faster than in one that begins. */
async function succeed(line: string): Promise<void> {
  const { code, stdout, stderr } = await callBuilt([line]);
  expect(code, stdout + stderr).toBe(0);
}

const short = "--set train.steps=3 --set train.batch=4 --set evaluate.examples=4";

beforeAll(async () => {
  cpSync(join(project, "examples"), join(root, "examples"), { recursive: true });
  const [yaml] = /task: \{ name: parity.*?(?=```)/s.exec(page("docs/how-to/sweep.md")) ?? [""];
  writeFileSync(join(root, "parity.yaml"), yaml);
  // What pages take for granted: a run of the README, and checkpoints from elsewhere.
  cpSync(join(project, "golden/tokenizers/gpt2"), join(root, "llama"), { recursive: true });
  process.chdir(root);
  await succeed(`train examples/deltanet.yaml ${short}`);
  await succeed("export runs/deltanet --to hf --out checkpoint");
}, 600_000);

/** Trainings first, then sweeps and what comes from elsewhere; the others read what these have made. */
const rank = (command: string) =>
  command.startsWith("train --resume")
    ? 3
    : ["train", "sweep", "import"].indexOf(command.split(" ")[0]) >>> 0;
const lines = shownCommands().flatMap(({ command }) => {
  const fate = fateOf(command);
  if (fate === undefined || !("run" in fate)) return [];
  // a flag that the page gives takes the smaller value; `--set` may stand more than once
  const again = [...fate.run.matchAll(/--(?!set\b)[\w-]+(?= \S)/g)].map(([flag]) => flag);
  const rest = again.reduce((text, flag) => text.replace(new RegExp(` ${flag} [^-\\s]\\S*`), ""), command);
  return [`${rest} ${fate.run}`.trim()];
});

/** Of the slice: all that others read, and every eighth of the others. */
const slice = process.env.SOAK_SLICE === "ci";
const asked = [...new Set(lines)]
  .sort((a, b) => rank(a) - rank(b))
  .filter((line, i) => !slice || rank(line) < 3 || line.startsWith("agent run") || i % 8 === 0);

test.each(asked)("statelab %s", succeed);
