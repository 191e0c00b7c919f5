import { expect, test } from "vitest";
import { conforms } from "./conformance.test-helper.ts";
import { naiveFirst } from "./naive.test-helper.ts";
import { setupOf } from "./setup.test-helper.ts";

conforms("next-token", [{ task: "parity-program", params: { length: [1, 3] } }], naiveFirst["next-token"]);

test("every position in use counts for the next token, and none behind it", () => {
  const given = setupOf("next-token", { task: "parity-program", params: { length: [1, 4] } });
  const { batch, feeds } = given;
  const weights = [...(feeds["next-token.weights"] as Float32Array)];
  const wanted = weights.map((_, at) =>
    Number(at % batch.length < batch.lengths[Math.floor(at / batch.length)]),
  );
  expect(weights).toEqual(wanted);
  expect(new Set(weights)).toEqual(new Set([0, 1]));
});

test("states that are not written have no next token to be learned", () => {
  expect(() => setupOf("next-token", { task: "group-words", params: { length: 3 } })).toThrow(
    'train.loss: expected "revealed-values" for a task that asks for states, got "next-token". Its words are random',
  );
});
