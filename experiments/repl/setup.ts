/** @file Runs on REPL traces, for every experiment that trains on them. */

import type { RunConfig } from "../../src/records/run.ts";
import type { ArchitectureName } from "../engine/architectures.ts";
import type { PlannedTest } from "../engine/experiment.ts";
import { configOf, type TrainingSetup } from "../engine/setup.ts";

export interface ReplSetup extends TrainingSetup {
  readonly variables: number;
  readonly commandKind?: "swap" | "permutation";
  /** Of one variable (the default), or of all. */
  readonly reveal?: "partial" | "full";
  readonly commands: number;
  /** Commands per reveal, densest first: the curriculum widens them one by one. */
  readonly spacings: readonly number[];
}

/**
 * [1], [1, 2], [1, 2, 4], ...: the widest spacing of a stage stands last and decides. In the last stage it is drawn as
 * often as all others twice over, since a program with a wide spacing has the fewest reveals, and so the least loss.
 */
export function stagesOf(spacings: readonly number[]) {
  const stages = spacings.map((_, i) => spacings.slice(0, i + 1).map((spacing) => ({ spacing })));
  const last = stages[stages.length - 1];
  const repeated = Array.from(
    { length: Math.max(0, 2 * (spacings.length - 1) - 1) },
    () => last[last.length - 1],
  );
  return [...stages.slice(0, -1), [...last, ...repeated]];
}

export function replRun(
  setup: ReplSetup,
  architecture: ArchitectureName,
  seed: number,
  learningRate: number,
): RunConfig {
  const { variables, commandKind = "swap", reveal = "partial", commands, spacings } = setup;
  const task = {
    name: "repl",
    variables,
    ...(commandKind !== "swap" && { commandKind }),
    ...(reveal !== "partial" && { reveal }),
    commands,
    spacing: [...spacings],
  };
  return configOf(setup, { task, stages: stagesOf(spacings) }, architecture, seed, learningRate);
}

/** Sessions of `commands` commands with a reveal every `spacing`: `48/24`. */
export function replTest(
  variables: number,
  commands: number,
  spacing: number,
  asTrained: boolean,
): PlannedTest {
  return {
    name: testName(commands, spacing),
    change: { commands, spacing },
    asTrained,
    chance: 1 / variables,
  };
}

export const testName = (commands: number, spacing: number) => `${commands}/${spacing}`;

/** Commands that the windowed filter sees: twice the widest spacing that is trained. */
export const windowOf = ({ spacings }: Pick<ReplSetup, "spacings">) => 2 * Math.max(...spacings);

/** A spacing for the program that the report shows. */
export const middleSpacing = ({ spacings }: Pick<ReplSetup, "spacings">) =>
  spacings[Math.min(2, spacings.length - 1)];
