/**
 * @file Checks a user's own model or task with the conformance suites: all checks for `statelab check`, the cheap ones before a
 * training.
 */

import { LabError } from "../../core/error.ts";
import { shellWord } from "../../core/format.ts";
import { exampleStream, rngFrom } from "../../core/rng.ts";
import { applySettings, parseWith } from "../../core/settings.ts";
import { type ModelCheck, modelChecks } from "../../models/conformance/checks.ts";
import { furthest, runParallel, tokensBelow, varied } from "../../models/conformance/run.ts";
import { configureModel, initialParameters, type Model } from "../../models/index.ts";
import type { AnyMixer } from "../../models/model.ts";
import { isPython, sessionCode, taskChecks } from "../../tasks/conformance/checks.ts";
import { exampleFrom } from "../../tasks/example.ts";
import type { Prepared, Task } from "../../tasks/task.ts";
import type { Runtime } from "../../tensor/index.ts";
import { nodeRuntime } from "../../tensor/session-node.ts";
import { openSandbox } from "../llm/sandbox.ts";
import { loadOwn } from "../own-code/load.ts";

export interface Finding {
  readonly check: string;
  /** undefined if the check passed or was skipped. */
  readonly problem?: string;
  /** Why it was skipped. */
  readonly skipped?: string;
}

export interface Checked {
  readonly file: string;
  readonly kind: "model" | "task";
  readonly name: string;
  readonly findings: readonly Finding[];
}

interface CheckRequest {
  readonly file: string;
  /** Fields of the model (`heads=4`) or the task (`length=8`). */
  readonly settings: readonly string[];
  readonly signal: AbortSignal;
}

const vocabulary = 11;

/** Errors: LabError if the file does not load or rejects the settings; anything else is a finding. */
export async function checkFile({ file, settings, signal }: CheckRequest): Promise<Checked> {
  const chance = watchingChance();
  try {
    const { kind, value, lineOf } = await loadOwn(file);
    const given = applySettings({}, settings) as Record<string, unknown>; // settings applied to an object give an object
    const { name } = value as { readonly name: string };
    const found =
      kind === "model"
        ? await modelFindings(configured(value as AnyMixer, given, file), nodeRuntime(), false, lineOf)
        : await taskFindings(value as Task, given, file, signal, lineOf);
    return { file, kind, name, findings: [...found, chance.finding()] };
  } finally {
    chance.stop();
  }
}

/** The own model and task of a run. */
interface Examined {
  readonly model: Model | undefined;
  readonly prepared: Prepared | undefined;
  readonly runtime: Runtime;
}

/** Runs the cheap checks before a training. Errors: LabError that names the first problem. */
export async function refuseFaulty(
  { model, prepared, runtime }: Examined,
  names: { readonly model: string; readonly task: string },
): Promise<void> {
  const chance = watchingChance();
  try {
    const refuse = (at: string, findings: readonly Finding[]) => {
      const found = findings.find(({ problem }) => problem !== undefined);
      if (found === undefined) return;
      const hint = `See all: statelab check ${shellWord(at)}; train anyway with --unchecked`;
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

type LineOf = (error: Error) => string | undefined;

async function modelFindings(
  model: Model,
  runtime: Runtime,
  cheap: boolean,
  lineOf?: LineOf,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let tree = varied(model);
  for (const [check, { cheap: quick, skips, examine }] of Object.entries<ModelCheck>(modelChecks)) {
    if (cheap && !quick) continue;
    const skipped = skips?.(model);
    if (skipped !== undefined) {
      findings.push({ check, skipped });
      continue;
    }
    const problem = await problemOf(async () => {
      if (findings.length === 0 && !(await hasFiniteLogits(model, tree, runtime))) {
        tree = initialParameters(model, rngFrom(1)); // some models overflow with weights of order 1
      }
      return examine({ model, tree, runtime });
    }, lineOf);
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
  return furthest(logits, logits) === 0; // NaN and infinities differ from themselves
}

async function taskFindings(
  task: Task,
  settings: Record<string, unknown>,
  file: string,
  signal: AbortSignal,
  lineOf: LineOf,
): Promise<Finding[]> {
  const prepared = task.prepare(parseWith(task.params, settings, file));
  return [...taskFindingsOf(prepared, lineOf), await agreesWithPython(prepared, signal)];
}

function taskFindingsOf(prepared: Prepared, lineOf?: LineOf): Finding[] {
  return Object.entries(taskChecks).map(([check, examine]) => {
    try {
      const problem = examine(prepared);
      return { check, ...(problem !== undefined && { problem }) };
    } catch (error) {
      return { check, problem: words(error, lineOf) };
    }
  });
}

/** The problem that a check reports or throws: an error is a fault of the file, not of the lab. */
async function problemOf(
  examine: () => Promise<string | undefined>,
  lineOf?: LineOf,
): Promise<string | undefined> {
  try {
    return await examine();
  } catch (error) {
    return words(error, lineOf);
  }
}

function words(error: unknown, lineOf?: LineOf): string {
  if (!(error instanceof Error)) return `it throws ${String(error)}`;
  const line = lineOf?.(error);
  return `${line === undefined ? "it" : line} throws ${error.message.split("\n")[0]}`;
}

/** Counts calls of Math.random: with them a seed would not determine the result. */
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

const check = "CPython agrees";
const examples = 12;

/** Compares the states of a task with CPython, which gets the text alone and runs in the sandbox. */
async function agreesWithPython(prepared: Prepared, signal: AbortSignal): Promise<Finding> {
  if (prepared.posterior !== undefined) return { check, skipped: "the state has hidden randomness" };
  let drawn: ReturnType<typeof exampleFrom>[];
  try {
    drawn = Array.from({ length: examples }, (_, i) => exampleFrom(prepared, exampleStream(1, "train")(i)));
  } catch {
    return { check, skipped: "no example can be drawn" };
  }
  if (!drawn.every(({ text }) => isPython(text, prepared.variables))) {
    return { check, skipped: "the texts are no Python that assigns the variables" };
  }
  const jobs = drawn.flatMap(({ text, states }, example) =>
    states.map(({ end, values }) => ({ example, code: sessionCode(text.slice(0, end)), values })),
  );
  const sandbox = await openSandbox("auto", signal);
  try {
    const execution = await sandbox.execute({
      code: programOf(jobs),
      expression: `checked == ${jobs.length}`,
    });
    if (execution.kind === "passed") return { check };
    return { check, problem: execution.words.replace(/^AssertionError: /, "") };
  } finally {
    await sandbox.close();
  }
}

const programOf = (jobs: unknown) => `
import contextlib, io, json
checked = 0
for job in json.loads(${JSON.stringify(JSON.stringify(jobs))}):
    held = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(job["code"], held)
    for name, value in job["values"].items():
        found = str(held.get(name, "nothing"))
        last = job["code"].strip().split("\\n")[-1]
        assert found == value, f"example {job['example']}: after {last!r} {name} is {found}, and the state says {value}"
    checked += 1
`;
