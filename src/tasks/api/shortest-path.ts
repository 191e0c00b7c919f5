/**
 * @file Shortest call sequence between two states, by breadth-first search; transitions are cached per machine.
 *
 *     user = None  ->  remote['x'] = 3, user = 'ann'        login('ann'), put('x', 3), push('x'), ...
 */

import type { ApiMachine, ApiState, Call } from "./state-machine.ts";

export interface CallGraph {
  /** A shortest path, the first in the order of the machine's calls; undefined if it is longer than `most`. */
  shortest(from: ApiState, to: ApiState, most: number): readonly Call[] | undefined;
}

interface Move {
  readonly call: Call;
  readonly to: string;
}

export function callGraph(machine: ApiMachine): CallGraph {
  const moves = new Map<string, readonly Move[]>();
  const movesFrom = (key: string): readonly Move[] => {
    const known = moves.get(key);
    if (known !== undefined) return known;
    const state: ApiState = JSON.parse(key); // set below
    const found = machine.calls.flatMap((call) => {
      const done = machine.make(state, call);
      return typeof done === "string" ? [] : [{ call, to: JSON.stringify(done.state) }];
    });
    moves.set(key, found);
    return found;
  };
  return {
    shortest(from, to, most) {
      const [start, goal] = [JSON.stringify(from), JSON.stringify(to)];
      const cameBy = new Map<string, { readonly from: string; readonly call: Call } | undefined>([
        [start, undefined],
      ]);
      let reached = [start];
      for (let calls = 0; calls < most && !cameBy.has(goal) && reached.length > 0; calls++) {
        const next: string[] = [];
        for (const key of reached)
          for (const { call, to: into } of movesFrom(key)) {
            if (cameBy.has(into)) continue;
            cameBy.set(into, { from: key, call });
            next.push(into);
          }
        reached = next;
      }
      if (!cameBy.has(goal)) return undefined;
      const way: Call[] = [];
      for (let step = cameBy.get(goal); step !== undefined; step = cameBy.get(step.from)) way.push(step.call);
      return way.reverse();
    },
  };
}
