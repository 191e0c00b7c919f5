import * as fc from "fast-check";
import { expect, test } from "vitest";
import { rngFrom } from "../../math/rng.ts";
import { parseWith } from "../../records/config.ts";
import { executeAll, hasPython } from "../python.test-helper.ts";
import type { BenchInput, Question } from "../question.ts";
import { benches, benchNamed } from "./index.ts";
import { s5Program } from "./s5.ts";
import { arithmeticProgram, parityProgram, permutationProgram } from "./straight-line.ts";

const input: BenchInput = {
  ...{
    arms: ["function"],
    predict: ["output"],
    style: "direct",
    scoring: "strict",
    seed: 3,
    rows: [],
    traces: null,
  },
};
const nothing = () => Promise.reject(new Error("nothing is to be run"));
const question = (name: string, params: object, index = 0, style: BenchInput["style"] = "direct") => {
  const bench = benchNamed(name);
  return bench.prepare(parseWith(bench.params, params, name), { ...input, style }).question(index);
};
const lastProgram = (prompt: string) =>
  /\[PYTHON\]\n([^[]*(?:\[(?!\/PYTHON)[^[]*)*)\[\/PYTHON\]\n\[(?:ANSWER|THOUGHT)\]\n$/.exec(prompt)![1];

test.skipIf(!hasPython)(
  "CPython holds every program that is made to its value (skipped without python3)",
  () => {
    const rng = rngFrom(1);
    const programs = Array.from({ length: 300 }, (_, i) => [
      parityProgram({ programs: 1, length: 1 + (i % 40) }, rng.fork(`p${i}`)),
      permutationProgram({ programs: 1, size: 2 + (i % 7), swaps: 1 + (i % 16) }, rng.fork(`s${i}`)),
      arithmeticProgram({ programs: 1, length: 1 + (i % 30), digits: 1 + (i % 9) }, rng.fork(`a${i}`)),
    ]).flat();
    const code = programs.map(({ lines, name, value }) => ({
      code: `${lines.join("\n")}\nassert ${name} == ${value}`,
    }));
    expect(executeAll(code)).toEqual(programs.map(() => ({ kind: "passed" })));
    const changed = programs.map(({ lines, name, value }) => ({
      code: `${lines.join("\n")}\nassert ${name} != ${value}`,
    }));
    expect(executeAll(changed).filter(({ kind }) => kind === "passed")).toEqual([]);
  },
);

test("an arithmetic program has its length, and every line but the numbers serves what is asked", () => {
  for (let seed = 0; seed < 200; seed++) {
    const { lines } = arithmeticProgram({ programs: 1, length: 6, digits: 2 }, rngFrom(seed));
    const operations = lines.filter((line) => / [+-] /.test(line));
    expect(operations.length).toBeLessThanOrEqual(6);
    let needed = new Set(["a"]);
    for (const line of lines.toReversed()) {
      const [target, expression] = line.split(" = ");
      expect(needed.has(target), lines.join("; ")).toBe(true);
      needed = new Set([
        ...[...needed].filter((name) => name !== target),
        ...(expression.match(/[a-z]+/g) ?? []),
      ]);
    }
    expect(needed.size).toBe(0);
  }
});

test.skipIf(!hasPython)(
  "CPython holds the states of S_5 after every command (skipped without python3)",
  () => {
    const programs = [1, 8, 32].map((n) => s5Program(n, rngFrom(n)));
    const code = programs.map(({ first, commands, states }) => {
      const check = (t: number) => `assert (a, b, c, d, e) == (${states[t].join(", ")})`;
      return { code: [first, check(0), ...commands.flatMap((line, t) => [line, check(t + 1)])].join("\n") };
    });
    expect(executeAll(code)).toEqual(programs.map(() => ({ kind: "passed" })));
  },
);

const names = ["parity", "permutation", "arithmetic", "repl"];

test.each(names)(
  "%s: the right value is right, another is wrong, words are unreadable, and nothing is run",
  async (name) => {
    for (let index = 0; index < 20; index++) {
      const asked = question(name, { programs: 20 }, index);
      const verdict = async (reply: string) => (await asked.judge([reply], nothing)).grade.kind;
      expect(await verdict(`${asked.expected}\n[/ANSWER]`)).toBe("correct");
      expect(await verdict(`[${asked.expected}]`)).toBe("wrong");
      expect(await verdict("I cannot say")).toBe("unreadable");
      expect(await verdict("")).toBe("unreadable");
    }
  },
);

test.each([...names, "s5"])("%s: a question depends on the seed and its number alone", (name) => {
  const prompts = (seed: number, programs: number) => {
    const bench = benchNamed(name);
    const set = bench.prepare(parseWith(bench.params, { programs }, name), { ...input, seed });
    return [0, 3].map((index) => set.question(index).next([]));
  };
  expect(prompts(1, 5)).toEqual(prompts(1, 50));
  expect(prompts(1, 5)).not.toEqual(prompts(2, 5));
  expect(new Set(prompts(1, 5)).size).toBe(2);
});

test("a REPL question ends with the reveal that is asked for, and shows those before it", () => {
  const asked = question("repl", { commands: 8, spacing: 4 });
  const program = lastProgram(asked.next([])!);
  expect(program).toMatch(/>>> print\('[abc]', [abc]\)\n[abc] \d\n(?:>>> .*\n)+[abc] \?\?\n$/);
  expect([asked.steps, program.match(/>>> print/g)?.length]).toEqual([8, 2]);
});

/** What a solver that follows the commands of a prompt says, from the last values in it. */
function follow(prompt: string): string {
  const [command, values] = [...prompt.split("\n")]
    .reverse()
    .reduce<[string, string]>(
      ([first, second], line) => [
        first || (line.startsWith("a, b") ? line : ""),
        second || (first && line.startsWith("# a=") ? line : ""),
      ],
      ["", ""],
    );
  const held = Object.fromEntries([...values.matchAll(/(\w)=(\d)/g)].map((match) => [match[1], match[2]]));
  const sources = command.split(" = ")[1].split(", ");
  return `# ${["a", "b", "c", "d", "e"].map((name, i) => `${name}=${held[sources[i]]}`).join(" ")}`;
}

function forcedQuestion(commands: number): Question {
  return question("s5", { programs: 3, commands: [commands], mode: ["forced"] }, 1);
}

test("forced: one prompt a command, with the true command in it; who follows them is right", async () => {
  const asked = forcedQuestion(16);
  const replies: string[] = [];
  for (let prompt = asked.next(replies); prompt !== undefined; prompt = asked.next(replies))
    replies.push(follow(prompt));
  expect(replies).toHaveLength(16);
  expect((await asked.judge(replies, nothing)).grade).toEqual({ kind: "correct" });
});

test("forced: a wrong state stays in the prompts that follow, and the commands stay true", () => {
  const asked = forcedQuestion(4);
  const first = asked.next([])!;
  const right = follow(first);
  const wrong = right.replace(/a=(\d) b=(\d)/, "a=$2 b=$1");
  const [one, other] = [asked.next([right])!, asked.next([`${wrong}\na, b, c, d, e = a, a, a, a, a`])!];
  expect(other).toBe(one.replace(`${right}\n`, `${wrong}\n`));
  expect(other).not.toContain("a, a, a");
});

test("free: one prompt with the whole program; only all five values at the end are right", async () => {
  const asked = question("s5", { programs: 2, commands: [8], mode: ["free"] });
  const prompt = asked.next([])!;
  expect(prompt.match(/^a, b, c, d, e = [a-e], /gm)?.length).toBe(3 + 3 + 8); // example, its walk, the program
  const values = asked.expected.split(", ");
  const line = (list: string[]) =>
    `# ${["a", "b", "c", "d", "e"].map((name, i) => `${name}=${list[i]}`).join(" ")}`;
  const verdict = async (reply: string) => (await asked.judge([reply], nothing)).grade.kind;
  expect(await verdict(`long thought [/THOUGHT]\n[ANSWER]\n${line(values)}\n[/ANSWER]`)).toBe("correct");
  expect(await verdict(`[ANSWER]${asked.expected}[/ANSWER]`)).toBe("correct");
  expect(await verdict(`[ANSWER]a, b, c, d, e = ${asked.expected}[/ANSWER]`)).toBe("correct");
  expect(await verdict(`[ANSWER]${line([values[1], values[0], ...values.slice(2)])}[/ANSWER]`)).toBe("wrong");
  expect(await verdict(`[ANSWER]${values.slice(0, 4).join(", ")}[/ANSWER]`)).toBe("unreadable");
  expect(await verdict(line(values))).toBe("unreadable"); // thought without an answer
});

test("a reply about S_5 is given room for every command and state of its longest program", () => {
  const room = (commands: number[]) => benches.s5.replyTokens!({ programs: 1, commands, mode: ["free"] });
  // each token holds one character at least, and such a walk has fewer than two characters a token
  expect(room([8, 128])).toBeGreaterThan(
    (128 * "a, b, c, d, e = c, e, b, a, d\n# a=3 b=5 c=2 d=1 e=4\n".length) / 2,
  );
  expect(room([8])).toBeLessThan(1000);
});

test("whatever a model replies, a question reads it or says that it cannot", async () => {
  const questions = Object.keys(benches)
    .filter((name) => benchNamed(name).file === undefined)
    .map((name) => question(name, { programs: 1 }));
  const pieces = fc.constantFrom(
    "[ANSWER]",
    "[/ANSWER]",
    "```",
    "assert ",
    "==",
    "(",
    "'",
    '"""',
    "\\",
    "# a=1",
    "\n",
    "3",
    "a, b",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 12 }), async (parts) => {
      for (const asked of questions) {
        const { grade } = await asked.judge([parts.join("")], nothing);
        expect(["correct", "wrong", "unreadable"]).toContain(grade.kind);
      }
    }),
    { seed: 5, numRuns: 300 },
  );
});
