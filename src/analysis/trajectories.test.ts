import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { parityPrograms, recordingOf, tapOf } from "./recording.test-helper.ts";
import { findTrajectories } from "./trajectories.ts";

test("distances in the plane are those of hidden states that lie in a plane", () => {
  const programs = parityPrograms(6, 10, rngFrom(1));
  const rng = rngFrom(2);
  const plane = programs.map(({ tokens }) => tokens.map(() => [3 * rng.normal(), rng.normal()]));
  // An isometry of the plane into R^4.
  const residual = tapOf(programs, [4], (i, t) => {
    const [x, y] = plane[i][t];
    return [0.6 * x, 0.8 * x, y, 5];
  });
  const found = findTrajectories(recordingOf(programs, { "layers.2.residual": residual }))!;
  expect(found.layer).toBe(2);
  expect(found.explained[0] + found.explained[1]).toBeCloseTo(1, 5);
  const [first] = found.programs;
  for (let t = 1; t < first.length; t++) {
    const wanted = Math.hypot(plane[0][t][0] - plane[0][0][0], plane[0][t][1] - plane[0][0][1]);
    expect(Math.hypot(first[t].x - first[0].x, first[t].y - first[0].y)).toBeCloseTo(wanted, 3);
    expect(found.states[first[t].state]).toBe(String(programs[0].states[t + 1][0]));
  }
});
