/**
 * @file API machines: hidden state must be brought to a goal by API calls; an impossible call is refused and changes
 * nothing.
 *
 *     start  user = None, local['x'] = None, remote['x'] = 1, ...
 *     goal   user = 'ann', local['x'] = 3, remote['x'] = 3, ...
 *     login("ann")  put("x", 3)  push("x")                    three calls are the fewest, by breadth first search
 *
 * The goal is the end of a sampled trace, so it is reachable. One world for each domain of src/tasks/api.
 *
 * Source: StateGen (YuhengHuang42/stateful_bench), whose oracle is the final state; computing the fewest calls is our
 * addition.
 */

import { z } from "zod";
import type { Json, ToolCall } from "../../../schemas/agents.ts";
import { type DomainName, domains } from "../../../tasks/api/index.ts";
import { drawTrace, fresh } from "../../../tasks/api/sampler.ts";
import {
  type ApiMachine,
  type ApiState,
  apiMachine,
  type Call,
  type CallGraph,
  callGraph,
  makeCall,
  withoutResults,
} from "../../../tasks/api/state-machine.ts";
import { refused, type Tool, toolWords, type World, wrongCall } from "../environment.ts";
import type { Message } from "../history.ts";
import { definePolicy } from "../policies/policy.ts";
import { callIn } from "../runtimes/tools-only.ts";

export interface Calling {
  readonly start: ApiState;
  readonly goal: ApiState;
  readonly now: ApiState;
  /** The fewest calls. */
  readonly optimum: number;
  readonly accepted: number;
  readonly refused: number;
}

const Params = z.strictObject({
  calls: z.int().min(1).max(8).default(4).describe("Calls of the trace that ends in the goal"),
});
type Params = z.infer<typeof Params>;

/** Search limit; no task needs a longer path. */
const furthest = 12;

export interface ApiWorld {
  readonly machine: ApiMachine;
  readonly graph: CallGraph;
  readonly world: World<Params, Calling>;
}

function apiWorld(domain: DomainName): ApiWorld {
  const machine = apiMachine(withoutResults(domains[domain]));
  const graph = callGraph(machine);
  const { apis, summary } = machine.domain;
  const tools: readonly Tool[] = apis.map(({ name, words, parameters }) => ({
    ...{ name, words },
    parameters: parameters.map((each) => each.name),
  }));
  const told = (state: ApiState) => state.map((value, i) => `${machine.variables[i]} = ${value}`).join(", ");
  const world: World<Params, Calling> = {
    name: `api-${domain}`,
    summary: `${summary}, with a goal to reach by calls of an API`,
    source: "YuhengHuang42/stateful_bench",
    params: Params,
    tools,

    draw({ calls }, rng) {
      for (let attempt = 0; ; attempt++) {
        const { start, made } = drawTrace(machine, calls, fresh, new Map(), rng.fork(attempt));
        const goal = made[made.length - 1].done.state;
        const way = graph.shortest(start, goal, calls)!; // the trace itself is one
        if (way.length > 0) return { start, goal, now: start, optimum: way.length, accepted: 0, refused: 0 };
      }
    },

    task: ({ start, goal }) =>
      [
        `Bring the state (${domain}) to the goal, by as few calls as you can.`,
        `start: ${told(start)}`,
        `goal: ${told(goal)}`,
        "The state is not shown. A call that is not possible is refused, changes nothing and counts.",
        toolWords(tools),
      ].join("\n"),

    act(state, call) {
      const no = (error: string, message: string) => ({
        state: { ...state, refused: state.refused + 1 },
        answer: refused(error, message),
      });
      const wrong = wrongCall(tools, call);
      if (wrong !== undefined) return { state, answer: wrong };
      if (world.isOver(state)) return { state, answer: refused("RuntimeError", "the goal is reached") };
      const known = knownCall(machine, call);
      if (known === undefined) return no("ValueError", "there is no such call");
      const done = machine.make(state.now, known);
      if (typeof done === "string") return no(done, "not possible now");
      const value = done.result === undefined ? "done" : jsonOf(done.result);
      return { state: { ...state, now: done.state, accepted: state.accepted + 1 }, answer: { value } };
    },

    isOver: ({ now, goal }) => isSame(now, goal),

    score({ now, goal, optimum, accepted, refused: refusals }) {
      const reached = isSame(now, goal);
      return {
        ...{ share: reached ? optimum / (accepted + refusals) : 0, reached: Number(reached) },
        ...{ optimum, calls: accepted + refusals, refused: refusals },
      };
    },

    answers: ({ start, goal }) => [
      graph
        .shortest(start, goal, furthest)!
        .map(({ text }) => text)
        .join("; "), // the world drew a goal that can be reached
    ],

    isRight({ now, goal }, reply) {
      const call = callIn(reply, tools);
      const known = call && knownCall(machine, call);
      const done = known && machine.make(now, known);
      if (done === undefined || typeof done === "string") return false;
      const left = graph.shortest(now, goal, furthest);
      return left !== undefined && graph.shortest(done.state, goal, left.length - 1) !== undefined;
    },
  };
  return { machine, graph, world };
}

export const apiWorlds: Readonly<Record<DomainName, ApiWorld>> = {
  session: apiWorld("session"),
  tensors: apiWorld("tensors"),
  files: apiWorld("files"),
};

const isSame = (one: ApiState, other: ApiState) => one.every((value, i) => value === other[i]);

/** The call of the machine that a tool call is, its arguments as Python writes them. */
export function knownCall(machine: ApiMachine, { name, arguments: given }: ToolCall): Call | undefined {
  const api = machine.domain.apis.find((each) => each.name === name);
  const values = given.map((each) => (typeof each === "string" ? `'${each}'` : String(each)));
  const fits =
    api?.parameters.length === values.length &&
    api.parameters.every((parameter, i) => parameter.values.includes(values[i]));
  return api !== undefined && fits ? makeCall(api, values) : undefined;
}

/** `None` is null, `3` is 3, `'ann'` is "ann". */
const jsonOf = (literal: string): Json =>
  literal === "None" ? null : literal.startsWith("'") ? literal.slice(1, -1) : Number(literal);

/**
 * Planning: replays its visible calls on a copy of the machine and makes the first call of a shortest path from
 * there; with probability e a random call. Calls that the view does not show are lost.
 */
export const planning = definePolicy({
  name: "planning",
  summary: "makes the first call of a shortest path from the state that it tracks (planning.error)",
  params: z.strictObject({
    error: z.number().min(0).max(1).default(0).describe("Probability of an error in its state"),
  }),
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
});

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
