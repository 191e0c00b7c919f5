import { linear, sum, type Weights } from "../../models/naive.ts";
import { conforms } from "./conformance.test-helper.ts";
import { type Question, stateLoss, surprise, weightedMean } from "./naive.test-helper.ts";
import { STATE_HEAD } from "./state/supervision.ts";

conforms(
  "linear",
  [
    { mixer: "deltanet", task: "parity-program", params: { length: 2 }, form: {} },
    { task: "repl", params: { commands: 2, spacing: 2 }, form: { layer: 0, state: "changed" } },
  ],
  stateLoss(linearNaive),
);

function linearNaive(weights: Weights, asked: readonly Question[]): number {
  const [bias] = weights[`${STATE_HEAD}.bias`];
  const pairs = asked.map(({ hidden, values }) => {
    const logits = sum(linear(hidden, weights[`${STATE_HEAD}.weight`]), bias);
    const classes = logits.length / values.length;
    return values.map(([value, weight], i) => {
      const own = logits.slice(i * classes, (i + 1) * classes);
      return [weight, surprise(own, value)] as const;
    });
  });
  return weightedMean(pairs.flat());
}
