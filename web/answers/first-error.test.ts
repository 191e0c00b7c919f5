import fc from "fast-check";
import { expect, test } from "vitest";
import { rngFrom } from "../../src/core/rng.ts";
import { s5Program } from "../../src/eval/benchmarks/s5.ts";
import { firstDeparture, programIn, tracedProgram } from "./first-error.ts";

const names = ["a", "b", "c", "d", "e"];
const claim = (values: readonly number[]) => `# ${names.map((name, i) => `${name}=${values[i]}`).join(" ")}`;

test("the example of the header", () => {
  const prompt = "Go on.\n\n[PYTHON]\na, b = 1, 2\na, b = b, a\nb, a = a, b\n[/PYTHON]\n\n[THOUGHT]\n";
  const reply = "a, b = 1, 2\na, b = b, a\n# a=2 b=1\nb, a = a, b\n# a=1 b=3\n[/THOUGHT]";
  const found = firstDeparture(prompt, [reply]);
  expect(found).toMatchObject({
    kind: "departs",
    departure: { line: 5, kind: "state", said: "b = 3", truth: "b = 2" },
    claims: 2,
  });
  const truth = found.kind === "departs" ? found.truth.map((values) => [...values.values()].join("")) : [];
  expect(truth).toEqual(["12", "21", "21", "12", "12"]); // beside each line, the wrong one too
});

/** The states are the task's own: the page computes them from the text. */
test("in a walk through a session of S_5 the state that was changed is found, and where none was, none; so it is turn by turn", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.nat(1000),
      fc.nat(),
      fc.nat(4),
      (commands, seed, place, which) => {
        const { first, commands: lines, states } = s5Program(commands, rngFrom(seed));
        const prompt = `Say.\n\n[PYTHON]\n${[first, ...lines].join("\n")}\n[/PYTHON]\n\n[THOUGHT]\n`;
        const walk = (said: readonly (readonly number[])[]) =>
          [first, claim(said[0]), ...lines.flatMap((line, t) => [line, claim(said[t + 1])])].join("\n");
        expect(firstDeparture(prompt, [walk(states)])).toMatchObject({
          ...{ kind: "agrees", claims: commands + 1 },
          truth: { length: 2 * (commands + 1) },
        });
        const at = 1 + (place % commands);
        const wrong = states.map((values, t) =>
          values.map((value, i) => (t >= at && i === which ? 9 : value)),
        );
        const found = firstDeparture(prompt, [
          `${walk(wrong)}\n[/THOUGHT]\n[ANSWER]\n${claim(states[commands])}`,
        ]);
        expect(found).toMatchObject({
          kind: "departs",
          departure: {
            line: 2 + 2 * at,
            kind: "state",
            said: `${names[which]} = 9`,
            truth: `${names[which]} = ${states[at][which]}`,
          },
        });
        // a command that is another one
        const astray = walk(states).split("\n");
        astray[2 * at] = `${astray[2 * at].split(" = ")[0]} = a, a, a, a, a`;
        expect(firstDeparture(prompt, [astray.join("\n")])).toMatchObject({
          departure: { line: 2 * at + 1, kind: "command" },
        });
        // one reply a line, after a prompt that repeats what was said
        const replies = wrong.slice(1).map(claim);
        const last = [
          first,
          claim(states[0]),
          ...lines.slice(0, -1).flatMap((line, t) => [line, replies[t]]),
          lines.at(-1),
        ];
        expect(programIn(`Head.\n\n${last.join("\n")}\n[ANSWER]\n`)).toEqual([first, ...lines]);
        if (commands > 1)
          expect(firstDeparture(`Head.\n\n${last.join("\n")}\n[ANSWER]\n`, replies)).toMatchObject({
            departure: { line: at },
          });
      },
    ),
    { numRuns: 60, seed: 5 },
  );
});

test.each([
  ["a function", "[PYTHON]\ndef f(n):\n    return n\nassert f(2) == ??\n[/PYTHON]\n[ANSWER]\n", "n = 2"],
  ["an expression", "[PYTHON]\na = 1\nb = a + 1\n[/PYTHON]\n", "a = 1\nb = 2"],
  ["nothing is claimed", "[PYTHON]\na, b = 1, 2\na, b = b, a\n[/PYTHON]\n", "I think it is fine. step: 3"],
  ["no program", "", ""],
])("it is not told where it cannot be: %s", (_, prompt, reply) => {
  expect(firstDeparture(prompt, [reply])).toEqual({ kind: "unknown" });
});

test("the function of a prompt becomes a program to trace", () => {
  const shot =
    "[PYTHON]\ndef g():\n    return 1\nassert g() == ??\n[/PYTHON]\n[ANSWER]\nassert g() == 1\n[/ANSWER]\n\n";
  expect(
    tracedProgram(`${shot}[PYTHON]\ndef f(n):\n    return n + 1\nassert f(2) == ??\n[/PYTHON]\n[ANSWER]\n`),
  ).toBe("def f(n):\n    return n + 1\n\nf(2)\n");
  expect(tracedProgram("[PYTHON]\nn = 2\nassert (n) == ??\n[/PYTHON]\n")).toBeUndefined();
});
