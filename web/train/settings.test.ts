import { expect, test } from "vitest";
import { modelNamed } from "../../src/models/index.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { taskNamed } from "../../src/tasks/index.ts";
import { setUp } from "../../src/train/setup.ts";
import { drawHeldOut } from "../../src/train/validation.ts";
import {
  budgets,
  type Choice,
  choiceFrom,
  objectives,
  pageConfig,
  pageModels,
  rates,
  tasks,
  widths,
} from "./settings.ts";

const own = Object.entries(tasks).filter(([, { column }]) => column === undefined);

/** Every size of every task with every width; the other settings once each. */
const everyChoice: readonly Choice[] = own.flatMap(([task, { size, isText }]) => [
  ...widths.flatMap((width) =>
    size!.values.map((value) => choiceFrom({ task, width: String(width), [size!.name]: String(value) })),
  ),
  ...rates.map((rate) => choiceFrom({ task, rate: String(rate) })),
  ...budgets.map((steps) => choiceFrom({ task, steps: String(steps) })),
  ...(isText ? Object.keys(objectives).map((objective) => choiceFrom({ task, objective })) : []),
]);

test("whatever is chosen is a run that the lab can train, and both sides read the same programs", () => {
  for (const choice of everyChoice)
    for (const name of Object.keys(pageModels(choice.task))) {
      const config = RunConfig.parse(pageConfig(choice, name));
      const { data } = setUp(config, {
        task: taskNamed(config.task.name),
        architecture: modelNamed(config.model.name),
      });
      expect(data.stages.length).toBe(config.curriculum.stages.length);
      const { length = 99 } = config.task as { readonly length?: number };
      if (name === "lstm" && length > 8) expect(drawHeldOut(data)?.places).toHaveLength(100); // of short words there are not so many
      expect({ ...pageConfig(choice, "lstm"), model: undefined }).toEqual({
        ...pageConfig(choice, name),
        model: undefined,
      });
    }
});

test("what a stranger wrote into the address is the nearest choice", () => {
  const strange = {
    ...{
      task: "__proto__",
      left: "<b>",
      right: "toString",
      width: "33",
      length: "1e9",
      spacing: "-1",
      seed: "x",
    },
    ...{ rate: "99", steps: "1e12", objective: "constructor" },
  };
  expect(choiceFrom(strange)).toEqual(choiceFrom({}));
  expect(
    choiceFrom({
      task: "swaps",
      left: "lstm",
      width: "16",
      spacing: "4",
      seed: "3",
      objective: "next-token",
    }),
  ).toMatchObject({
    ...{ task: "swaps", left: "lstm", right: "deltanet-2", width: 16, spacing: 4, seed: 3 },
    objective: "next-token",
  });
  expect(
    choiceFrom({ task: "zoo-s3-swaps", left: "gla", right: "lstm-2", objective: "next-token" }),
  ).toMatchObject({
    ...{ left: "gla", right: "deltanet", steps: 1000, objective: "revealed-values" },
  });
});
