/**
 * @file A user's own model or task examined by the lab's own suites: what `statelab check` finds, and what `train` looks at before
 * the first step.
 */

import { LabError } from "../../core/error.ts";
import { shellWord } from "../../core/format.ts";
import { rngFrom } from "../../core/rng.ts";
import { applySettings, parseWith } from "../../core/settings.ts";
import { type ModelCheck, modelChecks } from "../../models/conformance/checks.ts";
import { furthest, runParallel, tokensBelow, varied } from "../../models/conformance/run.ts";
import { configureModel, initialParameters, type Model } from "../../models/index.ts";
import type { AnyMixer } from "../../models/model.ts";
import { taskChecks } from "../../tasks/conformance/checks.ts";
import type { Prepared, Task } from "../../tasks/task.ts";
import type { Runtime } from "../../tensor/index.ts";
import { nodeRuntime } from "../../tensor/session-node.ts";
import { loadOwn } from "../own-code/load.ts";
import { agreesWithPython, type Finding } from "./python.ts";

export type { Finding };

export interface Checked {
  readonly file: string;
  readonly kind: "model" | "task";
  readonly name: string;
  readonly findings: readonly Finding[];
}

export interface CheckRequest {
  readonly file: string;
  /** Of the model (`heads=4`) or the task (`length=8`). */
  readonly settings: readonly string[];
  readonly signal: AbortSignal;
}

const vocabulary = 11;

/** Errors: LabError where the file does not load, or is configured as it does not allow; what is wrong besides is a finding. */
export async function checkFile({ file, settings, signal }: CheckRequest): Promise<Checked> {
  const chance = watchingChance();
  try {
    const { kind, value } = await loadOwn(file);
    const given = applySettings({}, settings) as Record<string, unknown>; // settings over an object make one
    const { name } = value as { readonly name: string };
    const found =
      kind === "model"
        ? await modelFindings(configured(value as AnyMixer, given, file), nodeRuntime(), false)
        : await taskFindings(value as Task, given, file, signal);
    return { file, kind, name, findings: [...found, chance.finding()] };
  } finally {
    chance.stop();
  }
}

/** What of a run is a file of the user's own, as it is configured. */
interface Examined {
  readonly model: Model | undefined;
  readonly prepared: Prepared | undefined;
  readonly runtime: Runtime;
}

/** Before a training: the cheap checks of the user's own files. Errors: LabError naming what was found. */
export async function refuseFaulty(
  { model, prepared, runtime }: Examined,
  names: { readonly model: string; readonly task: string },
): Promise<void> {
  const chance = watchingChance();
  try {
    const refuse = (at: string, findings: readonly Finding[]) => {
      const found = findings.find(({ problem }) => problem !== undefined);
      if (found === undefined) return;
      const hint = `See all by statelab check ${shellWord(at)}, or train it as it is by --unchecked`;
      throw new LabError(`${at}: the check "${found.check}" found: ${found.problem}. ${hint}`);
    };
    if (prepared !== undefined) refuse(names.task, taskFindingsOf(prepared));
    if (model !== undefined) refuse(names.model, await modelFindings(model, runtime, true));
    refuse(model === undefined ? names.task : names.model, [chance.finding()]);
  } finally {
    chance.stop();
  }
}

function configured(mixer: AnyMixer, settings: Record<string, unknown>, file: string): Model {
  const sizes = { name: file, layers: 2, width: 16, feedForward: 12 };
  return configureModel(mixer, { ...sizes, ...settings }, vocabulary, file);
}

async function modelFindings(model: Model, runtime: Runtime, cheap: boolean): Promise<Finding[]> {
  const findings: Finding[] = [];
  let tree = varied(model);
  for (const [check, { cheap: quick, skips, examine }] of Object.entries<ModelCheck>(modelChecks)) {
    if (cheap && !quick) continue;
    const skipped = skips?.(model);
    if (skipped !== undefined) {
      findings.push({ check, skipped });
      continue;
    }
    const problem = await told(async () => {
      if (findings.length === 0 && !(await hasFiniteLogits(model, tree, runtime))) {
        tree = initialParameters(model, rngFrom(1)); // some models bear no weights of order 1
      }
      return examine({ model, tree, runtime });
    });
    findings.push({ check, ...(problem !== undefined && { problem }) });
  }
  return findings;
}

async function hasFiniteLogits(
  model: Model,
  tree: ReturnType<typeof varied>,
  runtime: Runtime,
): Promise<boolean> {
  const { logits } = await runParallel(
    runtime,
    model,
    tree,
    tokensBelow(model.vocabulary, rngFrom(0), 2, 12),
  );
  return furthest(logits, logits) === 0; // NaN and infinities are far from themselves
}

async function taskFindings(
  task: Task,
  settings: Record<string, unknown>,
  file: string,
  signal: AbortSignal,
): Promise<Finding[]> {
  const prepared = task.prepare(parseWith(task.params, settings, file));
  return [...taskFindingsOf(prepared), await agreesWithPython(prepared, signal)];
}

function taskFindingsOf(prepared: Prepared): Finding[] {
  return Object.entries(taskChecks).map(([check, examine]) => {
    try {
      const problem = examine(prepared);
      return { check, ...(problem !== undefined && { problem }) };
    } catch (error) {
      return { check, problem: words(error) };
    }
  });
}

/** What a check says, or what was thrown in it: a fault of the file, not of the lab. */
async function told(examine: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await examine();
  } catch (error) {
    return words(error);
  }
}

const words = (error: unknown) =>
  `it throws ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`;

/** Counts calls of Math.random: all chance comes from the `rng` that is handed in, or no seed means anything. */
function watchingChance() {
  const { random } = Math;
  let calls = 0;
  Math.random = () => {
    calls++;
    return random();
  };
  return {
    finding: (): Finding => ({
      check: "no Math.random",
      ...(calls > 0 && {
        problem: `Math.random is called (${calls} times); draw from the \`rng\` that is handed in`,
      }),
    }),
    stop() {
      Math.random = random;
    },
  };
}
