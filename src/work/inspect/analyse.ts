/** @file The work of `statelab analyse`: reads the programs once, hands the record to each analysis that is asked for. */

import { ablateHeads, accuracyOf } from "../../analysis/ablation.ts";
import { attentionOf } from "../../analysis/attention.ts";
import { extractAutomaton } from "../../analysis/automaton.ts";
import { betaOfHeads } from "../../analysis/beta.ts";
import type { AnalysisDocument, Measured } from "../../analysis/document.ts";
import { keysOfHeads } from "../../analysis/keys.ts";
import { patchHeads, programPairs } from "../../analysis/patching.ts";
import { probeStates } from "../../analysis/probe.ts";
import type { Recording } from "../../analysis/recording.ts";
import { trajectoriesOf } from "../../analysis/trajectories.ts";
import { rngFrom } from "../../math/rng.ts";
import { mixers } from "../../models/index.ts";
import { fail } from "../../records/error.ts";
import { prepareVariant } from "../../train/data.ts";
import { evaluateReferences, type Test } from "../../train/evaluate.ts";
import { type TrainedRun, testAbout } from "../run/trained.ts";
import { type Collected, collect, READ } from "./collect.ts";
import { askerOf } from "./pairs.ts";

/** Each is read once for every head and token: two runs of the model. */
const MOST_PAIRS = 50;

export interface AnalyseOptions {
  readonly folder: string;
  /** Over the parameters of the task. */
  readonly change: Readonly<Record<string, unknown>>;
  readonly programs: number;
  readonly seed: number;
  readonly only: readonly AnalysisName[];
  readonly command: string;
  /** Called after every run of the model; it may throw to stop. */
  readonly tick: (name: string, done: number, of: number) => Promise<void>;
}

type Findings = Partial<
  Pick<
    AnalysisDocument,
    "beta" | "ablation" | "patching" | "attention" | "keys" | "probes" | "automaton" | "trajectories"
  >
>;
interface Given extends Collected {
  readonly run: TrainedRun;
  readonly options: AnalyseOptions;
}
/** What an analysis found, or a sentence that says why there is nothing to find. */
type Analysis = (given: Given) => Promise<Findings | string> | Findings | string;

const analyses = {
  beta({ recording, run }) {
    const heads = betaOfHeads(recording, betaMaxOf(run));
    return heads.length === 0
      ? "no layer of this model has a beta"
      : { beta: { betaMax: betaMaxOf(run), heads } };
  },
  async ablation({ forward: { heads }, ask, options }) {
    if (heads.length === 0) return "no layer of this model has heads that can be silenced";
    return { ablation: await ablateHeads(heads, ask, { rng: rngFrom(options.seed).fork("ablation") }) };
  },
  async patching({ recording, forward, valueTokens, run, options }) {
    if (forward.heads.length === 0) return "no layer of this model has heads that can be patched";
    const rng = rngFrom(options.seed).fork("patching");
    const pairs = programPairs(recording.programs, MOST_PAIRS, rng.fork("pairs"));
    let ticks = 0;
    const ask = await askerOf(pairs, {
      ...{ forward, valueTokens, vocabulary: run.data.tokenizer.tokens },
      tick: () => options.tick("patching", ++ticks % 100, 100),
    });
    const found = await patchHeads(pairs, forward.heads, ask, rng);
    return typeof found === "string" ? found : { patching: found };
  },
  async attention({ recording, run, options }) {
    const work = attentionOf(recording, attentionLayers(run));
    for (let done = 0; ; done++) {
      const step = work.next();
      if (step.done) return typeof step.value === "string" ? step.value : { attention: step.value };
      await options.tick("attention", done, done + 4);
    }
  },
  keys({ recording, run }) {
    const keys = keysOfHeads(recording, betaMaxOf(run));
    return keys.length === 0 ? "no layer of this model has keys and a beta" : { keys };
  },
  async probes({ recording, options }) {
    const work = probeStates(recording, rngFrom(options.seed).fork("probes"));
    for (let done = 0; ; done++) {
      const step = work.next();
      if (step.done) return { probes: step.value };
      await options.tick(`probes, ${step.value}`, done, done + 4);
    }
  },
  automaton({ recording, options }) {
    const found = extractAutomaton(recording, rngFrom(options.seed).fork("automaton"));
    return typeof found === "string" ? found : { automaton: found };
  },
  trajectories({ recording }) {
    const trajectories = trajectoriesOf(recording);
    return trajectories === undefined
      ? "no program has hidden states at the ends of commands"
      : { trajectories };
  },
} as const satisfies Readonly<Record<string, Analysis>>;

