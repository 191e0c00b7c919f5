import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { silent } from "../../core/progress.ts";
import { type Behaviour, json, promptOf, serverThat } from "../../eval/endpoints/server.test-helper.ts";
import { EndpointConfig } from "../../schemas/eval-config.ts";
import { openLedger, readLedger } from "../../storage/index.ts";
import { replayAgents } from "./replay.ts";
import { opensLocks } from "./run-llm.test-helper.ts";
import { runLlmAgents } from "./run-llm.ts";

const root = tmpFolder("asked");
let behaves: Behaviour = opensLocks;
const server = await serverThat((...args) => behaves(...args));
afterAll(async () => {
  await server.close();
});

const asking = EndpointConfig.parse({
  ...{ baseUrl: server.url, models: ["m"], idleSeconds: 20, totalSeconds: 30 },
  ...{ atMost: 3, maximumRetries: 3, backOffUnit: 0.002 },
});
const askedIn = (folder: string, episodes: number, signal = new AbortController().signal) =>
  runLlmAgents(
    {
      ...{
        world: "lock",
        runtimes: ["calls"],
        views: ["full", "window"],
        control: "free",
        policy: "endpoint",
      },
      ...{ settings: ["lock.length=3"], episodes, seed: 0, turns: 10, callsPerCell: 25, host: "auto" },
      ...{ seconds: 5, folder: join(root, folder), signal, progress: silent },
    },
    asking,
  );
const bytes = (folder: string, name = "ledger.jsonl") => readFileSync(join(root, folder, name), "utf8");

test("episodes are asked turn by turn, kept, and replayed against their answers; nothing is asked twice", async () => {
  const { results, tally } = await askedIn("whole", 4);
  expect(tally).toMatchObject({ samples: 8, answered: 8, requests: 24, left: {} });
  expect(results?.arms.map(({ episodes, score }) => [episodes, score.share.mean])).toEqual([
    [4, 1],
    [4, 1],
  ]);
  expect(results?.asked).toMatchObject({
    replies: 24,
    outOfTokens: 0,
    finishes: { stop: 24 },
    unanswered: {},
  });
  expect(await replayAgents(join(root, "whole"))).toMatchObject({ episodes: 8, results: true });
  const requests = server.asked.length;
  // killed before the ledger was whole: the answers are there, the episodes are carried out again
  writeFileSync(join(root, "whole", "ledger.jsonl"), bytes("whole").slice(0, 900));
  const [ledger, kept] = [bytes("whole", "results.json"), bytes("whole", "report.html")];
  await askedIn("whole", 4);
  expect(server.asked.length).toBe(requests);
  expect([bytes("whole", "results.json"), bytes("whole", "report.html")]).toEqual([ledger, kept]);
});

test("what the endpoint does not deliver is in no figure, is told, and is asked for by the next call", async () => {
  let refused = 0;
  behaves = (asked, ...rest) => {
    // the second turn of some episodes, with an error that is not tried again
    if (refused < 2 && promptOf(asked).includes("Turn 2 of")) {
      refused++;
      return json({ error: { message: "no" } }, 400)(asked, ...rest);
    }
    return opensLocks(asked, ...rest);
  };
  const first = await askedIn("lost", 4);
  expect(first.tally).toMatchObject({ samples: 8, answered: 6, left: { "bad-request": 2 } });
  const there = first.results?.arms.reduce((sum, { episodes }) => sum + episodes, 0);
  const missing = Object.values(first.results?.asked?.unanswered ?? {}).reduce((sum, each) => sum + each, 0);
  expect([there, missing]).toEqual([6, 2]);
  expect(first.results?.arms.every(({ score }) => score.share.mean === 1)).toBe(true);
  expect(bytes("lost", "report.html")).toContain("episodes lost to the endpoint, excluded");
  expect(await replayAgents(join(root, "lost"))).toMatchObject({ episodes: 6, results: true });
  const second = await askedIn("lost", 4);
  expect(second.tally).toMatchObject({ samples: 2, answered: 2, requests: 4 });
  expect(second.results?.asked?.unanswered).toEqual({});
  expect(second.results?.arms.map(({ episodes }) => episodes)).toEqual([4, 4]);
  behaves = opensLocks;
});

test("a reply that is not the answer's is named by its line, also where the hashes were recomputed", async () => {
  await askedIn("forged", 1);
  const path = join(root, "forged", "ledger.jsonl");
  const { records } = readLedger(path);
  rmSync(path);
  rmSync(join(root, "forged", "results.json"));
  const ledger = openLedger(path, () => true);
  for (const [i, record] of (records as { replies?: string[] }[]).entries())
    ledger.append(i === 2 ? { ...record, replies: [`${record.replies} `] } : record);
  ledger.close();
  await expect(replayAgents(join(root, "forged"))).rejects.toThrow(
    /ledger\.jsonl, line 3: expected the recorded reply/,
  );
});

test("a stop keeps what there is, and the same call comes to the same bytes", async () => {
  const stop = new AbortController();
  let count = 0;
  behaves = (asked, ...rest) => {
    if (++count === 11) stop.abort(new Error("stopped"));
    opensLocks(asked, ...rest);
  };
  await expect(askedIn("stopped", 4, stop.signal)).rejects.toThrow();
  behaves = opensLocks;
  await askedIn("stopped", 4);
  expect(bytes("stopped")).toBe(bytes("whole"));
  expect(bytes("stopped", "results.json")).toBe(bytes("whole", "results.json"));
});
