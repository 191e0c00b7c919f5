import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { silent } from "../../core/progress.ts";
import { runAgents } from "../agents/run.ts";
import { episodeDetails, episodeList, listAgents } from "./episodes.ts";

const root = tmpFolder("episodes");
const name = join("deep", "lock");

beforeAll(async () => {
  await runAgents({
    ...{
      world: "refactor",
      runtimes: ["calls"],
      views: ["full", "window"],
      control: "free",
      policy: "forgetful",
    },
    ...{ settings: ["forgetful.window=2"], episodes: 6, seed: 0, turns: 12, callsPerCell: 25, host: "auto" },
    ...{ seconds: 5, folder: join(root, name), signal: new AbortController().signal, progress: silent },
  });
  mkdirSync(join(root, "damaged"));
  writeFileSync(join(root, "damaged", "config.json"), "{");
  writeFileSync(join(root, "damaged", "ledger.jsonl"), "");
});

test("folders are listed with what their arms came to; a damaged one says why, and hides no other", async () => {
  const [damaged, ran] = await listAgents(root);
  expect(damaged).toMatchObject({ name: "damaged", problem: expect.stringContaining("config.json") });
  const { arms } = JSON.parse(readFileSync(join(root, name, "results.json"), "utf8"));
  expect(ran).toEqual({ name, world: "refactor", policy: "forgetful", control: "free", arms });
});

test("episodes are chosen by arm, and each is given turn by turn as the ledger has it", async () => {
  const list = (await episodeList(root, name, {}))!;
  expect([list.all, list.found, list.episodes.length]).toEqual([12, 12, 12]);
  const own = (await episodeList(root, name, { view: "window", from: 4 }))!;
  expect([own.found, own.episodes.map(({ view }) => view)]).toEqual([6, ["window", "window"]]);
  expect((await episodeList(root, name, { trouble: true }))!.found).toBe(0);
  expect((await episodeList(root, name, { text: "no such name" }))!.found).toBe(0);
  const [{ episode, turns }] = list.episodes;
  const whole = (await episodeDetails(root, name, episode))!;
  expect(whole.turns).toHaveLength(turns);
  const lines = readFileSync(join(root, name, "ledger.jsonl"), "utf8")
    .trim()
    .split("\n");
  const [begin, first] = lines.map((line) => {
    const { previous: _, ...record } = JSON.parse(line);
    return record;
  });
  expect([whole.begin, whole.turns[0]]).toEqual([begin, first]);
});

test("a name that is none of them finds nothing, wherever it points; a changed line is named", async () => {
  for (const wrong of ["..", "../lock", "/etc", "", "deep"]) {
    expect(await episodeList(root, wrong, {})).toBeUndefined();
    expect(await episodeDetails(root, wrong, "x")).toBeUndefined();
  }
  expect(await episodeDetails(root, name, "refactor/none")).toBeUndefined();
  const ledger = join(root, name, "ledger.jsonl");
  writeFileSync(ledger, readFileSync(ledger, "utf8").replace('"turn":1,', '"turn":7,'));
  await expect(episodeList(root, name, {})).rejects.toThrow(
    /ledger\.jsonl, line 3: expected the line as it was written/,
  );
});
