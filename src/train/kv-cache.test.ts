import fc from "fast-check";
import { expect, test } from "vitest";
import { nodeRuntime } from "../tensor/session-node.ts";
import { openPast } from "./kv-cache.ts";

const [slots, heads, width] = [3, 2, 4];
const runtime = nodeRuntime();

type Act = { readonly slot: number; readonly rows: number; readonly clear: boolean };
const acts = fc.array(
  fc.record({ slot: fc.nat(slots - 1), rows: fc.integer({ min: 1, max: 90 }), clear: fc.boolean() }),
  { minLength: 1, maxLength: 25 },
);

test("whatever is added and cleared, each slot sees exactly its own rows, in order", () => {
  fc.assert(
    fc.property(acts, (given: Act[]) => {
      const past = openPast({ keys: [heads, 0, width] }, slots, runtime);
      const twin: number[][] = Array.from({ length: slots }, () => []); // a row is known by one number
      let next = 1;
      for (const { slot, rows, clear } of given) {
        if (clear) {
          past.clear(slot);
          twin[slot] = [];
        }
        const positions = Int32Array.from(twin, (held) => held.length);
        past.look(positions, rows);
        check(past, twin);
        const added = Array.from({ length: rows }, () => next++);
        const data = Array.from({ length: heads }, () =>
          added.flatMap((row) => new Array<number>(width).fill(row)),
        );
        past.add("keys", Float32Array.from(data.flat()), rows, positions, slot);
        twin[slot].push(...added);
      }
      past.look(
        Int32Array.from(twin, (held) => held.length),
        1,
      );
      check(past, twin);
    }),
    { seed: 5, numRuns: 100 },
  );
});

function check(past: ReturnType<typeof openPast>, twin: readonly number[][]): void {
  const { keys, unseen } = past.feeds();
  const { room } = past;
  expect(Math.log2(room) % 1).toBe(0);
  expect(keys.dims).toEqual([slots, heads, room, width]);
  const [data, mask] = [keys.data as Float32Array, unseen.data as Float32Array];
  for (const [slot, held] of twin.entries()) {
    const visible = [...mask.subarray(slot * room, (slot + 1) * room)].filter((value) => value === 0);
    expect(visible).toHaveLength(held.length);
    for (let head = 0; head < heads; head++) {
      const rows = held.map((_, row) => data[((slot * heads + head) * room + row) * width + width - 1]);
      expect(rows).toEqual(held);
    }
  }
}

test("room follows the longest sequence, up and down, and a cleared slot holds zeros: a sequence that diverged leaves nothing", () => {
  const past = openPast({ keys: [heads, 0, width] }, slots, runtime);
  const rooms = [0, 62, 64, 300, 100, 70, 10].map((longest) => {
    past.look(Int32Array.of(longest, 0, 0), 1);
    return past.room;
  });
  expect(rooms).toEqual([64, 64, 128, 512, 128, 128, 128]);
  past.add("keys", new Float32Array(heads * width).fill(Number.NaN), 1, Int32Array.of(0, 9, 0), 1);
  past.clear(1);
  expect([...(past.feeds().keys.data as Float32Array)].every((value) => value === 0)).toBe(true);
});
