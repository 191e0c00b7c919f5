import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { rngFrom } from "../../src/core/rng.ts";
import { openHost, severally } from "../../src/python/sandbox/open.ts";
import { parseTrace, type TraceLine } from "../../src/schemas/trace.ts";
import { drawFunction, sessionOf } from "./real-traces.ts";

/** Types each line at Python's own prompt and writes what it echoes. */
const TYPED = `
import code, contextlib, io, json, sys
def typed(text):
    console, out = code.InteractiveConsole(), io.StringIO()
    with contextlib.redirect_stdout(out):
        for line in text.splitlines():
            if line.startswith(">>> "):
                print(line)
                console.push(line[4:])
    return out.getvalue()
print(json.dumps([typed(text) for text in json.load(sys.stdin)]))
`;

test("CPython echoes what the sessions of drawn functions have, and the marked places are those values", async () => {
  const rng = rngFrom(5);
  const calls = Array.from({ length: 40 }, () => drawFunction(rng));
  const host = await openHost("embedded", { atMost: 1 });
  const options = { calls: "inline", maximumSteps: 60, anonymous: false };
  const answers = await severally(
    host,
    calls.map((each) => ({ operation: "trace", ...each, options })),
    { wallSeconds: 60 },
  );
  await host.close();
  const sessions = answers.flatMap((answer) => {
    const record = "value" in answer ? parseTrace(answer.value, "trace") : undefined;
    expect(record?.reason).toBeNull();
    return sessionOf(record!, rng) ?? [];
  });
  expect(sessions.length).toBeGreaterThan(10);
  const texts = sessions.map(({ text }) => text);
  const { stdout } = spawnSync("python3", ["-c", TYPED], { input: JSON.stringify(texts), encoding: "utf8" });
  expect(JSON.parse(stdout)).toEqual(texts);
  for (const { text, echoes } of sessions)
    for (const { start, end, variable, value } of echoes) {
      expect(text.slice(start, end)).toBe(value);
      expect(text.slice(0, start).endsWith(`>>> ${variable}\n`)).toBe(true);
    }
});

test("the age of a value counts the lines since it changed, and an echo makes it known", () => {
  const states = [1, 1, 1, 3, 3, 3, 3, 3];
  const lines = states.map((a) => ({ code: "pass", state: { a } }) as unknown as TraceLine);
  const agesOf = (echoedAfter: readonly number[]) => {
    let asked = -1;
    const below = (bound: number) => (bound === 2 ? Number(echoedAfter.includes(++asked)) : 0); // or the first name
    const found = sessionOf({ lines }, { below } as unknown as ReturnType<typeof rngFrom>);
    return found?.echoes.map(({ age, repeats }) => `${age}${repeats ? ", repeats" : ""}`);
  };
  expect(agesOf([0, 1, 3, 6])).toEqual(["0", "echoed, repeats", "0", "echoed, repeats"]);
  expect(agesOf([2])).toEqual(["2 to 3"]);
  expect(agesOf([1, 4])).toEqual(["1", "1"]);
  expect(agesOf([])).toBeUndefined();
  expect(agesOf([7])).toBeUndefined(); // the last line tells the result
});
