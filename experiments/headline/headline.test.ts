import { expect, test } from "vitest";
import { densestTaught, hasPrograms } from "../../src/app/run/results.ts";
import { headline } from "./headline.ts";

test("each model is judged at the densest reveals of its own training: they are among the tests", () => {
  for (const { model, config, tests } of headline.plan({ scale: "laptop" }, [0]).runs) {
    const densest = densestTaught(config, config.curriculum.stages.length - 1);
    const judged = tests.filter(({ change }) =>
      densest.some((taught) => hasPrograms(config.task, taught, change)),
    );
    expect(
      judged.map(({ asTrained }) => asTrained),
      model,
    ).toEqual(judged.map(() => true));
    expect(
      judged.map(({ name }) => name),
      model,
    ).toContain("12/1");
  }
});

test("a test is as trained where the model's own curriculum has it", () => {
  const { runs } = headline.plan({ scale: "laptop" }, [0]);
  const trained = (name: string) =>
    runs
      .find(({ model }) => model === name)!
      .tests.flatMap(({ name, asTrained }) => (asTrained ? [name] : []));
  expect(trained("transformer")).toEqual(["12/1", "12/2", "12/4"]);
  for (const name of ["deltanet[-1,1]", "deltanet[0,1]", "lstm"])
    expect(trained(name), name).toEqual(["12/1 full", "12/1", "12/2", "12/4", "12/12"]);
});
