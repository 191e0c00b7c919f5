import { afterAll, expect, test } from "vitest";
import { keptFor, wrongWith } from "./fuzz-cases.test-helper.ts";
import { openDoors } from "./fuzz-doors.test-helper.ts";
import { openServedDoors } from "./fuzz-served.test-helper.ts";

const opened = [await openDoors(), await openServedDoors()];
const doors = opened.flatMap(({ doors }) => doors);
afterAll(async () => {
  for (const { close } of opened) await close();
});

test.each(doors)(
  "the door $name takes or refuses its samples, and what it failed on before",
  async (door) => {
    const samples = door.samples.map((sample, i) => ({ file: `sample ${i}`, bytes: Buffer.from(sample) }));
    for (const { file, bytes } of [...samples, ...keptFor(door)])
      expect(await wrongWith(door, bytes), file).toBeUndefined();
  },
);
