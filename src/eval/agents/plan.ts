/**
 * @file The plan of an episode: five names, their parameters, a seed, an index. They determine the world and every random number of
 * the policy and the control.
 */

import { fail } from "../../core/error.ts";
import { type Rng, rngFrom } from "../../core/rng.ts";
import type { EpisodeBegin, Json, ToolAnswer, ToolCall } from "../../schemas/agents.ts";
import type { View } from "./context/view.ts";
import type { Control, Past } from "./controllers/controller.ts";
import type { AnyWorld } from "./environment.ts";
import type { History } from "./history.ts";
import type { Policy } from "./policies/policy.ts";
import { controls, environments, policies, runtimes, views } from "./registries.ts";
import { type Chosen, chosen } from "./registry.ts";
import type { Runtime } from "./runtimes/runtime.ts";

export interface AgentPlan {
  readonly world: Chosen<AnyWorld>;
  readonly runtime: Chosen<Runtime>;
  readonly view: Chosen<View>;
  readonly control: Chosen<Control>;
  readonly policy: Chosen<Policy>;
  readonly begin: EpisodeBegin;
}

export interface EpisodeOrder {
  readonly world: string;
  readonly runtime: string;
  readonly view: string;
  readonly control: string;
  readonly policy: string;
  /** The policy, if it is not in the registry. */
  readonly own?: Policy | undefined;
  /** Parameters by the name of their entry; defaults fill in the rest. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly index: number;
  readonly turns: number;
  readonly callsPerCell: number;
}

export const defaultTurns = 40;
export const defaultCallsPerCell = 25;

/** @throws LabError if a name is unknown, a parameter wrong, or two names cannot be combined. */
export function planEpisode(order: EpisodeOrder): AgentPlan {
  const { settings } = order;
  const world = chosen<AnyWorld>("environment", environments, order.world, settings[order.world]);
  const runtime = chosen<Runtime>("--runtime", runtimes, order.runtime, settings[order.runtime]);
  const view = chosen<View>("--view", views, order.view, settings[order.view]);
  const control = chosen<Control>("--control", controls, order.control, settings[order.control]);
  const known: Readonly<Record<string, Policy>> =
    order.own === undefined ? policies : { [order.own.name]: order.own };
  const policy = chosen<Policy>("--policy", known, order.policy, settings[order.policy]);
  const reads = ({ worlds: known }: Policy) => known?.includes(order.world) !== false;
  if (!reads(policy.entry)) {
    const able = Object.values<Policy>(policies).filter(reads);
    fail("--policy", `one for ${order.world}: ${able.map(({ name }) => name).join(", ")}`, order.policy);
  }
  if (control.entry.checks(control.params) && world.entry.isRight === undefined) {
    const able = Object.values(environments).filter((each: AnyWorld) => each.isRight !== undefined);
    fail(
      "--control",
      `an environment with known correct replies (${able.map(({ name }) => name).join(", ")}) for ${order.control}`,
      order.world,
    );
  }
  control.entry.fits?.(world.entry.tools, control.params);
  // every schema yields JSON
  const kept = Object.fromEntries(
    [world, runtime, view, control, policy].map(({ entry, params }) => [entry.name, params]),
  ) as Record<string, Record<string, Json>>;
  const { settings: _, own: __, ...rest } = order;
  const names = [order.world, order.runtime, order.view, order.control, order.policy];
  const episode = [...names, order.index].join("/");
  const begin: EpisodeBegin = { kind: "begin", version: 1, episode, ...rest, settings: kept };
  return { world, runtime, view, control, policy, begin };
}

/** The random streams of an episode: arms with the same seed, world and index share the world's stream. */
export function rngStreams({ seed, world, index }: EpisodeBegin): {
  readonly world: Rng;
  readonly policy: (turn: number, reply: number) => Rng;
  readonly control: (turn: number) => Rng;
} {
  const stream = rngFrom(seed).fork(world).fork(index);
  const [policy, control] = [stream.fork("policy"), stream.fork("control")];
  return {
    world: stream.fork("world"),
    policy: (turn, reply) => policy.fork(turn).fork(reply),
    control: (turn) => control.fork(turn),
  };
}

/** The prompt of a turn: the same in a run and in its replay. */
export function renderPrompt({ world, view, control, begin }: AgentPlan, task: string, history: History) {
  const past = { calls: history.flatMap(({ calls }) => calls), tools: world.entry.tools };
  const guide = control.entry.guide?.(past, control.params) ?? "";
  const messages = view.entry.show(history, view.params, begin);
  // `forced`: the only possible reply; the policy is not asked.
  return {
    shown: {
      task: guide === "" ? task : `${task}\n${guide}`,
      ...{ messages, turn: history.length, turns: begin.turns },
    },
    past,
    forced: control.entry.forced?.(past, control.params),
  };
}

/** What a call does at a moment of an episode: the control may refuse it before the world sees it. */
export function answerCall(
  { world, control }: AgentPlan,
  state: unknown,
  past: Past,
  call: ToolCall,
): { readonly state: unknown; readonly answer: ToolAnswer } {
  const answer = control.entry.refuses?.(past, call, control.params);
  return answer === undefined ? world.entry.act(state, call) : { state, answer };
}
