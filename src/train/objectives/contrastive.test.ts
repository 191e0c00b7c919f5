import { dot, type Rows, unit, type Weights } from "../../models/naive.ts";
import { conforms } from "./conformance.test-helper.ts";
import { type Question, stateLoss, surprise, weightedMean } from "./naive.test-helper.ts";
import { folder } from "./setup.test-helper.ts";

conforms(
  "contrastive",
  [
    { task: "list-permutation", params: { size: 3, length: 2 }, form: {} },
    { mixer: "deltanet", task: "parity-program", params: { length: 3 }, form: { weight: 2, layer: 0 } },
    { task: "code-traces", params: folder, form: { state: "all" } },
  ],
  stateLoss((...given) =>
    weightedMean(
      scoresOf(...given).map(({ own, toStates, toPrograms }) => [
        1,
        (surprise(toStates, own) + surprise(toPrograms, own)) / 2,
      ]),
    ),
  ),
  stateLoss((...given) =>
    weightedMean(
      scoresOf(...given).map(({ own, toStates }) => [1, Number(Math.max(...toStates) === toStates[own])]),
    ),
  ),
);

/** For each question: the scores of its candidate states and programs, and the index of its own. */
function scoresOf(_: Weights, asked: readonly Question[], read: (text: readonly number[]) => Rows) {
  const u = asked.map(({ hidden }) => unit(hidden));
  const v = asked.map(({ text }) => unit(read(text).at(-1)!));
  return asked.map(({ row, text }, i) => {
    const rivals = [...asked.keys()].filter(
      (j) => i === j || (asked[j].row === row && asked[j].text.join() !== text.join()),
    );
    return {
      own: rivals.indexOf(i),
      toStates: rivals.map((j) => dot(u[i], v[j]) / 0.07),
      toPrograms: rivals.map((j) => dot(u[j], v[i]) / 0.07),
    };
  });
}
