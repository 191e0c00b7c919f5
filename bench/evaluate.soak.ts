import { expect, test } from "vitest";
import { checkSame, MODELS, measure } from "./evaluate.ts";

test.each(MODELS)(
  "%s gives the same answers by whole programs and token by token, and each is timed",
  async (model) => {
    const sizes = { steps: 30, width: 16, programs: 30, commands: 6, rounds: 2 };
    const row = await measure(model, sizes, new AbortController().signal);
    const { programs, reveals, accuracy, whole, tokens, sideBySide, ratio } = row;
    expect([row.model, programs, reveals]).toEqual([model, 30, 90]);
    expect(accuracy).toBeGreaterThan(0);
    expect(accuracy).toBeLessThan(1);
    expect(Math.min(whole, tokens, sideBySide)).toBeGreaterThan(0);
    expect(ratio).toBe(whole / Math.max(tokens, sideBySide));
  },
);

test("an answer that differs is refused, unless its two best logits are as good as equal", () => {
  const check = (hit: number, margin: number) => () =>
    checkSame(
      "lstm",
      [[1, 0]],
      [
        [
          { hit: 1, margin: 1 },
          { hit, margin },
        ],
      ],
    );
  expect(check(0, 1)).not.toThrow();
  expect(check(1, 1e-6)).not.toThrow();
  expect(check(1, 0.1)).toThrow(/lstm to give the same answers token by token/);
  expect(() => checkSame("lstm", [[1], []], [[{ hit: 1, margin: 1 }]])).toThrow(/to be asked the same/);
});
