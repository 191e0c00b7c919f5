import { expect, test } from "vitest";
import { LabError } from "../../core/error.ts";
import { EpisodeRecord, type EpisodeTurn } from "../../schemas/agents.ts";
import { linesOf, planOf } from "./episode.test-helper.ts";
import { rngStreams } from "./plan.ts";
import { replayed } from "./replay.ts";

const plan = planOf({
  ...{ world: "lock", policy: "tracking", control: "check-retry" },
  settings: { tracking: { error: 0.3 }, lock: { length: 8 } },
});

test("an episode is a function of its order, every line has its schema, and the arms share their world", async () => {
  const lines = await linesOf(plan);
  expect(await linesOf(plan)).toEqual(lines);
  for (const line of lines) expect(EpisodeRecord.parse(line)).toEqual(line);
  const settings = { lock: { length: 8 } };
  const other = planOf({ world: "lock", policy: "guessing", view: "notes", settings });
  const task = (each: typeof plan, index: number) => {
    const { world, begin } = planOf({ ...each.begin, index });
    expect(begin.index).toBe(index);
    return world.entry.task(world.entry.draw(world.params, rngStreams(begin).world));
  };
  expect(task(plan, 0)).toBe(task(other, 0));
  expect(task(plan, 1)).not.toBe(task(plan, 0));
});

test("whatever is changed in a turn, the replay says so", async () => {
  const turns = (await linesOf(plan)).slice(1, -1) as EpisodeTurn[];
  expect(replayed(plan, turns).differences).toEqual([]);
  const { end } = replayed(plan, turns);
  const wrong: readonly ((turn: EpisodeTurn) => EpisodeTurn)[] = [
    (turn) => ({ ...turn, shown: turn.shown + 1 }),
    (turn) => ({ ...turn, turn: turn.turn + 1 }),
    (turn) => ({ ...turn, calls: turn.calls.map((call) => ({ ...call, answer: { value: "open" } })) }),
    (turn) => ({ ...turn, calls: [...turn.calls, ...turn.calls] }),
    (turn) => ({ ...turn, replies: [`${turn.replies.at(-1)} and more`] }),
    (turn) => ({ ...turn, end: { ...turn.end, end: "raised", exception: "KeyError" } }),
  ];
  for (const change of wrong) {
    for (const at of turns.keys()) {
      const again = replayed(plan, turns.with(at, change(turns[at])));
      const found = again.differences.length > 0 || JSON.stringify(again.end) !== JSON.stringify(end);
      expect(found, `${change} at ${at}`).toBe(true);
    }
  }
  expect(replayed(plan, turns.slice(0, -1)).end).not.toEqual(end);
});

test("a cell may call so many tools, and no more are heard of", async () => {
  const { world } = plan;
  const greedy = {
    ...plan,
    policy: { entry: { ...plan.policy.entry, decide: () => "enter(0)\nenter(0)\nenter(0)" }, params: {} },
  };
  const few = planOf({ ...plan.begin, callsPerCell: 2 });
  const lines = await linesOf({
    ...greedy,
    begin: few.begin,
    control: planOf({ world: "lock", policy: "tracking" }).control,
  });
  expect(world.entry.name).toBe("lock");
  const turns = lines.slice(1, -1) as EpisodeTurn[];
  expect(turns[0]).toMatchObject({ refused: 1, end: { end: "raised", exception: "RuntimeError" } });
  expect(turns[0].calls).toHaveLength(2);
});

test.each([
  [
    { world: "vault", policy: "tracking" },
    /environment: expected one of knapsack, lock, refactor, reveals, reading, api-session, .*got "vault"/,
  ],
  [
    { world: "lock", policy: "reuse" },
    /--policy: expected one for lock: tracking, guessing, endpoint, got "reuse"/,
  ],
  [{ world: "lock", policy: "guesing" }, /Did you mean guessing\?/],
  [
    { world: "refactor", policy: "forgetful", control: "check-retry" },
    /--control: expected an environment with known .*lock/,
  ],
  [{ world: "lock", policy: "tracking", settings: { lock: { length: 0 } } }, /lock: expected length/],
  [{ world: "lock", policy: "tracking", view: "all" }, /--view: expected one of full, window/],
] as const)("%j is refused in a sentence", (order, words) => {
  expect(() => planOf(order)).toThrow(LabError);
  expect(() => planOf(order)).toThrow(words);
});
