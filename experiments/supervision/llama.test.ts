import { expect, test } from "vitest";
import { configureModel, modelNamed, parameterCount, parameterShapes } from "../../src/models/index.ts";
import { LLAMA_13M } from "./shared.ts";

test("with a vocabulary of 259 the Llama has exactly the published 13,641,216 parameters", () => {
  const model = configureModel(modelNamed(LLAMA_13M.name), LLAMA_13M, 259, "model");
  expect(parameterCount(parameterShapes(model))).toBe(13_641_216);
});
