import { describe, expect, test } from "vitest";
import { dyck } from "./dyck.ts";
import { drawExamples } from "./examples.test-helper.ts";
import { prepareTask } from "./index.ts";

const drawn = (params: object, count: number) => drawExamples(dyck, params, count, 5);

/** What is left of a text when pairs with nothing between them are taken out until there are none. */
function openIn(text: string): string {
  const left = text.replaceAll(/\(\)|\[\]|\{\}|<>|⟨⟩|⌈⌉|⌊⌋|⟦⟧/g, "");
  return left === text ? text : openIn(left);
}

/** How likely each string of `length` is, by going through all of them. */
function chances(kinds: number, depth: number, length: number): Map<string, number> {
  let all = new Map([["", 1]]);
  for (let at = 0; at < length; at++) {
    const longer = new Map<string, number>();
    for (const [text, share] of all) {
      const open = openIn(text);
      const opens = open.length === 0 ? 1 : open.length === depth ? 0 : 1 / 2;
      for (const bracket of "([".slice(0, kinds))
        if (opens > 0) longer.set(text + bracket, (share * opens) / kinds);
      const close = ")]"["([".indexOf(open.at(-1) ?? "")];
      if (opens < 1) longer.set(text + close, share * (1 - opens));
    }
    all = longer;
  }
  return all;
}

describe.each([
  [2, 2],
  [2, 3],
  [1, 2],
])("%i kinds, at most %i open", (kinds, depth) => {
  const length = 5;
  const all = chances(kinds, depth, length);

  test("who counts, and sees the last word alone, is right as often as the reference says", () => {
    // By what it sees: the depth after every word so far, and the last word.
    const tops = new Map<string, Map<string, number>>();
    const seenAt = (text: string, at: number) => {
      const depths = Array.from({ length: at }, (_, i) => openIn(text.slice(0, i + 1)).length);
      return `${depths}|${text[at - 1]}`;
    };
    for (const [text, share] of all)
      for (let at = 1; at <= length; at++) {
        const counts = tops.get(seenAt(text, at)) ?? new Map<string, number>();
        const top = openIn(text.slice(0, at)).at(-1) ?? ".";
        tops.set(seenAt(text, at), counts.set(top, (counts.get(top) ?? 0) + share));
      }
    const { references } = prepareTask(dyck, { kinds, depth, length });
    for (const example of drawn({ kinds, depth, length }, 200)) {
      for (const [i, share] of references!.counting(example).entries()) {
        const counts = [...tops.get(seenAt(example.text, i + 1))!.values()];
        const best = Math.max(...counts) / counts.reduce((sum, each) => sum + each, 0);
        expect(share, `${example.text} at ${i}`).toBeCloseTo(best, 12);
      }
    }
  });
});
