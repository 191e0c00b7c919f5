import fc from "fast-check";
import { expect, test } from "vitest";
import { allPermutations } from "../../core/permutations.ts";
import { rngFrom } from "../../core/rng.ts";
import { asserts } from "../asserts.ts";
import { exampleFrom, exampleStream, prepareTask } from "../index.ts";

const names = ["a", "b", "c", "d"];

/** The values of `names` after a line, done as Python does it. */
function after(line: string, held: readonly string[]): string[] {
  const [left, right] = line.split(" = ").map((side) => side.split(", "));
  const moved = right.map((name) => held[names.indexOf(name)]);
  return held.map((value, i) => (left.includes(names[i]) ? moved[left.indexOf(names[i])] : value));
}

/** Every line that the task can write for a command. */
function everyCommand(kind: string, n: number): string[] {
  const own = names.slice(0, n);
  const left = own.join(", ");
  if (kind === "permutation")
    return allPermutations(n).map((p) => `${left} = ${p.map((i) => own[i]).join(", ")}`);
  return own.flatMap((one, i) => own.slice(i + 1).map((two) => `${one}, ${two} = ${two}, ${one}`));
}

/** By listing, from the text alone: every sequence of unseen commands, then the visible lines; what contradicts an assert is dropped. */
function enumerated(text: string, kind: string, n: number, window: number, boundary: boolean): number[] {
  const lines = text.trimEnd().split("\n").slice(1);
  const isCommand = (line: string) => !line.startsWith("assert");
  return lines.flatMap((asked, at) => {
    if (isCommand(asked)) return [];
    const commands = lines.slice(0, at).flatMap((line, i) => (isCommand(line) ? [i] : []));
    if (commands.length < window) return [1];
    let from = commands[commands.length - window];
    const unseen = commands.length - window;
    if (boundary) while (from > 0 && !isCommand(lines[from - 1])) from--;
    let tally = new Map([
      [
        names
          .slice(0, n)
          .map((_, i) => `${i}`)
          .join(),
        1,
      ],
    ]);
    for (let i = 0; i < unseen; i++) {
      const next = new Map<string, number>();
      for (const [held, count] of tally)
        for (const command of everyCommand(kind, n)) {
          const name = after(command, held.split(",")).join();
          next.set(name, (next.get(name) ?? 0) + count);
        }
      tally = next;
    }
    const told = new Map<string, number>();
    for (const [start, count] of tally) {
      let held: readonly string[] = start.split(",");
      const agrees = lines.slice(from, at).every((line) => {
        if (!isCommand(line)) return held[names.indexOf(line[7])] === line.at(-1);
        held = after(line, held);
        return true;
      });
      const value = held[names.indexOf(asked[7])];
      if (agrees) told.set(value, (told.get(value) ?? 0) + count);
    }
    const counts = [...told.values()];
    return [Math.max(...counts) / counts.reduce((sum, count) => sum + count)];
  });
}

test("a window knows what a list of everything that may have happened before it says", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 4 }),
      fc.constantFrom("swap", "permutation"),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(),
      (variables, commandKind, commands, spacing, seed) => {
        const prepared = prepareTask(asserts, { variables, commandKind, commands, spacing });
        const example = exampleFrom(prepared, rngFrom(seed));
        const window = 2 * Math.min(commands, spacing);
        for (const [name, boundary] of [
          ["windowedBayes", true],
          ["windowedBayesWithoutBoundary", false],
        ] as const) {
          const wanted = enumerated(example.text, commandKind, variables, window, boundary);
          for (const [i, share] of prepared.references![name](example).entries())
            expect(share, `${name} ${i}\n${example.text}`).toBeCloseTo(wanted[i], 12);
        }
      },
    ),
    { seed: 2, numRuns: 200 },
  );
});

test("three variables and a swap between two asserts: the parity gives everything away", () => {
  const prepared = prepareTask(asserts, { variables: 3, commands: 40, spacing: 4 });
  for (let i = 0; i < 20; i++) {
    const example = exampleFrom(prepared, exampleStream(0, "test")(i));
    expect(prepared.references!.windowedBayes(example).every((share) => share === 1)).toBe(true);
  }
});
