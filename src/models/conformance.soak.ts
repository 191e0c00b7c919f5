import { expect, test } from "vitest";
import { runtime, small, varied } from "./conformance.test-helper.ts";
import { type ModelCheck, modelChecks } from "./examine/checks.ts";
import { configsToTest } from "./subjects.test-helper.ts";

const slow = Object.entries<ModelCheck>(modelChecks).filter(([, { cheap }]) => !cheap);
const cases = configsToTest.flatMap(({ name, config }) =>
  slow
    .filter(([, { skips }]) => skips?.(small(name, config)) === undefined)
    .map(([check, { examine }]) => ({ name, shown: JSON.stringify(config), check, config, examine })),
);

test("of the lab's own models only those that choose are passed over", () => {
  const passed = configsToTest.filter(({ name, config }) =>
    slow.some(([, { skips }]) => skips?.(small(name, config)) !== undefined),
  );
  expect(new Set(passed.map(({ name }) => name))).toEqual(new Set(["pd-ssm", "seqboat"]));
});

test.each(cases)(
  "$name $shown: the check that users ask of their own models finds nothing: $check",
  async ({ name, config, examine }) => {
    const model = small(name, config);
    expect(await examine({ model, tree: varied(model), runtime })).toBeUndefined();
  },
);
