/** @file The flags of `agent run` for a policy that is a model: those of `ask` that say who is asked, how, and for how much. */

import type { AgentAsking, AskedAgents } from "../app/agents/run-llm.ts";
import { summaryOf } from "../app/llm/run.ts";
import { exitCodes, fail } from "../core/error.ts";
import { unavailable } from "../eval/endpoints/endpoint.ts";
import {
  defaulted,
  endpointFlags,
  endpointOptions,
  numberFlag,
  optionalInteger,
  patienceFlags,
  priceFlags,
  samplingFlags,
  text,
} from "./lib/endpoint.ts";
import type { Options, Values } from "./lib/command.ts";

export const askingOptions = {
  ...endpointOptions,
  model: { ...endpointOptions.model, description: "the model, as the server calls it; one" },
  temperature: defaulted("T", "0", "of sampling"),
  "max-tokens": text("N", "the longest reply; default 1000, of templates 8"),
  context: text("N", "room for prompt and reply, for Ollama"),
  "server-seed": text("N", "a seed for the server"),
  price: text("INPUT,OUTPUT", "of a million tokens of prompts and of replies"),
  prices: text("FILE", 'the same for several models: {"MODEL": {"input": 0.15, "output": 0.6}}'),
  budget: text("AMOUNT", "ask nothing more when this command has spent so much"),
} as const satisfies Options;

export const askingFlags = Object.keys(askingOptions) as (keyof typeof askingOptions)[]; // its own keys

type AskingValues = Values<typeof askingOptions>;

/** Flags that have no default, and so say that somebody was to be asked. */
const telling = ["base-url", "endpoint", "price", "prices", "budget", "system", "chat-template"] as const;

/** A script asks nobody. */
export function refuseAsking(policy: string, values: AskingValues): void {
  const given =
    telling.find((name) => values[name] !== undefined) ?? (values.model.length > 0 ? "model" : undefined);
  if (given !== undefined)
    fail(`--${given}`, "a policy that is a model (endpoint, templates)", policy, "A script asks nobody");
}

export async function agentAsking(values: AskingValues): Promise<AgentAsking> {
  const [model, another] = values.model;
  if (another !== undefined)
    fail("--model", "one model", `${values.model.length}`, "Ask each into a folder of its own");
  return {
    asked: endpointFlags(values, model),
    parameters: {
      temperature: numberFlag("--temperature", values.temperature, 0),
      maximumTokens: optionalInteger("--max-tokens", values["max-tokens"], 1),
      contextTokens: optionalInteger("--context", values.context, 1) ?? null,
      seed: optionalInteger("--server-seed", values["server-seed"]) ?? null,
      ...samplingFlags(values),
    },
    ...patienceFlags(values),
    ...(await priceFlags(values, model)),
    ...(values.budget !== undefined && { budget: numberFlag("--budget", values.budget, 0) }),
  };
}

/** How the asking ended, and its exit code. */
export function askedEnd({ tally, words }: AskedAgents, say: (text: string) => void): number {
  say(`statelab: episodes: ${summaryOf(tally)}`);
  for (const [kind, said] of Object.entries(words)) say(`statelab: ${kind}: ${said}`);
  const left = Object.keys(tally.left);
  if (left.length === 0) return tally.stopped === undefined ? exitCodes.ok : exitCodes.finishedWithFailures;
  say(
    "statelab: episodes that the endpoint did not answer are in no figure; the same command asks for them again",
  );
  return left.some((kind) => unavailable.has(kind)) ? exitCodes.endpoint : exitCodes.finishedWithFailures;
}
