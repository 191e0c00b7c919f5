import { expect, test } from "vitest";
import { entropyLawFit } from "./teach-methods.ts";

const entropies = [1, 0.8, 0.5, 0.3, 0.1];

test("points of R = -2 e^H + 3 fit it, whatever the scale; points that do not lie on it fit less", () => {
  const exact = entropies.map((entropy) => ({ entropy, reward: 3 - 2 * Math.exp(entropy) }));
  expect(entropyLawFit(exact)).toBeCloseTo(1, 12);
  expect(entropyLawFit(exact.map((point) => ({ ...point, reward: 5 * point.reward })))).toBeCloseTo(1, 12);
  const linear = entropies.map((entropy) => ({ entropy, reward: 3 - 2 * entropy }));
  expect(entropyLawFit(linear)).toBeLessThan(0.995);
});
