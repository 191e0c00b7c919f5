import fc from "fast-check";
import { expect, test } from "vitest";
import { type Automaton, afterSeen, afterUnseen, bestGuess, certainly, unseenFrom } from "./automata.ts";

/** Any automaton of 5 states, 3 inputs and 3 outputs, by its tables. */
const anyAutomaton = fc
  .record({
    table: fc.array(fc.nat(4), { minLength: 15, maxLength: 15 }),
    outputs: fc.array(fc.nat(2), { minLength: 5, maxLength: 5 }),
  })
  .map(
    ({ table, outputs }): Automaton => ({
      states: 5,
      inputs: [0, 1, 2],
      next: (state, input) => table[3 * state + input],
      output: (state) => outputs[state],
    }),
  );

test("the best guess is right as often as in a count over all input sequences", () => {
  fc.assert(
    fc.property(anyAutomaton, fc.array(fc.nat(2), { maxLength: 3 }), fc.nat(4), (automaton, seen, unseen) => {
      const counts = new Map<number, number>();
      for (let code = 0; code < 3 ** unseen; code++) {
        let state = 2;
        for (let i = 0, rest = code; i < unseen; i++, rest = Math.floor(rest / 3)) {
          state = automaton.next(state, rest % 3);
        }
        for (const input of seen) state = automaton.next(state, input);
        const said = automaton.output(state);
        counts.set(said, (counts.get(said) ?? 0) + 1);
      }
      const before = unseenFrom(certainly(2, automaton), automaton)(unseen);
      const after = seen.reduce((shares, input) => afterSeen(shares, input, automaton), before);
      expect(bestGuess(after, automaton)).toBeCloseTo(Math.max(...counts.values()) / 3 ** unseen, 12);
    }),
    { seed: 3 },
  );
});

test("shares add up to 1, and are the same whatever was asked before", () => {
  fc.assert(
    fc.property(anyAutomaton, fc.nat(9), fc.nat(9), (automaton, one, other) => {
      const start = certainly(0, automaton);
      const unseen = unseenFrom(start, automaton);
      unseen(other);
      let wanted = start;
      for (let i = 0; i < one; i++) wanted = afterUnseen(wanted, automaton);
      expect(unseen(one)).toEqual(wanted);
      expect(wanted.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    }),
    { seed: 4 },
  );
});
