/** @file Every signal, by name, and what of a training it changes. To add one: write its file, its test and one line here. */

import { suggest } from "../../core/did-you-mean.ts";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { type RunConfig, StateSupervision } from "../../schemas/run-config.ts";
import type { ExampleStream } from "../../tasks/example.ts";
import type { Prepared } from "../../tasks/task.ts";
import { dense } from "./dense.ts";
import { hint } from "./hint.ts";
import { nextToken } from "./next-token.ts";
import { noisy } from "./noisy.ts";
import { reconstructed } from "./reconstructed.ts";
import { reveals } from "./reveals.ts";
import { reward } from "./reward.ts";
import type { Signal } from "./signal.ts";

export const signals = {
  "next-token": nextToken,
  reveals,
  dense,
  reconstructed,
  noisy,
  reward,
  hint,
};
export type SignalName = keyof typeof signals;

export interface ChosenSignal {
  readonly signal: Signal;
  readonly params: unknown;
}

/** The signal that a configuration names. Errors: LabError for one that is not there, or fields that it does not have. */
export function signalOf({ teach }: Pick<RunConfig, "teach">): ChosenSignal | undefined {
  if (teach?.signal === undefined) return undefined;
  const { name, ...own } = typeof teach.signal === "string" ? { name: teach.signal } : teach.signal;
  if (!Object.hasOwn(signals, name))
    return fail("teach.signal", "the name of a signal", name, suggest(name, Object.keys(signals)));
  const signal = signals[name as SignalName] as Signal; // its params are parsed by its own schema
  return { signal, params: parseWith(signal.params, own, "teach.signal") };
}

/** The configuration with the state head that its signal needs. */
export function withStateHead(config: RunConfig, chosen: ChosenSignal | undefined): RunConfig {
  if (chosen?.signal.supervises === undefined || config.stateSupervision !== undefined) return config;
  return { ...config, stateSupervision: StateSupervision.parse({}) };
}

/** What a signal changes of the data that are trained on. */
export function taughtData(chosen: ChosenSignal | undefined) {
  const programs = chosen?.signal.corpus?.(chosen.params);
  return {
    shown: (prepared: Prepared): Prepared => chosen?.signal.show?.(prepared, chosen.params) ?? prepared,
    streamOf: (stream: ExampleStream): ExampleStream =>
      programs === undefined ? stream : (index) => stream(index % programs),
  };
}
