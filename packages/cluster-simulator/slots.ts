/**
 * @file The slots of a cluster and how their time was spent: every second of every slot is in one state.
 *
 *     n1.0   idle | turning | busy ............ | turning | busy ... | down ......
 */

import type { SlotState } from "../../src/schemas/simulation-plan.ts";

export interface Slot {
  readonly node: number;
  readonly state: SlotState;
  readonly since: number;
}

type Changing<T> = { -readonly [K in keyof T]: T[K] };

export interface Slots {
  readonly all: readonly Slot[];
  /** An idle slot, on the lowest node. */
  free(): Slot | undefined;
  turn(slot: Slot, state: SlotState, now: number): void;
  /** Seconds of all slots in each state until `now`. */
  spent(now: number): Record<SlotState, number>;
}

export function makeSlots(nodes: number, slotsPerNode: number): Slots {
  const all = Array.from(
    { length: nodes * slotsPerNode },
    (_, i): Changing<Slot> => ({ node: Math.floor(i / slotsPerNode), state: "idle", since: 0 }),
  );
  const place = new Map<Slot, number>(all.map((slot, i) => [slot, i]));
  const seconds: Record<SlotState, number> = { idle: 0, turning: 0, busy: 0, taken: 0, down: 0 };
  // All slots before it are busy.
  let firstIdle = 0;
  return {
    all,
    free() {
      while (firstIdle < all.length && all[firstIdle].state !== "idle") firstIdle++;
      return all[firstIdle];
    },
    turn(slot, state, now) {
      const own = slot as Changing<Slot>; // it is one of `all`
      seconds[own.state] += now - own.since;
      own.state = state;
      own.since = now;
      if (state === "idle") firstIdle = Math.min(firstIdle, place.get(slot)!);
    },
    spent(now) {
      const spent = { ...seconds };
      for (const { state, since } of all) spent[state] += now - since;
      return spent;
    },
  };
}
