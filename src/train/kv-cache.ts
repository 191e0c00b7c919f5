/**
 * @file The key-value cache of a decoder: arrays [slots, h, room, d] with as many rows as needed, in powers of two.
 *
 *     room 64 while no sequence is longer, then 128, 256, ...; halved when a quarter would suffice
 *
 * A step adds one row per slot and copies nothing else; rows are copied only when the room changes, which the steps since the last
 * change amortize. A mask, 0 or -1e9, hides rows, so slots of any length can share a batch.
 */

import type { Runtime } from "../tensor/index.ts";

/** Less than every score, so that softmax gives 0. */
const UNSEEN = -1e9;
const SMALLEST_ROOM = 64;

type OrtTensor = InstanceType<Runtime["ort"]["Tensor"]>;

export interface Past {
  /** Allocated rows. */
  readonly room: number;
  /** Makes room for `rows` more rows per slot, and masks rows at or after the position of each slot. */
  look(positions: Int32Array, rows: number): void;
  /** The arrays by name and the mask; with `slot`, those of one slot as a batch of one. */
  feeds(slot?: number): Record<string, OrtTensor>;
  /** Adds rows [1, h, T, d] of one slot, or [slots, h, T, d] of all slots, at their positions. */
  add(name: string, rows: Float32Array, count: number, positions: Int32Array, slot?: number): void;
  clear(slot: number): void;
}

/** `shapes` [h, any, d] by name, for one sequence. */
export function openPast(
  shapes: Readonly<Record<string, readonly number[]>>,
  slots: number,
  { ort }: Runtime,
): Past {
  const names = Object.keys(shapes);
  const sizes = Object.fromEntries(names.map((name) => [name, [shapes[name][0], shapes[name][2]] as const]));
  const written = new Array<number>(slots).fill(0); // rows that may be non-zero
  const seen = new Array<number>(slots).fill(0);
  let room = SMALLEST_ROOM;
  let arrays = emptyArrays();
  let mask = new Float32Array(slots * room).fill(UNSEEN);
  let whole = tensors();

  function emptyArrays(): Record<string, Float32Array> {
    const length = (name: string) => slots * sizes[name][0] * room * sizes[name][1];
    return Object.fromEntries(names.map((name) => [name, new Float32Array(length(name))]));
  }

  function tensors(slot?: number): Record<string, OrtTensor> {
    const batch = slot === undefined ? slots : 1;
    const part = (array: Float32Array) => {
      const length = array.length / slots;
      return slot === undefined ? array : array.subarray(slot * length, (slot + 1) * length);
    };
    const entries = names.map((name) => {
      const [heads, width] = sizes[name];
      return [name, new ort.Tensor("float32", part(arrays[name]), [batch, heads, room, width])] as const;
    });
    return {
      ...Object.fromEntries(entries),
      unseen: new ort.Tensor("float32", part(mask), [batch, 1, 1, room]),
    };
  }

  function changeRoom(wanted: number): void {
    const [before, old] = [arrays, room];
    room = wanted;
    arrays = emptyArrays();
    for (const name of names) {
      const [heads, width] = sizes[name];
      for (let line = 0; line < slots * heads; line++) {
        const rows = Math.min(written[Math.floor(line / heads)], room);
        const from = line * old * width;
        arrays[name].set(before[name].subarray(from, from + rows * width), line * room * width);
      }
    }
    mask = new Float32Array(slots * room).fill(UNSEEN);
    seen.fill(0);
    for (let slot = 0; slot < slots; slot++) written[slot] = Math.min(written[slot], room);
    whole = tensors();
  }

  return {
    get room() {
      return room;
    },
    look(positions, rows) {
      const needed = Math.max(...positions) + rows;
      let wanted = SMALLEST_ROOM;
      while (wanted < needed) wanted *= 2;
      if (wanted > room || 4 * wanted <= room) changeRoom(wanted);
      for (let slot = 0; slot < slots; slot++) {
        const [from, to] = [seen[slot], positions[slot]];
        if (to > from) mask.fill(0, slot * room + from, slot * room + to);
        else if (to < from) mask.fill(UNSEEN, slot * room + to, slot * room + from);
        seen[slot] = to;
      }
    },
    feeds: (slot) => (slot === undefined ? whole : tensors(slot)),
    add(name, rows, count, positions, only) {
      const [heads, width] = sizes[name];
      const array = arrays[name];
      const [first, end] = only === undefined ? [0, slots] : [only, only + 1];
      for (let slot = first; slot < end; slot++) {
        for (let head = 0; head < heads; head++) {
          const from = ((slot - first) * heads + head) * count * width;
          const to = ((slot * heads + head) * room + positions[slot]) * width;
          for (let i = 0; i < count * width; i++) array[to + i] = rows[from + i]; // faster than `set` for a row
        }
        written[slot] = Math.max(written[slot], positions[slot] + count);
      }
    },
    clear(slot) {
      for (const name of names) {
        const [heads, width] = sizes[name];
        for (let head = 0; head < heads; head++) {
          const from = (slot * heads + head) * room * width;
          arrays[name].fill(0, from, from + written[slot] * width);
        }
      }
      written[slot] = 0;
    },
  };
}
