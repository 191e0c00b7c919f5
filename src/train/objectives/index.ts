/**
 * @file The registry of objectives, and the objectives that a configuration names. To add one: its file, its test, one line here.
 *
 * State heads, strongest first: `linear`, `decoder`, `contrastive`; and `metric`, which asks for distances alone.
 */

import { suggest } from "../../core/did-you-mean.ts";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { type RunConfig, StateSupervision } from "../../schemas/run-config.ts";
import type { Prepared } from "../../tasks/task.ts";
import { contrastiveState } from "./contrastive.ts";
import { copy, selectiveCopy } from "./copy.ts";
import { decoderState } from "./decoder.ts";
import { executionHeads } from "./execution.ts";
import { hint } from "./hint.ts";
import { infill } from "./infill.ts";
import { linearState } from "./linear.ts";
import { metricState } from "./metric.ts";
import { nextToken } from "./next-token.ts";
import { noisy } from "./noisy.ts";
import type {
  ChosenSignal,
  MakeObjective,
  Objective,
  ObjectiveForms,
  ObjectiveSetting,
} from "./objective.ts";
import { wrapped } from "./part.ts";
import { posterior } from "./posterior.ts";
import { dense, reconstructed } from "./reconstructed.ts";
import { revealedValues } from "./revealed-values.ts";
import { reward } from "./reward.ts";
import { weighedObjective } from "./weighed.ts";

export const objectives = {
  "revealed-values": revealedValues,
  "next-token": nextToken,
  posterior: { loss: posterior },
  linear: { loss: linearState },
  decoder: { loss: decoderState },
  contrastive: { loss: contrastiveState },
  metric: { loss: metricState },
  execution: { loss: executionHeads },
  dense: { signal: dense },
  reconstructed: { signal: reconstructed },
  noisy: { signal: noisy },
  reward: { signal: reward },
  hint: { signal: hint },
  copy: { part: copy },
  "selective-copy": { part: selectiveCopy },
  infill: { part: infill },
} as const satisfies Record<string, ObjectiveForms>;
export type ObjectiveName = keyof typeof objectives;

/** One line for `statelab list objectives`. */
export const objectiveSummaries: Readonly<Record<ObjectiveName, string>> = {
  "revealed-values": "predict each revealed value (the default loss)",
  "next-token": "predict every next token",
  posterior: "predict the exact probability of each revealed value",
  linear: "state head: one classifier per variable",
  decoder: "state head: a small Transformer writes the state",
  contrastive: "state head: match hidden vectors to their true states",
  metric: "state head: distances of hidden vectors match distances of states",
  execution: "predict which lines ran, and the final values and types",
  dense: "predict the true state after each line",
  reconstructed: "predict a state drawn from the exact posterior after each line",
  noisy: "revealed values that are wrong with a given probability",
  reward: "sample answers and reinforce the right ones",
  hint: "learn from scores of the same model with the answer in its text",
  copy: "repeat a program",
  "selective-copy": "copy the pieces of a program that are named",
  infill: "fill in removed pieces of a program",
};

type Form = keyof ObjectiveForms;

/** Names of the objectives with one of the forms. */
export const namesWith = (form: Form): string[] =>
  Object.entries<ObjectiveForms>(objectives).flatMap(([name, forms]) => (form in forms ? [name] : []));

const formsOf = (name: string): ObjectiveForms =>
  Object.hasOwn(objectives, name) ? objectives[name as ObjectiveName] : {};

type Named = string | { readonly name: string; readonly [field: string]: unknown };

/** `copy` and `{ name: copy, ... }`. */
const asNamed = (given: Named) => (typeof given === "string" ? { name: given } : given);

export const nameOf = (given: Named): string => asNamed(given).name;

/** The losses of a configuration, that of the model first. Errors: LabError for one that does not fit the task or model. */
export function resolveObjectives(
  setting: ObjectiveSetting,
  signal: ChosenSignal | undefined,
): { objective: Objective; weight: number }[] {
  const [first, ...others] = asked(setting.config, signal);
  const twice = others.find(({ name }) => name === first.name);
  if (twice !== undefined) fail(twice.at, "another objective than that of train.loss", twice.name);
  const weighed = weighedObjective(setting, signal);
  return [first, ...others].map(({ at, name, weight }, i) => {
    const objective = i === 0 && weighed !== undefined ? weighed : lossNamed(name, at)(setting);
    return { objective, weight: weight ?? objective.usualWeight ?? 1 };
  });
}

/** Names of the losses with their weights and configuration keys. */
function asked({ train, stateSupervision }: RunConfig, signal: ChosenSignal | undefined) {
  const first = { at: "train.loss", name: train.loss, weight: 1 };
  if (stateSupervision === undefined && !signal?.supervises) return [first];
  const { head: name, weight } = stateSupervision ?? StateSupervision.parse({});
  return [first, { at: "stateSupervision.head", name, weight }];
}

function lossNamed(name: string, at: string): MakeObjective {
  const names = namesWith("loss");
  return formsOf(name).loss ?? fail(at, `one of ${names.join(", ")}`, name, suggest(name, names));
}

/** The signal that a configuration names. Errors: LabError for an unknown name or field. */
export function chosenSignal({ objective }: Pick<RunConfig, "objective">): ChosenSignal | undefined {
  if (objective === undefined) return undefined;
  const { name, ...own } = asNamed(objective);
  const { signal } = formsOf(name);
  if (signal === undefined)
    return fail("objective", "the name of a signal", name, suggest(name, namesWith("signal")));
  const params: unknown = parseWith(signal.params, own, "objective");
  const { supervises = false, keepsBeginning = false, weighing } = signal;
  const programs = signal.corpus?.(params);
  return {
    ...{ name, supervises, keepsBeginning },
    show: (prepared) => signal.show?.(prepared, params) ?? prepared,
    streamOf: (stream) => (programs === undefined ? stream : (index) => stream(index % programs)),
    weighing: weighing && {
      layers: weighing.layers(params),
      records: weighing.records ?? [],
      weigh: (setting) => weighing.weigh(params, setting),
    },
  };
}

/** The objective of a part that is the task itself. */
export const OWN_OBJECTIVE = "revealed-values";

/**
 * Wraps the task as a part of a mixture asks it; undefined for the task itself. Errors: LabError for an unknown name or field.
 * @param at the key of the part.
 */
export function partNamed(given: Named, at: string): ((wide: Prepared) => Prepared) | undefined {
  const { name, ...own } = asNamed(given);
  if (name === OWN_OBJECTIVE && Object.keys(own).length === 0) return undefined;
  const { part } = formsOf(name);
  if (part === undefined) {
    const names = [OWN_OBJECTIVE, ...namesWith("part")];
    return fail(`${at}.objective`, `one of ${names.join(", ")}`, name, suggest(name, names));
  }
  const params: unknown = parseWith(part.params, own, `${at}.objective`);
  return (wide) => wrapped(wide, part, params);
}
