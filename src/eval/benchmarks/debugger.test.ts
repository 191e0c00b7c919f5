import { expect, test } from "vitest";
import { parseWith } from "../../core/settings.ts";
import { benchInput, nothing } from "../bench-input.test-helper.ts";
import type { Grade } from "../scoring/grade.ts";
import { readStop } from "./debugger.ts";
import { benchNamed } from "./index.ts";

const sizes = { starts: 3, numbers: 6, lines: [1, 3], labels: 9 };
const asked = (params: object = {}) => {
  const bench = benchNamed("debugger");
  return bench.prepare(parseWith(bench.params, { ...sizes, ...params }, "debugger"), benchInput());
};

test("one program is shown with one stop and one command, and no other answer; the worked ones have theirs", () => {
  const { question } = asked({ programs: 4 });
  for (let i = 0; i < 4; i++) {
    const { next, expected, id } = question(i);
    const prompt = next([])!;
    const program = prompt.slice(prompt.lastIndexOf("[TEXT]"));
    expect(program.match(/^(call |return )?line \d+: \{.*\}$/gm)).toHaveLength(1);
    const [, stop, command] =
      /\n((?:call |return )?line \d+: \{.*\})\n(.+)\n\?\?\n\[\/TEXT\]\n\[ANSWER\]\n$/.exec(program)!;
    expect(readStop(stop)).toBeDefined();
    expect(id).toBe(`debugger_${i}_${command.replace(/ line \d+$/, "").replaceAll(" ", "-")}`);
    expect(readStop(expected)).toBeDefined();
    expect(prompt.match(/\[ANSWER\]\n(?:call |return )?line \d+: \{.*\}\n\[\/ANSWER\]/g)).toHaveLength(2);
    expect(next(["x"])).toBeUndefined();
  }
});

const verdict = async (reply: string, which = 0): Promise<Grade["kind"]> =>
  (await asked().question(which).judge([reply], nothing)).grade.kind;

test("the right stop counts however it is written; another place, value or variable does not", async () => {
  const { expected } = asked().question(0);
  const [, place, inside] = /^(.*): \{(.*)\}$/.exec(expected)!;
  const quoted = inside.replaceAll(/(\w): /g, "'$1' : ");
  for (const same of [
    expected,
    `${expected}\n[/ANSWER] and more`,
    `${place}: { ${quoted} }`,
    `\n${place} {${inside}}`,
  ])
    expect(await verdict(same), same).toBe("correct");
  const line = Number(/\d+/.exec(place)![0]);
  const elsewhere = expected.replace(`line ${line}`, `line ${line + 1}`);
  const more = `${place}: {${inside === "" ? "" : `${inside}, `}z: 1}`;
  for (const other of [elsewhere, more, `call ${elsewhere}`])
    expect(await verdict(other), other).toBe("wrong");
  for (const none of ["", "I do not know", `${place}: {a}`, `${place}: {a: 1, a: 2}`, "{a: 1}"])
    expect(await verdict(none), none).toBe("unreadable");
});

test("beside a model stands how often the best guess is right, and it is below 1 where something is lost", () => {
  const forwards = asked({ programs: 30, commands: ["next", "continue"] }).references!();
  expect(forwards.exactBayes).toBe(1);
  const back = asked({ programs: 30, commands: ["back continue"], updates: "lossy" }).references!();
  expect(back.exactBayes).toBeGreaterThan(1 / 9);
  expect(back.exactBayes).toBeLessThan(0.99);
});

test("its questions are one to a program, whatever is asked", () => {
  expect(() => parseWith(benchNamed("debugger").params, { leap: 1 }, "debugger")).toThrow(
    "debugger: expected",
  );
});
