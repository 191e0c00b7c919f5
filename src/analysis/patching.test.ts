import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { patchHeads, patchSites, programPairs } from "./patching.ts";
import { parityPrograms } from "./recording.test-helper.ts";
import type { PatchedForward } from "./recording.ts";

/** Bits whose parity is asked for once, at the end. */
const programs = parityPrograms(60, 6, rngFrom(7)).map((program) => ({
  ...program,
  questions: program.questions.slice(-1),
}));
const parityOf = (bits: readonly string[]) => bits.reduce((sum, bit) => sum ^ Number(bit), 0);

test("two programs of a pair differ in one command, and both answers are what their bits say", () => {
  const pairs = programPairs(programs, 50, rngFrom(1));
  expect(pairs).toHaveLength(50);
  for (const { tokens, changed, position, answer, changedAnswer, sites } of pairs) {
    expect(tokens.filter((token, t) => token !== changed[t])).toHaveLength(1);
    expect([answer, changedAnswer]).toEqual([parityOf(tokens), parityOf(changed)]);
    expect([position, sites.length]).toEqual([5, 6]);
    expect(tokens[sites.indexOf("changed 0")]).not.toBe(changed[sites.indexOf("changed 0")]);
  }
  expect(patchSites(pairs)).toEqual(["changed 0", "commands between", "asked 0"]);
});

test("what each head carries is what the weights of a model in plain numbers say", async () => {
  // A bit in the last place is its own question: left out here, to separate the two places.
  const pairs = programPairs(programs, 60, rngFrom(1)).filter(({ sites }) => sites.at(-1) === "asked 0");
  expect(pairs.length).toBeGreaterThan(20);
  /** Head 0.0 reads the parity so far, head 0.1 the bit; logit(1) - logit(0) = 20 parity at the end + sum of bits, all ±1. */
  const heads = (bits: readonly string[]) => [
    bits.map((_, t) => 2 * parityOf(bits.slice(0, t + 1)) - 1),
    bits.map((bit) => 2 * Number(bit) - 1),
  ];
  const ask: PatchedForward = (which, patch) =>
    pairs.map(({ tokens, changed, answer }, i) => {
      const [own, other] = [heads(which === "program" ? tokens : changed), heads(tokens)];
      if (patch !== undefined) for (const t of patch.tokens[i]) own[patch.head][t] = other[patch.head][t];
      const logit = 20 * (own[0].at(-1) ?? 0) + own[1].reduce((sum, each) => sum + each, 0);
      return answer === 1 ? logit : -logit;
    });
  const both = [0, 1].map((head) => ({ layer: 0, head }));
  const found = await patchHeads(pairs, both, ask);
  if (typeof found === "string") throw new Error(found);
  expect([found.pairs, found.told]).toEqual([pairs.length, pairs.length]);
  // The parity changes by 40 in favour of the program's answer, the changed bit by 2 for or against it.
  const bits = pairs.map(({ tokens, sites, answer }) =>
    Number(tokens[sites.indexOf("changed 0")]) === answer ? 2 : -2,
  );
  const gap = bits.reduce((sum, bit) => sum + 40 + bit, 0);
  const share = (head: number, site: string) =>
    found.carried.find((each) => each.head === head && each.site === site)?.share;
  expect(share(0, "asked 0")).toBeCloseTo((40 * pairs.length) / gap, 12);
  expect(share(1, "changed 0")).toBeCloseTo(bits.reduce((sum, bit) => sum + bit, 0) / gap, 12);
  for (const [head, site] of [
    [0, "changed 0"],
    [0, "commands between"],
    [1, "commands between"],
    [1, "asked 0"],
  ] as const)
    expect(share(head, site)).toBe(0);
});

test("a model that does not tell the programs apart is named, and so is a task with one command", async () => {
  const pairs = programPairs(programs, 10, rngFrom(1));
  expect(await patchHeads(pairs, [], () => pairs.map(() => 1))).toMatch(/of 10 pairs .* none/);
  const one = programs.map((program) => ({ ...program, letters: program.letters.map(() => "x") }));
  expect(programPairs(one, 10, rngFrom(1))).toEqual([]);
});
