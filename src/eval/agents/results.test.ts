import { expect, test } from "vitest";
import { agentsTable } from "../../report/agents.ts";
import type { AgentResults } from "../../schemas/agents.ts";
import type { Ended } from "./results.ts";
import { summarizeEpisodes } from "./results.ts";

const ended = (share: number, index: number): Ended => ({
  begin: {
    ...{ kind: "begin", version: 1, episode: String(index), world: "lock", runtime: "calls", view: "full" },
    ...{ control: "free", policy: "endpoint", settings: {}, seed: 0, index, turns: 10, callsPerCell: 25 },
  },
  end: {
    ...{ kind: "end", episode: String(index), over: true, turns: 3, score: { share }, calls: 3, errors: {} },
    tokens: { peak: 10, processed: 30, replied: 9 },
  },
});
const armOf = (shares: readonly number[]) => summarizeEpisodes(shares.map(ended))[0];

test("of a few episodes, and of episodes that came out alike, no error and no difference is claimed", () => {
  for (const shares of [[1], [0, 0], [0, 1], [0.5, 0.6, 0.7], [1, 1, 1, 1, 1, 1]])
    expect([armOf(shares).score.share.error, armOf(shares).detectable]).toEqual([null, null]);
  const { score, detectable } = armOf([0, 1, 1, 0]);
  expect(score.share.error).toBeCloseTo(Math.sqrt(1 / 3) / 2);
  expect(detectable).toBeCloseTo(2.8 * Math.sqrt(1 / 3) * Math.sqrt(2 / 4));
});

test("the table says what ran out of tokens and what was lost to the endpoint", () => {
  const results: AgentResults = {
    ...{ version: 1, world: "lock", control: "free", policy: "endpoint", seed: 0, arms: [armOf([0, 0])] },
    ledger: { lines: 0, hash: "0".repeat(64) },
  };
  const asked = {
    ...{ endpoint: "http://x", protocol: "chat", model: "m", replies: 60, outOfTokens: 60 },
    ...{ tokens: { prompt: 0, reply: 0, counted: 0 }, finishes: {}, servedModels: {}, unanswered: { a: 2 } },
  };
  const table = agentsTable({ ...results, asked });
  expect(table).toContain("60 of 60 replies ran out of tokens");
  expect(table).toContain("2 episodes were lost to the endpoint");
  expect(table).not.toMatch(/\d ±|detectable/);
  expect(agentsTable(results)).not.toMatch(/out of tokens|lost to/);
});
