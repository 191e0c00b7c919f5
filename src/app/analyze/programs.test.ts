import { expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import { exampleFrom, prepareTask, taskNamed, tokenizerNamed } from "../../tasks/index.ts";
import { programFrom } from "./programs.ts";

const drawn = (name: string, params: object, kind: "word" | "character" = "word") => {
  const prepared = prepareTask(taskNamed(name), params);
  const tokenizer = tokenizerNamed(kind, prepared.words);
  return {
    prepared,
    program: programFrom(prepared, tokenizer, rngFrom(5), 10_000),
    example: exampleFrom(prepared, rngFrom(5)),
  };
};

test.each([
  ["repl", { variables: 3, commands: 6, spacing: 2 }],
  ["repl", { variables: 3, commands: 6, spacing: 3, reveal: "full", commandKind: "permutation" }],
  ["asserts", { variables: 4, commands: 6, spacing: 2 }],
  ["group-words", { group: "S_3", length: 9 }],
  ["parity", { length: 12, targets: "each" }],
])("%s %j: states, their ends and the questions are those of the example", (name, params) => {
  for (const kind of ["word", "character"] as const) {
    if (kind === "character" && name === "group-words") continue; // its states are words
    const { prepared, program, example } = drawn(name, params, kind);
    expect(program.tokens.join("")).toBe(example.text);
    expect(program.states).toHaveLength(example.states.length);
    for (const [i, { end, values }] of example.states.entries()) {
      const held = prepared.variables.map((variable) => values[variable]);
      expect(program.states[i].map((value) => prepared.values[value])).toEqual(held);
      expect(program.tokens.slice(0, program.ends[i] + 1).join("")).toHaveLength(end);
    }
    for (const [i, { start, value, variable }] of example.reveals.entries()) {
      const question = program.questions[i];
      expect(program.tokens.slice(0, question.position + 1).join("")).toHaveLength(start);
      expect([prepared.variables[question.variable], prepared.values[question.value]]).toEqual([
        variable,
        value,
      ]);
    }
    expect(program.letters).toHaveLength(example.states.length - 1);
  }
});

test("a swap is nine tokens of a command, and print with its output one reveal", () => {
  const { program } = drawn("repl", { variables: 3, commands: 4, spacing: 2 });
  const command = program.classes.indexOf("command");
  expect(program.classes.slice(0, command).every((each) => each === "initialisation")).toBe(true);
  expect(program.places.slice(command, command + 9)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(program.letters[0]).toMatch(/^>>> [abc], [abc] = [abc], [abc]\n$/);
  const reveal = program.classes.indexOf("reveal");
  expect(program.tokens.slice(reveal, reveal + 11).join("")).toMatch(
    /^>>> print\('([abc])', \1\)\n\1 [123]\n$/,
  );
  expect(program.places.slice(reveal, reveal + 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(program.commands[command]).toBe(0);
  expect(program.commands[command + 8]).toBe(1);
});

test("a full reveal is as many reveals as there are variables, each counted from its prompt", () => {
  const { program } = drawn("repl", { variables: 3, commands: 2, spacing: 2, reveal: "full" });
  const starts = program.places.filter((_, t) => program.classes[t] === "reveal");
  expect(starts).toEqual([0, 1, 2].flatMap(() => [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
});

test("a bit of parity is a command of one token", () => {
  const { program } = drawn("parity", { length: 5, targets: "each" });
  expect(program.classes).toEqual(Array(5).fill("command"));
  expect(program.places).toEqual([0, 0, 0, 0, 0]);
  expect(program.ends).toEqual([-1, 0, 1, 2, 3, 4]);
});
