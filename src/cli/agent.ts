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
import { shellWord } from "../core/format.ts";
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
import { flag, group, rare, sandboxOptions, seedOption, type Values } from "./lib/flags.ts";
import { progressOn } from "./lib/progress.ts";

/** Of a policy that is a model. */
const askingOptions = {
  ...endpointOptions,
  model: { ...endpointOptions.model, description: "model name" },
  ...samplingOptions("maximum tokens of a reply [1000; templates: 8]", "random seed sent to the server"),
  ...costOptions,
};
const askingFlags = Object.keys(askingOptions) as (keyof typeof askingOptions)[]; // its own keys

const worldNames = Object.keys(environments).join(", ");

export const command = defineCommand({
  name: "agent",
  summary: "run agents in environments with known optima",
  usage: "agent run ENVIRONMENT --policy NAME [OPTIONS], or agent report|replay|concepts DIR",
  positionals: { least: 1, most: 2 },
  options: {
    ...group("Agent", {
      policy: flag.text("NAME|FILE", "a script or a model; names are below (required)"),
      runtime: flag.list("NAMES", "persistent, stateless or calls", (name) => name, {
        default: ["persistent", "stateless"],
      }),
      view: flag.list("NAMES", `${Object.keys(views).join(", ")}`, (name) => name, {
        default: ["full"],
      }),
      control: flag.text("NAME", "free, check-retry or machine", { default: "free" }),
      set: flag.texts("ENTRY.KEY=VALUE", "change a part, e.g. knapsack.difficulty=hard; may be repeated"),
      ...rare({
        machine: flag.text("FILE", "state machine of --control machine, in YAML"),
        concepts: flag.text("FILE", "output of agent concepts, for --view concepts"),
      }),
    }),
    ...group("Episodes", {
      episodes: flag.integer("N", "episodes per condition", { default: 20, least: 1 }),
      turns: flag.integer("N", "maximum cells per episode", { default: defaultTurns, least: 1 }),
      out: flag.text("DIR", "output folder [runs/agent-ENVIRONMENT-POLICY]"),
      seed: seedOption,
      ...rare({
        "max-tool-calls": flag.integer("N", "maximum tool calls per cell", {
          default: defaultCallsPerCell,
          least: 1,
        }),
        "cell-timeout": flag.seconds("seconds after which a cell is stopped", { default: 10 }),
      }),
    }),
    "min-score": flag.parsed("SHARE", "minimum score of an episode, as a share of the optimum", parseShare, {
      default: 0.9,
    }),
    ...rare(sandboxOptions),
    ...askingOptions,
  },
  actions: {
    run: {
      summary: "run episodes",
      usage: "agent run ENVIRONMENT --policy NAME [OPTIONS]",
      flags: [
        ...(["policy", "runtime", "view", "control", "set", "machine", "concepts"] as const),
        ...(["episodes", "turns", "out", "seed", "max-tool-calls", "cell-timeout", "python"] as const),
        ...askingFlags,
      ],
      notes:
        `Environments: ${worldNames}.\n` +
        "Scripts: reuse, rederive (knapsack), forgetful (refactor), tracking, guessing (lock), planning (api-...), revealing (reveals), noting (reading), or your own file, e.g. ./mine.ts, which runs with your rights. Models: endpoint (every environment), templates (knapsack).\n" +
        "Writes DIR/ledger.jsonl as episodes end, then results.json. Run the same command again to continue; a larger --episodes adds episodes.\n" +
        "Exit codes: 1 an episode is unfinished, 5 server unavailable, 6 no sandbox.\n" +
        "More: docs/how-to/agents.md",
      examples: [
        "agent run knapsack --policy reuse --episodes 20 --out runs/reuse",
        "agent run lock --runtime calls --control check-retry --policy tracking --set tracking.error=0.05",
        "agent run knapsack --policy endpoint --base-url http://localhost:8000/v1 --model NAME --episodes 20",
      ],
    },
    report: {
      summary: "print the results of a folder",
      usage: "agent report DIR",
      flags: [],
      notes: "Writes nothing.\nMore: docs/how-to/agents.md",
      examples: ["agent report runs/reuse"],
    },
    concepts: {
      summary: "print what successful episodes teach, as JSON",
      usage: "agent concepts DIR [--min-score SHARE]",
      flags: ["min-score"],
      notes: "The concepts are routines without answers, for --view concepts.\nMore: docs/how-to/agents.md",
      examples: ["agent concepts runs/reuse > concepts.json"],
    },
    replay: {
      summary: "recompute all numbers from the event log",
      usage: "agent replay DIR",
      flags: [],
      notes: "Exit code 3: a line was changed, or differs from the replay.\nMore: docs/how-to/agents.md",
      examples: ["agent replay runs/reuse"],
    },
  },
  examples: [
    "agent run knapsack --policy reuse --episodes 20 --out runs/reuse",
    "agent report runs/reuse",
    "agent replay runs/reuse",
  ],
  notes: "More: docs/how-to/agents.md",

  async run({ positionals: [first, subject], values, json, print, say, signal }) {
    const action = parseChoice("agent", first, ["run", "report", "replay", "concepts"]);
    if (subject === undefined)
      fail(
        `agent ${action}`,
        action === "run" ? `an environment: ${worldNames}` : "a folder of episodes",
        "none",
      );
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
          `${subject}: recomputed ${episodes} episodes, ${lines} lines${results ? " and results.json" : ""}; no differences`,
        );
      return;
    }
    const given =
      values.policy ?? fail("agent run", "--policy NAME", "none", "See statelab agent run --help");
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
      if (signal.aborted)
        say("statelab: stopped; finished episodes are saved. Run the same command again to continue");
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
        `statelab: ${folder}: ${results.ledger.lines} lines; see ${join(folder, "report.html")}, or run statelab agent report ${shellWord(folder)}`,
      );
    return "tally" in end ? reportTally(end, say, { before: "episodes: ", lost }) : undefined;
  },
});

const lost = "unanswered episodes count in no result; run the same command again to request them";

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
    fail(
      `--${given}`,
      "a policy that is a model (endpoint, templates)",
      policy,
      "A script sends no requests",
    );
}

function modelConfig(values: Values<typeof askingOptions>): EndpointConfig {
  if (values.model.length > 1)
    fail("--model", "one model", `${values.model.length}`, "Run each model separately");
  return endpointConfig(values);
}
