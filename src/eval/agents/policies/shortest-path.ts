/**
 * @file Planning: replays its visible calls on a copy of the machine and makes the first call of a shortest path from
 * there; with probability e a random call. Calls that the view does not show are lost.
 */

import { z } from "zod";
import type { DomainName } from "../../../tasks/api/index.ts";
import type { ApiState, Call } from "../../../tasks/api/state-machine.ts";
import { type ApiWorld, apiWorlds, knownCall } from "../environments/api.ts";
import type { Message } from "../history.ts";
import { callIn } from "../runtimes/tools-only.ts";
import type { ScriptedPolicy } from "./policy.ts";

const Params = z.strictObject({ error: z.number().min(0).max(1).default(0) });

/** No goal is farther from any state. */
const furthest = 12;

export const planning: ScriptedPolicy<z.infer<typeof Params>> = {
  kind: "scripted",
  name: "planning",
  summary: "makes the first call of a shortest way from where it takes itself to be (planning.error)",
  params: Params,
  worlds: Object.values(apiWorlds).map(({ world }) => world.name),
  decide({ task, messages }, { error }, rng) {
    const [, domain] = /^Bring the state \((\w+)\)/.exec(task)!;
    const known = apiWorlds[domain as DomainName]; // the world's task names it
    const [start, goal] = ["start", "goal"].map((name) => stateIn(task, name));
    const any = () => known.machine.calls[rng.below(known.machine.calls.length)];
    if (rng.next() < error) return replyOf(any());
    const way = known.graph.shortest(stateAfter(known, start, messages), goal, furthest);
    return replyOf(way?.[0] ?? any());
  },
};

/** `start: a = 1, b = (2, 3)` is ["1", "(2, 3)"]. */
function stateIn(task: string, name: string): ApiState {
  const [, line] = new RegExp(`^${name}: (.*)$`, "m").exec(task)!;
  return [...line.matchAll(/ = (\([^)]*\)|[^,]+)/g)].map(([, value]) => value);
}

function stateAfter({ machine }: ApiWorld, start: ApiState, messages: readonly Message[]): ApiState {
  const replies = messages.filter(({ role }) => role === "assistant").map(({ text }) => text);
  return replies.reduce((now, reply) => {
    const call = callIn(reply);
    const known = call && knownCall(machine, call);
    const done = known && machine.make(now, known);
    return done === undefined || typeof done === "string" ? now : done.state;
  }, start);
}

const replyOf = ({ text }: Call) => text.replaceAll("'", '"');
