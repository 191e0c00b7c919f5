/**
 * @file Every objective, by name, and which of them a configuration mixes. To add one: write its file, its test and one line here.
 *
 * State heads in the order of their strength: `linear`, `decoder`, `contrastive`; and `metric`, which asks for distances alone.
 */

import { suggest } from "../../core/did-you-mean.ts";
import { fail } from "../../core/error.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import type { ChosenSignal } from "../signals/index.ts";
import { signalObjective } from "../signals/objective.ts";
import { contrastiveState } from "./contrastive.ts";
import { decoderState } from "./decoder.ts";
import { executionHeads } from "./execution.ts";
import { linearState } from "./linear.ts";
import { metricState } from "./metric.ts";
import { nextToken } from "./next-token.ts";
import type { Objective, ObjectiveSetting } from "./objective.ts";
import { posterior } from "./posterior.ts";
import { reveals } from "./reveals.ts";

type MakeObjective = (setting: ObjectiveSetting) => Objective;

export const objectives = {
  reveals,
  "next-token": nextToken,
  posterior,
  linear: linearState,
  decoder: decoderState,
  contrastive: contrastiveState,
  metric: metricState,
  execution: executionHeads,
} as const satisfies Record<string, MakeObjective>;
export type ObjectiveName = keyof typeof objectives;

/** What a configuration trains for, the model's own loss first. Errors: LabError for what does not fit task or model. */
export function objectivesOf(
  setting: ObjectiveSetting,
  signal: ChosenSignal | undefined,
): { objective: Objective; weight: number }[] {
  const [first, ...others] = asked(setting.config);
  const twice = others.find(({ name }) => name === first.name);
  if (twice !== undefined) fail(twice.at, "another objective than that of train.loss", twice.name);
  const weighed = signalObjective(setting, signal);
  return [first, ...others].map(({ at, name, weight }, i) => {
    const objective = i === 0 && weighed !== undefined ? weighed : objectiveNamed(name, at)(setting);
    return { objective, weight: weight ?? objective.usualWeight ?? 1 };
  });
}

/** Names with their weights, and where in the configuration they stand. */
function asked({ train, stateSupervision }: RunConfig) {
  const first = { at: "train.loss", name: train.loss, weight: 1 };
  if (stateSupervision === undefined) return [first];
  const { head: name, weight } = stateSupervision;
  return [first, { at: "stateSupervision.head", name, weight }];
}

function objectiveNamed(name: string, at: string): MakeObjective {
  if (Object.hasOwn(objectives, name)) return objectives[name as ObjectiveName];
  return fail(at, "the name of an objective", name, suggest(name, Object.keys(objectives)));
}
