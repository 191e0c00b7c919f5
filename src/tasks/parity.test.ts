import { expect, test } from "vitest";
import { drawExamples } from "./examples.test-helper.ts";
import { prepareTask } from "./index.ts";
import { parity } from "./parity.ts";

const drawn = (params: object, count: number) => drawExamples(parity, params, count);

test("who sees the last W bits is right as often as the commoner parity among all beginnings", () => {
  const { references } = prepareTask(parity, { length: [2, 5] }); // W = 5
  for (const example of drawn({ length: 8, targets: "each" }, 10)) {
    const wanted = Array.from({ length: 8 }, (_, at) => {
      const hidden = Math.max(0, at + 1 - 5);
      const beginnings = Array.from(
        { length: 2 ** hidden },
        (_, code) => code.toString(2).replaceAll("0", "").length,
      );
      const odd = beginnings.filter((ones) => ones % 2 === 1).length / beginnings.length;
      return Math.max(odd, 1 - odd);
    });
    expect(references?.windowedBayes(example)).toEqual(wanted);
  }
});
