import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { type DomainName, domains } from "./api/index.ts";
import { counted, drawTrace, fresh, type PairCounts, rare, rareByFixed, uniform } from "./api/sampler.ts";
import { type ApiMachine, type ApiState, apiMachine } from "./api/state-machine.ts";
import { exampleFrom, exampleStream, taskNamed } from "./index.ts";
import { hasPython } from "./python-replay.test-helper.ts";

const names = Object.keys(domains) as DomainName[];

/** States along a trace, of which each asks for every call that there is. */
const statesOf = (machine: ApiMachine): ApiState[] => {
  const { start, made } = drawTrace(machine, 8, fresh, new Map(), rngFrom(5));
  return [start, ...made.map(({ done }) => done.state)];
};

describe.skipIf(!hasPython).each(names)("%s", (name) => {
  test("every call does in Python what the machine says, or raises what it says, in every state of a trace", () => {
    const machine = apiMachine(domains[name]);
    const states = statesOf(machine);
    const { variables, calls, domain } = machine;
    const cases = states.map((state) => [
      variables.map((variable, i) => `${variable} = ${state[i]}`).join("\n"),
      calls.map(({ text, api: { result } }) => `${result === undefined ? "" : "r = "}${text}`),
    ]);
    const driver = `${domain.python}
import json, sys
show = "[${variables.join(", ")}]"
for state, calls in json.load(sys.stdin):
    for call in calls:
        exec(state)
        try:
            exec(call)
            print(eval(show))
        except Exception as error:
            print(type(error).__name__)
`;
    const input = JSON.stringify(cases);
    const printed = execFileSync("python3", ["-c", driver], { encoding: "utf8", input })
      .trimEnd()
      .split("\n");
    const expected = states.flatMap((state) =>
      calls.map((call) => {
        const done = machine.make(state, call);
        return typeof done === "string" ? done : `[${done.state.join(", ")}]`;
      }),
    );
    expect(printed).toEqual(expected);
    expect(new Set(expected).size).toBeGreaterThan(20);
  });
});

test("a pair is a call and who last wrote what it read", () => {
  const machine = apiMachine(domains.session);
  const calls = ["login('ann')", "pull('x')", "push('x')", "logout()"];
  let next = 0;
  const scripted = {
    fresh: false,
    weigh: (pairs: readonly (readonly string[])[]) => {
      const wanted = calls[next++];
      return pairs.map((each) => Number(each.some((pair) => pair.endsWith(` -> ${wanted}`))));
    },
  };
  const { made } = drawTrace(machine, 4, scripted, new Map(), rngFrom(1));
  expect(made.map(({ pairs }) => pairs)).toEqual([
    ["start -> login('ann')"],
    ["login('ann') -> pull('x')", "start -> pull('x')"],
    ["login('ann') -> push('x')", "pull('x') -> push('x')"],
    ["login('ann') -> logout()"],
  ]);
  expect([...counted(new Map(), { start: [], made }).values()]).toEqual(new Array(6).fill(1));
});

test("of candidates with pairs that were never seen one is drawn by their number, else by the rarest pair", () => {
  const counts: PairCounts = new Map([
    ["a", 1],
    ["b", 4],
  ]);
  expect(rare.weigh([["a"], ["c", "a"], ["c", "d"]], counts)).toEqual([0, 1, 2]);
  const [one, other] = rare.weigh([["a", "b"], ["b"]], counts);
  expect(one / other).toBeCloseTo(4, 5);
  expect(rareByFixed.weigh([["a"], ["b", "a"], ["c"]], counts)).toEqual([1 / 2, 1 / 2, 1]);
  expect(uniform.weigh([["a"], ["c"]], counts)).toEqual([1, 1]);
});

test("asked in words, the functions stand in the prompt and the whole list is the answer", () => {
  const { ask, prepare, params } = taskNamed("api");
  const example = exampleFrom(prepare(params.parse({})), exampleStream(0, "train")(0));
  const words = ask!(params.parse({}));
  expect(words.instruction).toContain("def push(key):\n    if user != 'ann':");
  const { text, expected } = words.question(example);
  expect(`${text.replace("??", expected)}\n`).toBe(example.text);
  expect(expected.split(", ")).toHaveLength(8);
});
