import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { makeFolder } from "./folder.ts";

const root = tmpFolder("folder");

test("folders above are made too, and one that is there is left alone", async () => {
  const deep = join(root, "a", "b", "c");
  await makeFolder(deep);
  await makeFolder(deep);
  expect(existsSync(deep)).toBe(true);
});

test("a file in the place of a folder is named", async () => {
  const file = join(root, "file");
  writeFileSync(file, "");
  await expect(makeFolder(file)).rejects.toThrow(`${file}: expected a folder, got "a file"`);
  const below = makeFolder(join(file, "run"));
  await expect(below).rejects.toThrow(
    `expected a place where folders can be made, got ${JSON.stringify(file)}`,
  );
});

test.skipIf(!existsSync("/proc/self"))(
  "where none can be made it says so, and does not try for ever",
  async () => {
    await expect(makeFolder("/proc/statelab/run")).rejects.toThrow(
      '/proc/statelab: expected a place where folders can be made, got "/proc"',
    );
  },
);
