import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { readConfigFile } from "./config.ts";

const folder = tmpFolder("config");

function read(text: string, settings: readonly string[] = []) {
  const file = join(folder, "run.yaml");
  writeFileSync(file, text);
  const words: string[] = [];
  const say = (word: string) => words.push(word.replace(folder, ""));
  return { config: readConfigFile(file, settings, { task: undefined, model: undefined, say }), words };
}

const deltanet = "task: { name: repl }\nmodel: { name: deltanet, width: 32, heads: 2, betaMax: 2 }\n";

test("keys that another model lacks are left out, and said; what it has stays", () => {
  const { config, words } = read(deltanet, ["model.name=mamba"]);
  expect(config.model).toEqual({ name: "mamba", width: 32 });
  expect(words).toEqual(["statelab: ignored in the model of /run.yaml: heads, betaMax (mamba has none)"]);
  expect(read(deltanet, ["model.name=transformer"]).config.model).toMatchObject({ width: 32, heads: 2 });
});

test("what a setting asks for, and a mistake in the file, are not left out", () => {
  expect(() => read(deltanet, ["model.name=mamba", "model.heads=4"])).toThrow(
    "run.yaml, model: expected one of name",
  );
  expect(() => read(deltanet.replace("heads", "haeds"), ["model.name=mamba"])).toThrow('got "haeds"');
  expect(read(deltanet, ["model.name=deltanet"]).words).toEqual([]);
});

test("a name in place of an object is refused with both spellings of the object", () => {
  expect(() => read("task: parity\nmodel: { name: gru }\n")).toThrow(
    'run.yaml: expected task to be an object, got "parity". Write task: { name: parity }, or --set task.name=parity',
  );
  expect(() => read(deltanet, ["model=gru"])).toThrow("--set model.name=gru");
});

test.each([
  [
    deltanet.replace("width: 32", "width: wide"),
    [],
    "run.yaml, line 2, model: expected width to be a number",
  ],
  [`${deltanet}train:\n  batch: 2\n  stepps: 1\n`, [], "run.yaml, line 5: expected a known key in train"],
  [`${deltanet}training: { steps: 1 }\n`, [], "run.yaml, line 3: expected a known key"],
  [`${deltanet}train: { steps: 1 }\n`, ["train.steps=many"], "run.yaml: expected train.steps to be a number"],
])("a mistake of the file has its line, and one of a setting has none: %j %j", (text, settings, sentence) => {
  expect(() => read(text, settings)).toThrow(sentence);
});
