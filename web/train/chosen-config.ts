/** @file The configuration of a choice: as the command line trains it, but the zoo's runs have held-out programs too. */

import { configOf as zooConfig } from "../../experiments/zoo/config.ts";
import { columns, rows, settings as zoo } from "../../experiments/zoo/data.ts";
import { parseWith } from "../../src/core/settings.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { asking, type Choice, configOf, tasks } from "./settings.ts";

export function chosenConfig(choice: Choice, model: string): RunConfig {
  const { column } = tasks[choice.task];
  if (column === undefined) return parseWith(RunConfig, configOf(choice, model), "config");
  const { seed, rate, steps } = choice;
  const { train, ...config } = zooConfig(zoo.laptop, rows[model], columns[column], { seed, rate });
  return parseWith(RunConfig, { ...config, train: { ...train, steps, ...asking } }, "config");
}
