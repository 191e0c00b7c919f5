import { afterAll, expect, test } from "vitest";
import { keptFor, wrongWith } from "./cases.test-helper.ts";
import { openDoors } from "./entry-points.test-helper.ts";
import { openServedDoors } from "./server.test-helper.ts";

const opened = [await openDoors(), await openServedDoors()];
const doors = opened.flatMap(({ doors }) => doors);
afterAll(async () => {
  for (const { close } of opened) await close();
});

/** Documents that are whole, and of another form than any reader expects. */
const others = ["", "null", "0", '"x"', "[]", "[null]", "{}", '{"a": null}'];

test.each(doors)(
  "the door $name takes or refuses its samples, what it failed on before, and documents of another form",
  async (door) => {
    const samples = door.samples.map((sample, i) => ({ line: `sample ${i}`, bytes: Buffer.from(sample) }));
    const documents = others.map((text) => ({ line: text, bytes: Buffer.from(text) }));
    for (const { line, bytes } of [...samples, ...keptFor(door), ...documents])
      expect(await wrongWith(door, bytes), String(line)).toBeUndefined();
  },
);
