import { expect, test } from "vitest";
import { conforms } from "./conformance.test-helper.ts";
import { naiveFirst } from "./naive.test-helper.ts";
import { setupOf } from "./setup.test-helper.ts";

conforms("next-token", [{ task: "parity-program", params: { length: [1, 3] } }], naiveFirst["next-token"]);

test("states that are not written have no next token to be learned", () => {
  expect(() => setupOf("next-token", { task: "group-words", params: { length: 3 } })).toThrow(
    'train.loss: expected "revealed-values" for a task that asks for states, got "next-token". Its words are random',
  );
});
