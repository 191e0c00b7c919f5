import { conforms } from "./conformance.test-helper.ts";
import { naiveFirst } from "./naive.test-helper.ts";

conforms(
  "revealed-values",
  [
    { task: "repl", params: { commands: 2, spacing: [1, 2] } },
    { mixer: "deltanet", task: "recall", params: {} },
  ],
  naiveFirst["revealed-values"],
);
