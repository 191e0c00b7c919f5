import { expect, test } from "vitest";
import { modelNamed } from "../../src/models/index.ts";
import { RunConfig } from "../../src/records/run.ts";
import { taskNamed } from "../../src/tasks/index.ts";
import { setUp } from "../../src/train/setup.ts";
import {
  type Choice,
  choiceFrom,
  configOf,
  lengths,
  type ModelName,
  models,
  spacings,
  type TaskName,
  tasks,
  widths,
} from "./settings.ts";

const everyChoice = (Object.keys(tasks) as TaskName[]).flatMap((task) =>
  widths.flatMap((width) =>
    (task === "parity" ? lengths : spacings).map(
      (size): Choice => ({
        ...choiceFrom({}),
        task,
        width,
        ...(task === "parity" ? { length: size } : { spacing: size as 1 }),
      }),
    ),
  ),
);

test("whatever is chosen is a run that the lab can train, and both sides read the same programs", () => {
  for (const choice of everyChoice)
    for (const name of Object.keys(models) as ModelName[]) {
      const config = RunConfig.parse(configOf(choice, name));
      const { data } = setUp(config, {
        task: taskNamed(config.task.name),
        architecture: modelNamed(config.model.name),
      });
      expect(data.heldOut?.places).toHaveLength(
        choice.task === "parity" && choice.length === 8 ? data.heldOut!.places.length : 100,
      );
      expect({ ...configOf(choice, "lstm"), model: undefined }).toEqual({
        ...configOf(choice, name),
        model: undefined,
      });
    }
});

test("what a stranger wrote into the address is the nearest choice", () => {
  const strange = {
    task: "__proto__",
    left: "<b>",
    right: "toString",
    width: "33",
    length: "1e9",
    spacing: "-1",
    seed: "x",
  };
  expect(choiceFrom(strange)).toEqual(choiceFrom({}));
  expect(choiceFrom({ task: "swaps", left: "lstm", width: "16", spacing: "4", seed: "3" })).toMatchObject({
    ...{ task: "swaps", left: "lstm", right: "deltanet-2", width: 16, spacing: 4, seed: 3 },
  });
});
