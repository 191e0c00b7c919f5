import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startStatelab, untilLonger, words } from "../../../test/kit/cli.ts";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { rngFrom } from "../../core/rng.ts";
import { misbehaviours } from "../../eval/endpoints/misbehaviors.test-helper.ts";
import {
  type Behaviour,
  chatReply,
  json,
  promptOf,
  type Server,
  serverThat,
} from "../../eval/endpoints/server.test-helper.ts";
import { AgentResults } from "../../schemas/agents.ts";
import { readLedger } from "../../storage/index.ts";
import { agentFiles, readEpisodes } from "./read.ts";
import { replayAgents } from "./replay.ts";
import { rightCell } from "./run-llm.test-helper.ts";

const root = tmpFolder("episodes");
const ci = process.env.SOAK_SLICE === "ci";
const [episodes, kills] = ci ? [60, 2] : [1_000, 12];

/** Two of five requests meet a misbehaviour: what a reply cut by its tokens says is the model's own, so of those there is none. */
function misbehaving(retriedAlone: boolean): { behaves: Behaviour; met: Set<string>; all: number } {
  const table = misbehaviours.filter(
    ({ fatal, ends, retried }) =>
      !fatal &&
      !["not-found", "out-of-tokens", "reasoning-only"].includes(ends) &&
      !/timeout/.test(ends) &&
      (retried || ends === "answered" || !retriedAlone),
  );
  const times = new Map<string, number>();
  const met = new Set<string>();
  const rng = rngFrom(27);
  const behaves: Behaviour = (asked, ...rest) => {
    const prompt = promptOf(asked);
    const time = times.get(prompt) ?? 0;
    times.set(prompt, time + 1);
    const draw = rng.fork(prompt).fork(time);
    const right = rightCell(asked);
    const which = draw.below(5) < 2 ? table[draw.below(table.length)] : undefined;
    if (which !== undefined) met.add(which.name);
    (which?.behaves(right) ?? json(chatReply(right)))(asked, ...rest);
  };
  return { behaves, met, all: table.length };
}

const start = (server: Server, folder: string, count: number, retries: number) =>
  startStatelab(
    root,
    "agent run lock --runtime calls --policy endpoint --set lock.length=4 --turns 6",
    ...words(`--episodes ${count} --base-url ${server.url} --model m --skip-token-count-check`),
    ...words(`--max-requests 16 --max-retries ${retries} --retry-delay 0.002 --out ${folder}`),
  );

test(`${episodes} episodes, ${kills} kills and an endpoint that misbehaves: none is lost, none scored wrong, the ledger is intact`, async () => {
  const { behaves, met, all } = misbehaving(false);
  const server = await serverThat(behaves);
  const files = agentFiles(join(root, "mixed"));
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const running = start(server, "mixed", episodes, 8);
      await Promise.race([
        untilLonger(files.answers, Math.floor((kill * 4 * episodes) / (kills + 2))),
        running.ended,
      ]);
      running.process.kill("SIGKILL");
      await running.ended;
    }
    const codes: (number | null)[] = [];
    do codes.push((await start(server, "mixed", episodes, 8).ended).code);
    while (codes.at(-1) !== 0 && codes.length < 20);
    console.log(
      `${server.asked.length} requests, ${met.size} of ${all} misbehaviours, calls ended by`,
      codes,
    );
    // 1: some episodes were lost for this call; 5: to what is the endpoint's own
    expect(codes.slice(0, -1).every((code) => code === 1 || code === 5)).toBe(true);
    expect(codes.at(-1)).toBe(0);
    if (!ci) expect(met.size).toBe(all);
  } finally {
    await server.close();
  }
  const { records } = readLedger(files.ledger);
  const found = readEpisodes(records, files.ledger);
  expect(new Set(found.map(({ begin }) => begin.index)).size).toBe(episodes);
  expect(found).toHaveLength(episodes);
  // every reply that came was right, so one that is scored otherwise is scored wrong
  expect(found.filter(({ end }) => end.score.share !== 1 || Object.keys(end.errors).length > 0)).toEqual([]);
  const results = AgentResults.parse(JSON.parse(readFileSync(files.results, "utf8")));
  expect(results.asked).toMatchObject({ replies: 4 * episodes, unanswered: {} });
  expect(await replayAgents(join(root, "mixed"))).toMatchObject({ episodes, results: true });
}, 3_600_000);

test("where nothing is lost in the end, kills and trouble leave the bytes of a run that met none", async () => {
  const count = ci ? 15 : 300;
  const { behaves } = misbehaving(true);
  let quiet = true;
  const server = await serverThat((asked, ...rest) =>
    (quiet ? json(chatReply(rightCell(asked))) : behaves)(asked, ...rest),
  );
  try {
    const first = await start(server, "quiet", count, 5).ended;
    expect(first.code, first.stderr).toBe(0);
    quiet = false;
    for (const lines of ci ? [count] : [count, 2 * count]) {
      const running = start(server, "killed", count, 60);
      await untilLonger(agentFiles(join(root, "killed")).answers, lines);
      running.process.kill("SIGKILL");
      await running.ended;
    }
    const last = await start(server, "killed", count, 60).ended;
    expect(last.code, last.stderr).toBe(0);
  } finally {
    await server.close();
  }
  for (const name of ["ledger", "config"] as const) {
    const [one, other] = ["quiet", "killed"].map((folder) =>
      readFileSync(agentFiles(join(root, folder))[name], "utf8"),
    );
    expect(one === other, name).toBe(true);
  }
}, 3_600_000);
