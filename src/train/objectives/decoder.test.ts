import { configureModel, modelNamed } from "../../models/index.ts";
import { linear, type Weights } from "../../models/naive.ts";
import { naive } from "../../models/training.test-helper.ts";
import { conforms } from "./conformance.test-helper.ts";
import { DECODER } from "./decoder.ts";
import { type Question, stateLoss, surprise, weightedMean } from "./naive.test-helper.ts";
import { folder } from "./setup.test-helper.ts";
import { STATE_HEAD } from "./state/supervision.ts";

conforms(
  "decoder",
  [
    {
      mixer: "deltanet",
      task: "arithmetic-program",
      params: { length: 1, digits: 2 },
      form: { state: "changed" },
    },
    { task: "parity-program", params: { length: 1 }, form: { position: "line" } },
    { task: "code-traces", params: folder, form: { state: "changed" } },
  ],
  stateLoss(decoderNaive),
);

function decoderNaive(weights: Weights, asked: readonly Question[]): number {
  const prefix = `${STATE_HEAD}.decoder.`;
  const own = Object.fromEntries(
    Object.entries(weights)
      .filter(([path]) => path.startsWith(prefix))
      .map(([path, rows]) => [path.slice(prefix.length), rows]),
  );
  const end = own.embedding.length - 1;
  const decoder = configureModel(modelNamed(DECODER.name), DECODER, end + 1, "decoder");
  const pairs = asked.map(({ hidden, text }) => {
    // The hidden vector is one word more.
    const first = linear(hidden, weights[`${STATE_HEAD}.input`]);
    const logits = naive(decoder, { ...own, embedding: [...own.embedding, first] }, [end + 1, ...text]);
    return [...text, end].map((target, i) => [1, surprise(logits[i], target)] as const);
  });
  return weightedMean(pairs.flat());
}
