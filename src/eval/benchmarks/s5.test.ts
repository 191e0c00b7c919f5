import { expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import { parseWith } from "../../core/settings.ts";
import { benchInput, nothing } from "../bench-input.test-helper.ts";
import { executeAll, hasPython } from "../python.test-helper.ts";
import type { Question } from "../question.ts";
import { s5, s5Program } from "./s5.ts";

const question = (params: object, index: number) =>
  s5.prepare(parseWith(s5.params, params, "s5"), benchInput()).question(index);

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
  return question({ programs: 3, commands: [commands], mode: ["forced"] }, 1);
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
  const asked = question({ programs: 2, commands: [8], mode: ["free"] }, 0);
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
  const room = (commands: number[]) => s5.replyTokens!({ programs: 1, commands, mode: ["free"] }, []);
  // each token has at least one character, and such a walk has fewer than two characters per token
  expect(room([8, 128])).toBeGreaterThan(
    (128 * "a, b, c, d, e = c, e, b, a, d\n# a=3 b=5 c=2 d=1 e=4\n".length) / 2,
  );
  expect(room([8])).toBeLessThan(1000);
});
