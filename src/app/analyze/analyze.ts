/** @file The work of `statelab analyze`: reads the programs once, hands the record to each analysis that is asked for. */

import { modelAccuracy } from "../../analysis/accuracy.ts";
import type { AnalysisInput, Steps } from "../../analysis/analysis.ts";
import type { AnalysisDocument, AnyAnalysis } from "../../analysis/document.ts";
import { type AnalysisName, analyses } from "../../analysis/index.ts";
import { fail } from "../../core/error.ts";
import { rngFrom } from "../../core/rng.ts";
import { mixerTraits } from "../../models/index.ts";
import { referencesInTurns, type Test } from "../../train/evaluate.ts";
import { type TrainedRun, testAbout } from "../run/open.ts";
import { declaredTaps } from "./forward.ts";
import { patchedForward } from "./patch-pairs.ts";
import { collect } from "./record-activations.ts";

export interface AnalyseOptions {
  readonly folder: string;
  /** Over the parameters of the task. */
  readonly change: Readonly<Record<string, unknown>>;
  readonly programs: number;
  readonly seed: number;
  readonly only: readonly AnalysisName[];
  readonly command: string;
  /** Called after every step of the reading and of each analysis; it may throw to stop. */
  readonly tick: (name: string, done: number, of: number) => Promise<void>;
}

export async function analyseRun(run: TrainedRun, options: AnalyseOptions): Promise<AnalysisDocument> {
  const { folder, change, programs, seed, command, only, tick } = options;
  const pause = () => tick("reading", 0, 1);
  const test = { ...testAbout(run, change, programs), pause };
  const asked = Object.values<AnyAnalysis>(analyses).filter(({ name }) => only.includes(name));
  const references = await readReferences(run, test); // before the model reads, so that progress never goes back
  let afterRun = (done: number, of: number) => tick("reading", done, of);
  const collected = await collect(run, test, (done, of) => afterRun(done, of), tapsOf(asked, run));
  const { recording, forward, valueTokens, ask } = collected;
  try {
    if (recording.programs.length < 2) {
      fail(
        folder,
        "programs that the run was not trained on",
        recording.programs.length,
        "Change the task with --set",
      );
    }
    const found: Partial<Record<AnalysisName, unknown>> = {};
    const missing: Record<string, string> = {};
    for (const { name, needs, measure } of asked) {
      const steps = stepsOf(name, tick);
      afterRun = steps.step;
      const given: AnalysisInput = {
        ...{ recording, ask, steps, heads: forward.heads },
        askPairs: (pairs) =>
          patchedForward(pairs, {
            ...{ forward, valueTokens, vocabulary: run.data.tokenizer.tokens },
            tick: steps.step,
          }),
        runsFor: (count) => Math.ceil(count / forward.rows),
        rng: rngFrom(seed).fork(name),
      };
      await tick(name, 0, 1);
      const unmet = needs.find((need) => !need.isMet(given));
      const result: unknown = unmet === undefined ? await measure(given) : unmet.otherwise;
      if (typeof result === "string") missing[name] = result;
      else found[name] = result;
      await steps.finish();
    }
    const { name: taskName, ...rest } = run.config.task;
    return {
      run: folder,
      step: run.step,
      model: run.config.model,
      ...(run.stalled && { stalled: run.stalled }),
      task: { name: taskName, ...rest, ...change },
      seed,
      programs: recording.programs.length,
      command,
      measured: modelAccuracy(recording, references),
      missing,
      ...(found as Pick<AnalysisDocument, AnalysisName>), // each by the analysis of its name
    };
  } finally {
    await forward.release();
  }
}

/** What the analyses read, as `layers.L.NAME`. */
function tapsOf(asked: readonly AnyAnalysis[], run: TrainedRun): string[] {
  const declared = declaredTaps(run);
  return run.model.mixers.flatMap((mixer, layer) => {
    const traits = mixerTraits(mixer);
    const names = asked.flatMap(({ needs }) => needs.flatMap((need) => need.taps(traits, declared[layer])));
    return [...new Set(names)].map((name) => `layers.${layer}.${name}`);
  });
}

/** Counts steps. An analysis that expects none is one step; one that ends early has nothing left to do. */
function stepsOf(name: string, tick: AnalyseOptions["tick"]): Steps & { finish(): Promise<void> } {
  let [done, of] = [0, 1];
  const step = () => tick(name, ++done, of);
  return {
    expect(steps) {
      of = steps;
    },
    step,
    async finish() {
      if (done < of) await tick(name, of, of);
    },
  };
}

/** Accuracies of the task's computed solvers, with the window of the hardest variant that was trained. */
export async function readReferences(run: TrainedRun, test: Test): Promise<Record<string, number>> {
  const hardest = run.config.curriculum.stages.at(-1)?.at(-1) ?? {};
  const { references = {} } = run.data.variant(hardest, "curriculum");
  const evaluated = await referencesInTurns({ ...test, prepared: { ...test.prepared, references } });
  return Object.fromEntries(Object.entries(evaluated).map(([name, { accuracy }]) => [name, accuracy]));
}
