import { expect, test } from "vitest";
import { SearchSpace } from "../../src/records/search.ts";
import { drawTrials } from "../../src/work/search/space.ts";
import { type Searched, shapes } from "../engine/recipe-space.ts";
import { curricula, replSpace } from "./space.ts";

const models = Object.keys(shapes) as Searched[];
const space = (model: Searched) =>
  SearchSpace.parse({ programs: 1000, space: replSpace({ spacings: [1, 2, 4, 12] }, model) });

test("every curriculum ends at all spacings, the widest as often as all others twice over, and widens one by one", () => {
  const full = { spacing: 1, reveal: "full" };
  const one = { spacing: 1 };
  const [two, four, twelve] = [2, 4, 12].map((spacing) => ({ spacing }));
  const last = [one, two, four, twelve, twelve, twelve];
  const short = { commands: 3, ...full };
  const kept = [
    [full, one, two],
    [full, one, two, four],
    [full, ...last],
  ];
  expect(curricula([1, 2, 4, 12])).toEqual({
    "full reveals first": [[full], [full, one], [one, two], [one, two, four], last],
    "full reveals first and kept": [[full], [full, one], ...kept],
    "full reveals of short sessions first": [
      ...[[short], [short, full], [full, one]],
      ...[[one, two], [one, two, four], last],
    ],
    "full reveals of short sessions first, and kept": [[short], [short, full], [full, one], ...kept],
  });
});

test("all models draw the same rates, schedules, batches and curricula, trial by trial", () => {
  const drawn = models.map((model) =>
    drawTrials(space(model), 20, 0).map(({ drawn: { model: _, ...others } }) => others),
  );
  for (const each of drawn) expect(each).toEqual(drawn[0]);
});
