import { expect, test } from "vitest";
import { type ModelCheck, modelChecks } from "./conformance/checks.ts";
import { runtime, small, varied, vocabulary } from "./conformance.test-helper.ts";
import { casesToTest, configsToTest } from "./subjects.test-helper.ts";
import { fit } from "./training.test-helper.ts";

const checks = Object.entries<ModelCheck>(modelChecks);
const cases = configsToTest.flatMap(({ name, config }) =>
  checks
    .filter(([, { skips }]) => skips?.(small(name, config)) === undefined)
    .map(([check, { examine }]) => ({ name, shown: JSON.stringify(config), check, config, examine })),
);

test("of the lab's own models only those that choose are passed over", () => {
  const passed = configsToTest.filter(({ name, config }) =>
    checks.some(([, { cheap, skips }]) => !cheap && skips?.(small(name, config)) !== undefined),
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

test.each(casesToTest)(
  "$name $shown: eight examples are learned by heart within 250 steps",
  async ({ name, config }) => {
    const losses = await fit(small(name, { ...config, width: 16, feedForward: 32 }), 250, 0.05);
    expect(Math.abs(losses[0] - Math.log(vocabulary))).toBeLessThan(0.1); // small initial weights: a uniform guess
    expect(losses.at(-1)).toBeLessThan(0.05);
  },
);
