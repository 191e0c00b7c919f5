import { expect, test } from "vitest";
import { rngFrom } from "../../../core/rng.ts";
import type { AnyWorld } from "../environment.ts";
import { episodesOf, planOf } from "../episode.test-helper.ts";
import { type AgentPlan, rngStreams } from "../plan.ts";
import { environments } from "../registries.ts";
import { leaks, makeConcepts } from "./concepts.ts";

const answersOf = ({ world, begin }: AgentPlan) =>
  world.entry.answers!(world.entry.draw(world.params, rngStreams(begin).world));

test.each([
  ["lock", "tracking"],
  ["api-session", "planning"],
  ["api-files", "planning"],
])("what episodes of %s teach holds no answer of any of them", async (world, policy) => {
  const episodes = await episodesOf({ world, policy }, 8);
  const { tools } = planOf({ world, policy }).world.entry;
  const concepts = makeConcepts(episodes, tools, 0.9);
  expect(concepts.length).toBeGreaterThan(0);
  const answers = Array.from({ length: 8 }, (_, index) => answersOf(planOf({ world, policy, index }))).flat();
  expect(answers).toHaveLength(world === "lock" ? 16 : 8);
  expect(leaks(concepts, answers)).toEqual([]);
});

test("a field that holds an answer is named, whichever it is", () => {
  const concept = {
    ...{ name: "enter+", kind: "routine" as const, parameters: ["digit"], cues: ["enter"] },
    ...{ implementation: "each: enter(digit)", usedIn: ["lock/calls/full/free/tracking/0"] },
  };
  const { world } = planOf({ world: "lock", policy: "tracking" });
  const answers = world.entry.answers!(world.entry.draw(world.params, rngFrom(1)));
  const [code] = answers;
  for (const field of ["name", "implementation"] as const)
    expect(leaks([{ ...concept, [field]: `enter ${code.replaceAll(" ", ", ")}` }], answers)).toEqual([
      `concepts[0].${field}`,
    ]);
  for (const field of ["parameters", "cues", "usedIn"] as const)
    expect(leaks([concept, { ...concept, [field]: ["x", code] }], answers)).toEqual([`concepts[1].${field}`]);
  expect(leaks([concept], ["", "digits", "each enter"])).toEqual(["concepts[0].implementation"]);
});

test("repetitions are taken together, arguments become parameters, and who came to less teaches nothing", async () => {
  const episodes = await episodesOf(
    { world: "lock", policy: "tracking", settings: { lock: { length: 5 } } },
    2,
  );
  const [concept, ...others] = makeConcepts(episodes, environments.lock.tools, 1);
  expect(others).toEqual([]);
  expect(concept).toEqual({
    ...{ name: "enter+", kind: "routine", parameters: ["digit"], cues: ["enter"] },
    implementation: "each: enter(digit)",
    usedIn: episodes.map(({ end }) => end.episode),
  });
  const failed = episodes.map(({ turns, end }) => ({ turns, end: { ...end, score: { share: 0 } } }));
  expect(makeConcepts(failed, environments.lock.tools, 0.5)).toEqual([]);
});

test("every world that has answers says some, and the knapsack's are its items", () => {
  for (const world of Object.values(environments) as AnyWorld[]) {
    const answers = world.answers?.(world.draw(world.params.parse({}), rngFrom(2)));
    if (answers !== undefined) expect(answers.every((answer) => answer.length > 0)).toBe(true);
  }
  const sack = environments.knapsack.draw(environments.knapsack.params.parse({}), rngFrom(2));
  expect(environments.knapsack.answers!(sack)).toContain(sack.items[0].id);
});
