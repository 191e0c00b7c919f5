import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "./folder.ts";

test("folders above are made too, and one that is there is left alone", async () => {
  const root = mkdtempSync(join(tmpdir(), "statelab-folder-"));
  const deep = join(root, "a", "b", "c");
  await makeFolder(deep);
  await makeFolder(deep);
  expect(existsSync(deep)).toBe(true);
  rmSync(root, { recursive: true });
});

test.skipIf(!existsSync("/proc/self"))(
  "where none can be made it says so, and does not try for ever",
  async () => {
    await expect(makeFolder("/proc/statelab/run")).rejects.toThrow(
      '/proc/statelab: expected a place where folders can be made, got "/proc"',
    );
  },
);
