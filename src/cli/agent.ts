/** @file statelab agent: episodes of agents that keep state: run, read, computed again from their ledger. */

import { join } from "node:path";
import { conceptsFrom } from "../app/agents/concepts.ts";
import { ownPolicy, readAgentSettings } from "../app/agents/input-files.ts";
import { replayAgents, reportAgents } from "../app/agents/replay.ts";
import { isAsked, runAgents } from "../app/agents/run.ts";
import { runLlmAgents } from "../app/agents/run-llm.ts";
import { slug } from "../app/llm/eval.ts";
import { isModulePath } from "../app/own-code/load.ts";
import { parseChoice } from "../core/did-you-mean.ts";
import { fail } from "../core/error.ts";
import { defaultCallsPerCell, defaultTurns } from "../eval/agents/plan.ts";
import { environments, views } from "../eval/agents/registries.ts";
import { agentsTable } from "../report/agents.ts";
import type { EndpointConfig } from "../schemas/eval-config.ts";
import { defineCommand } from "./lib/command.ts";
import {
  costOptions,
  endpointConfig,
  endpointOptions,
  reportTally,
  samplingOptions,
} from "./lib/endpoint.ts";
import { flag, sandboxOptions, seedOption, type Values } from "./lib/flags.ts";
import { progressOn } from "./lib/progress.ts";

/** Of a policy that is a model. */
const askingOptions = {
  ...endpointOptions,
  model: { ...endpointOptions.model, description: "the model, as the server calls it; one" },
  ...samplingOptions("the longest reply; default 1000, of templates 8", "a seed for the server"),
  ...costOptions,
};
const askingFlags = Object.keys(askingOptions) as (keyof typeof askingOptions)[]; // its own keys

const worldNames = Object.keys(environments).join(", ");

