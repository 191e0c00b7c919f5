import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SearchRecord } from "../../src/records/search.ts";
import { plainName } from "../engine/run.ts";
import { headline, settings } from "./headline.ts";

const recordOf = (model: string) => {
  const path = new URL(`../../evidence/headline/search/${plainName(model)}.json`, import.meta.url);
  return SearchRecord.parse(JSON.parse(readFileSync(path, "utf8")));
};

test("every recipe is the best trial of its search, whose record is kept, and all were searched alike", () => {
  const [first, ...others] = headline.searches!.map(({ model, space }) => {
    const record = recordOf(model);
    expect(record.space).toEqual(space);
    const { found, train } = settings.laptop.recipes[model as keyof typeof settings.laptop.recipes];
    const chosen = record.trials.find(({ trial }) => trial === found?.trial)!;
    expect(found?.trial).toBe(record.chosen);
    expect(found?.score).toBeCloseTo(chosen.scores.at(-1)!.score, 4);
    expect(found?.score).toBeCloseTo(
      Math.max(
        ...record.trials.filter(({ scores }) => scores.length === 3).map(({ scores }) => scores[2].score),
      ),
      4,
    );
    expect([train.learningRate, train.batch, train.schedule]).toEqual(
      ["train.learningRate", "train.batch", "train.schedule"].map((key) => chosen.drawn[key]),
    );
    return record.trials.map(({ drawn: { model: _, ...drawn } }) => drawn);
  });
  for (const drawn of others) expect(drawn).toEqual(first);
});

test("no run of the experiment has a seed of the search", () => {
  const { runs } = headline.plan({ scale: "laptop" }, [0, 1, 2, 3, 4]);
  for (const { config } of runs) expect(config.seed).toBeLessThan(1000);
});
