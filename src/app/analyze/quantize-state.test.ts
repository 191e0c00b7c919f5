import { expect, test } from "vitest";
import { allHeld, setByHand } from "../../models/constructions.test-helper.ts";
import { configureModel, modelNamed, parameterShapes } from "../../models/index.ts";
import { exampleStream, prepareTask, taskNamed } from "../../tasks/index.ts";
import { wordTokenizer } from "../../tasks/tokenizer.ts";
import { flattenParameters, shapesOf } from "../../tensor/index.ts";
import { nodeRuntime } from "../../tensor/session-node.ts";
import { measureSnapping } from "./quantize-state.ts";

const runtime = nodeRuntime();

/** Weights that solve a task at any length, set by hand, each then off by up to a share of itself. */
async function snapped(name: string, wanted: object, off: number, programs = 12) {
  const { held } = allHeld.find(
    (each) => each.name === name && JSON.stringify(each.held.task) === JSON.stringify(wanted),
  )!; // named below
  const { model, tree } = setByHand(name, held);
  const weights = Object.fromEntries(
    flattenParameters(tree).map(([path, { data }]) => [
      path,
      Float32Array.from(data, (x, i) => x * (1 + off * Math.sin(7.3 * i))),
    ]),
  );
  const { name: task, ...params } = held.task;
  const testOf = (length: number, purpose: string) => {
    const prepared = prepareTask(taskNamed(task), { ...params, length, targets: "each" });
    return {
      ...{ prepared, tokenizer: wordTokenizer(prepared.words), programs },
      stream: exampleStream(3, purpose),
    };
  };
  return await measureSnapping(
    { model, tree: shapesOf(tree), weights, runtime },
    { fit: testOf(30, "fit"), test: testOf(200, "test") },
  );
}

const S_3 = { name: "group-words", group: "S_3", generators: "swaps" };

test("a model that is right is right with snapping, and no snap is wrong", async () => {
  const found = await snapped("deltanet", S_3, 0);
  expect(found).toEqual({ prototypes: 6, plain: 1, snapped: 1, snaps: 12 * 200, wrong: 0 });
});

test.each([
  ["deltanet", S_3, 0.03, 0.95],
  ["mamba3", { name: "parity" }, 0.01, 0.7],
])("a %s on %j that drifts is held", async (name, task, off, most) => {
  const found = await snapped(name, task, off);
  expect(found.plain).toBeLessThan(most);
  expect(found).toMatchObject({ snapped: 1, wrong: 0 });
});

test("a state that no program of the fit came to has no prototype, and its programs are lost", async () => {
  const found = await snapped("deltanet", { ...S_3, group: "S_5" }, 0, 2);
  expect(found.prototypes).toBeLessThan(60);
  expect(found.plain).toBe(1);
  expect(found.snapped).toBeLessThan(0.5);
  expect(found.wrong).toBeGreaterThan(0.5);
});

test("a model that keeps its past is refused in one sentence", async () => {
  const model = configureModel(
    modelNamed("transformer"),
    { name: "transformer", width: 8, heads: 2 },
    7,
    "model",
  );
  const none = { model, tree: parameterShapes(model), weights: {}, runtime };
  await expect(measureSnapping(none, {} as Parameters<typeof measureSnapping>[1])).rejects.toThrow(
    'snapping: expected a model that carries a state of constant size, got "one that keeps ',
  );
});