export const command = defineCommand({
  name: "agent",
  summary: "run agents in worlds whose best is known: where does their state live?",
  usage:
    "agent run WORLD [--runtime NAMES] [--view NAMES] [--control NAME] [--policy NAME], or agent report|replay|concepts DIR",
  positionals: { least: 1, most: 2 },
  options: {
    runtime: flag.list("NAMES", "persistent, stateless, calls; several with commas", (name) => name, {
      default: ["persistent", "stateless"],
    }),
    view: flag.list("NAMES", `${Object.keys(views).join(", ")}; several with commas`, (name) => name, {
      default: ["full"],
    }),
    control: flag.text("NAME", "free, check-retry or machine (default with --machine)", { default: "free" }),
    machine: flag.text("FILE", "a state machine for the control, in YAML"),
    concepts: flag.text("FILE", "what the view concepts shows: agent concepts DIR"),
    "min-score": flag.parsed("SHARE", "episodes teach that come to this share of the best", parseShare, {
      default: 0.9,
    }),
    policy: flag.text(
      "NAME|FILE",
      "reuse, rederive (knapsack), forgetful (refactor), tracking, guessing (lock), planning (api-...), revealing (reveals), noting (reading); a model: endpoint (any world), templates (knapsack); or a file of your own, ./mine.ts",
    ),
    episodes: flag.integer("N", "of each arm, on the same instances", { default: 20, least: 1 }),
    turns: flag.integer("N", "at most so many cells an episode", { default: defaultTurns, least: 1 }),
    "max-tool-calls": flag.integer("N", "at most so many calls of tools a cell", {
      default: defaultCallsPerCell,
      least: 1,
    }),
    set: flag.texts(
      "ENTRY.KEY=VALUE",
      "a parameter of an entry, e.g. knapsack.difficulty=hard; may be repeated",
    ),
    out: flag.text("DIR", "the folder; default runs/agent-WORLD-POLICY"),
    "cell-timeout": flag.seconds("stop a cell that runs for longer", { default: 10 }),
    seed: seedOption,
    ...sandboxOptions,
    ...askingOptions,
  },
  actions: {
    run: {
      summary: "run episodes, each in a ledger",
      usage:
        "agent run WORLD [--runtime NAMES] [--view NAMES] [--control NAME] [--policy NAME] [--episodes N] [--out DIR]",
      flags: [
        ...(["runtime", "view", "control", "policy", "episodes", "turns", "max-tool-calls"] as const),
        ...(["machine", "concepts", "set", "out", "cell-timeout", "seed", "python"] as const),
        ...askingFlags,
      ],
      notes:
        `Worlds: ${worldNames}. Writes DIR/ledger.jsonl as episodes end, then results.json. The same command goes on where it\n` +
        "was stopped, and comes to the same bytes; more --episodes are added to those that are there. Cells run contained (docs/how-to/agents.md).\n" +
        "With --policy ./mine.ts your own script decides (docs/how-to/agents.md); it runs with your rights, and its text is kept in DIR/own.\n" +
        "With --policy endpoint a model is asked, with the flags of `statelab llm eval`; its answers are kept in DIR/answers.jsonl.\n" +
        "Exit codes: 1 some episodes were not answered to their end, 5 the endpoint is unavailable, 6 no sandbox to run cells in.",
      examples: [
        "agent run knapsack --policy reuse --episodes 20 --out runs/reuse",
        "agent run knapsack --policy rederive --set knapsack.difficulty=hard --set rederive.step=10",
        "agent run refactor --runtime calls --policy forgetful --set forgetful.window=4 --episodes 1000",
        "agent run lock --runtime calls --control check-retry --policy tracking --set tracking.error=0.05 --set lock.length=20",
        "agent run refactor --runtime calls --policy ./examples/my-policy.ts --episodes 20",
        "agent run knapsack --policy endpoint --base-url http://localhost:8000/v1 --model NAME --episodes 20",
        "agent run knapsack --policy templates --protocol completion --base-url http://127.0.0.1:8000/v1 --model cells --turns 12",
      ],
    },
    report: {
      summary: "say what the episodes of a folder come to",
      usage: "agent report DIR [--json]",
      flags: [],
      examples: ["agent report runs/reuse"],
    },
    concepts: {
      summary: "say what the episodes of a folder teach for later ones, as JSON: routines, no answers",
      usage: "agent concepts DIR [--min-score SHARE]",
      flags: ["min-score"],
      examples: ["agent concepts runs/reuse > concepts.json"],
    },
    replay: {
      summary: "compute every number of a folder again from its ledger; a changed byte is named",
      usage: "agent replay DIR [--json]",
      flags: [],
      notes: "Exit code 3: a line is not what was written, or not what the replay makes of it.",
      examples: ["agent replay runs/reuse"],
    },
  },
  examples: [
    "agent run knapsack --policy reuse --episodes 20 --out runs/reuse",
    "agent report runs/reuse",
    "agent replay runs/reuse",
  ],

  async run({ positionals: [first, subject], values, json, print, say, signal }) {
    const action = parseChoice("agent", first, ["run", "report", "replay", "concepts"]);
    if (subject === undefined)
      fail(`agent ${action}`, action === "run" ? `a world: ${worldNames}` : "a folder of episodes", "none");
    if (action === "report") {
      const { results } = await reportAgents(subject);
      print(json ? JSON.stringify(results) : agentsTable(results));
      return;
    }
    if (action === "concepts") {
      print(JSON.stringify(await conceptsFrom(subject, values["min-score"]), undefined, 2));
      return;
    }
    if (action === "replay") {
      const replay = await replayAgents(subject);
      const { episodes, lines, results } = replay;
      if (json) print(JSON.stringify(replay));
      else
        print(
          `${subject}: ${episodes} episodes, ${lines} lines: computed again, ${results ? "results.json too, " : "no results.json yet, "}nothing differs`,
        );
      return;
    }
    const given =
      values.policy ?? fail("agent run", "--policy NAME", "none", "statelab agent run --help lists them");
    const own = isModulePath(given) ? await ownPolicy(given) : undefined;
    const policy = own?.policy.name ?? given;
    const asked = isAsked(policy);
    if (!asked) refuseAsking(policy, values);
    const who = asked && values.model.length > 0 ? values.model[0] : policy;
    const folder = values.out ?? join("runs", slug(`agent-${subject}-${who}`));
    const { episodes, seed, turns, "cell-timeout": seconds, python: host } = values;
    const order = {
      ...{ world: subject, policy, own, folder },
      control: values.machine === undefined || values.control !== "free" ? values.control : "machine",
      given: await readAgentSettings(subject, values),
      ...{ runtimes: values.runtime, views: values.view, settings: values.set },
      ...{ episodes, seed, turns, callsPerCell: values["max-tool-calls"], seconds, host },
      ...{ signal, progress: progressOn(process.stderr) },
    };
    const stopped = (error: unknown): never => {
      if (signal.aborted) say("statelab: stopped; every episode so far is kept, the same command goes on");
      throw error;
    };
    const end = asked
      ? await runLlmAgents(order, modelConfig(values)).catch(stopped)
      : { results: await runAgents(order).catch(stopped) };
    const { results } = end;
    if (json) print(JSON.stringify({ folder, ...results, ...("tally" in end && { tally: end.tally }) }));
    else if (results !== undefined) print(agentsTable(results));
    if (results !== undefined)
      say(
        `statelab: ${folder}: ${results.ledger.lines} lines; look at ${join(folder, "report.html")}, or again with statelab agent report ${folder}`,
      );
    return "tally" in end ? reportTally(end, say, { before: "episodes: ", lost }) : undefined;
  },
});

const lost =
  "episodes that the endpoint did not answer are in no figure; the same command asks for them again";

function parseShare(text: string, name: string): number {
  const share = Number(text);
  return text.trim() !== "" && share >= 0 && share <= 1 ? share : fail(name, "a number from 0 to 1", text);
}

/** Flags without a default: each says that a model is to be asked. */
const telling = ["base-url", "answers", "price", "prices", "budget", "system", "chat-template"] as const;

function refuseAsking(policy: string, values: Values<typeof askingOptions>): void {
  const given =
    telling.find((name) => values[name] !== undefined) ?? (values.model.length > 0 ? "model" : undefined);
  if (given !== undefined)
    fail(`--${given}`, "a policy that is a model (endpoint, templates)", policy, "A script asks nobody");
}

function modelConfig(values: Values<typeof askingOptions>): EndpointConfig {
  if (values.model.length > 1)
    fail("--model", "one model", `${values.model.length}`, "Ask each into a folder of its own");
  return endpointConfig(values);
}
