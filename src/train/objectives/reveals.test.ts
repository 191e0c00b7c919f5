import { conforms } from "./conformance.test-helper.ts";
import { naiveFirst } from "./naive.test-helper.ts";

conforms(
  "reveals",
  [
    { task: "repl", params: { commands: 2, spacing: [1, 2] } },
    { mixer: "deltanet", task: "recall", params: {} },
  ],
  naiveFirst.reveals,
);
