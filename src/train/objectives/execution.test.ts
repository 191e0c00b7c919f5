import { expect, test } from "vitest";
import { linear, sum, type Weights } from "../../models/naive.ts";
import { exampleFrom, exampleStream } from "../../tasks/index.ts";
import { conforms } from "./conformance.test-helper.ts";
import { EXECUTION_HEADS } from "./execution.ts";
import { readerOf, surprise } from "./naive.test-helper.ts";
import { computed, type ObjectiveCase, SEED, setupOf } from "./setup.test-helper.ts";

const small = { conditions: [1, 2] as const, lines: 1, numbers: 12 };

conforms(
  "execution",
  [
    { mixer: "deltanet", task: "branches", params: small, form: {} },
    { task: "branches", params: { ...small, conditions: 1 }, form: { layer: 0, typeWeight: 0 } },
  ],
  executionNaive,
);

const mean = (values: readonly number[]) => values.reduce((all, each) => all + each, 0) / values.length;

/** From the text of each example, its labels and the model's naive twin. */
function executionNaive(
  { config, model, batch, prepared, tokenizer }: ObjectiveCase,
  weights: Weights,
): number {
  const read = readerOf(model, weights, config.stateSupervision?.layer ?? model.layers - 1);
  const { valueClasses, typeClasses } = prepared.execution!;
  const surprises = { ran: [] as number[], value: [] as number[], type: [] as number[] };
  const say = (
    head: keyof typeof surprises,
    hidden: readonly number[],
    classes: number,
    i: number,
    label: number,
  ) => {
    const [bias] = weights[`${EXECUTION_HEADS}.${head}.bias`];
    const logits = sum(linear(hidden, weights[`${EXECUTION_HEADS}.${head}.weight`]), bias);
    surprises[head].push(surprise(logits.slice(i * classes, (i + 1) * classes), label));
  };
  for (let row = 0; row < batch.rows; row++) {
    const example = exampleFrom(prepared, exampleStream(SEED, "train")(row));
    const hidden = read(tokenizer.encode(example.text));
    const at = (end: number) => hidden[tokenizer.encode(example.text.slice(0, end)).length - 1];
    const { lines, end, values } = prepared.execution!.of(example);
    for (const line of lines) say("ran", at(line.end), 2, 0, Number(line.ran));
    for (const [i, { value, type }] of values.entries()) {
      say("value", at(end), valueClasses.length, i, valueClasses.indexOf(value));
      say("type", at(end), typeClasses.length, i, typeClasses.indexOf(type));
    }
  }
  const { typeWeight = 1 } = config.stateSupervision ?? {};
  return mean(surprises.ran) + mean(surprises.value) + typeWeight * mean(surprises.type);
}

test("with zeros for weights the heads guess uniformly, and what they get right is counted", async () => {
  const given = setupOf("execution", { task: "branches", params: small, form: {} });
  for (const [path, numbers] of Object.entries(given.parameters))
    if (path.startsWith(EXECUTION_HEADS)) numbers.fill(0);
  given.parameters[`${EXECUTION_HEADS}.ran.bias`][1] = 30; // every line ran
  const { found } = await computed(given, [given.first, given.own]);
  const labels = [0, 1].map((row) =>
    given.prepared.execution!.of(exampleFrom(given.prepared, exampleStream(SEED, "train")(row))),
  );
  const ran = labels.flatMap(({ lines }) => lines.map((line) => Number(line.ran)));
  expect(Number(found.linesAccuracy[0])).toBeCloseTo(mean(ran), 6);
  const wrong = 30 * (1 - mean(ran));
  const { valueClasses, typeClasses } = given.prepared.execution!;
  const uniform = Math.log(valueClasses.length) + Math.log(typeClasses.length);
  expect(Number(found.executionLoss[0])).toBeCloseTo(wrong + uniform, 4);
});

test("a task that runs no function, and what the heads have no use for, are refused in one sentence", () => {
  expect(() => setupOf("execution", { task: "repl", params: {}, form: {} })).toThrow(
    "stateSupervision.head: expected another head for this task",
  );
  expect(() => setupOf("execution", { task: "branches", params: small, form: { state: "changed" } })).toThrow(
    "stateSupervision: expected position newline and state all with this head",
  );
  expect(() => setupOf("linear", { task: "repl", params: {}, form: { typeWeight: 0 } })).toThrow(
    "stateSupervision.typeWeight: expected head execution",
  );
});
