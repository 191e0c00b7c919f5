import { expect, test } from "vitest";
import { type Rng, rngFrom } from "../core/rng.ts";
import { exampleFrom, prepareTask } from "./index.ts";
import { repl } from "./repl.ts";

test("with the right draws the writer gives the published sample, character by character", () => {
  const draws = [0, 2, 1, 0, 0, 0, 0]; // spacing; order 1 2 3; print a; swap the first with the next; print a
  const scripted: Rng = { ...rngFrom(0), below: () => draws.shift() ?? 0 };
  const prepared = prepareTask(repl, { commands: 1, spacing: 1, revealInitial: true });
  expect(exampleFrom(prepared, scripted).text).toBe(
    [
      ">>> a = 1",
      ">>> b = 2",
      ">>> c = 3",
      ">>> print('a', a)",
      "a 1",
      ">>> a, b = b, a",
      ">>> print('a', a)",
      "a 2",
      "",
    ].join("\n"),
  );
});
