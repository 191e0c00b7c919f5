import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { goldenFolder, goldenSettings } from "./golden.test-helper.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed, tasks } from "./index.ts";

test.each(Object.keys(tasks))("golden/tasks/%s.jsonl is still what seed 0 gives", async (name) => {
  const records = goldenSettings(name).flatMap((params) => {
    const prepared = prepareTask(taskNamed(name), params);
    const drawn = [0, 1, 2].map((i) => exampleFrom(prepared, exampleStream(0, "train")(i)));
    return [{ params }, ...drawn];
  });
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  await expect(text).toMatchFileSnapshot(`${goldenFolder}${name}.jsonl`);
});

test("every golden file is of a task", () => {
  const files = Object.keys(tasks).map((name) => `${name}.jsonl`);
  expect(readdirSync(goldenFolder).toSorted()).toEqual(files.toSorted());
});