export type AnalysisName = keyof typeof analyses;
export const analysisNames = Object.keys(analyses) as AnalysisName[];

export async function analyseRun(run: TrainedRun, options: AnalyseOptions): Promise<AnalysisDocument> {
  const { folder, change, programs, seed, command, only } = options;
  const test = testAbout(run, change, programs);
  let ticks = 0;
  let name = "reading";
  const queries = only.includes("attention") ? attentionLayers(run).map((l) => `layers.${l}.query`) : [];
  const collected = await collect(run, test, () => options.tick(name, ++ticks % 100, 100), [
    ...READ,
    ...queries,
  ]);
  try {
    const { recording } = collected;
    if (recording.programs.length < 2) {
      fail(
        folder,
        "programs that the run was not trained on",
        recording.programs.length,
        "Change the task by --set",
      );
    }
    const found: Findings = {};
    const missing: Record<string, string> = {};
    for (const each of analysisNames.filter((known) => only.includes(known))) {
      name = each;
      await options.tick(name, 0, 100);
      const analysis: Analysis = analyses[each];
      const result = await analysis({ ...collected, run, options });
      if (typeof result === "string") missing[each] = result;
      else Object.assign(found, result);
    }
    const { name: taskName, ...rest } = run.config.task;
    return {
      run: folder,
      step: run.step,
      model: run.config.model,
      task: { name: taskName, ...rest, ...change },
      seed,
      programs: recording.programs.length,
      command,
      measured: measuredOf(recording, referencesOf(run, test)),
      missing,
      ...found,
    };
  } finally {
    await collected.forward.release();
  }
}

/** Of other mixers queries and keys are not weighed by a softmax. */
export function attentionLayers({ model }: TrainedRun): number[] {
  return model.mixers.flatMap(({ mixer }, layer) => (mixer === mixers.transformer ? [layer] : []));
}

/** The widest range of any layer; 2 where the model does not say. */
export function betaMaxOf({ config }: TrainedRun): number {
  return config.model.betaMax === 1 ? 1 : 2;
}

/** Accuracies of the task's computed solvers, with the window of the hardest variant that was trained. */
export function referencesOf(run: TrainedRun, test: Test): Record<string, number> {
  const hardest = run.config.curriculum.stages.at(-1)?.at(-1) ?? {};
  const { references = {} } = prepareVariant(run.task, run.config, hardest, "curriculum");
  const evaluated = evaluateReferences({ ...test, prepared: { ...test.prepared, references } });
  return Object.fromEntries(Object.entries(evaluated).map(([name, { accuracy }]) => [name, accuracy]));
}

function measuredOf({ programs, answers }: Recording, references: Record<string, number>): Measured {
  const byCommands = new Map<number, { asked: number; right: number }>();
  const asked = programs.map(({ questions, commands }, i) => {
    let right = 0;
    for (const [k, { position, value }] of questions.entries()) {
      const at = byCommands.get(commands[position]) ?? { asked: 0, right: 0 };
      byCommands.set(commands[position], at);
      const hit = answers[i][k] === value ? 1 : 0;
      at.asked++;
      at.right += hit;
      right += hit;
    }
    return { asked: questions.length, right };
  });
  return {
    questions: asked.reduce((sum, each) => sum + each.asked, 0),
    ...accuracyOf(asked),
    references,
    byCommands: [...byCommands]
      .sort(([a], [b]) => a - b)
      .map(([commands, at]) => ({ commands, asked: at.asked, accuracy: at.right / at.asked })),
  };
}
