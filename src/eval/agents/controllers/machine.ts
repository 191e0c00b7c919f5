/**
 * @file A state machine around the policy: each state allows some calls (moves); all others are refused before they
 * reach the world.
 *
 *     state = fold over the calls that were answered without an error
 *     one move left, and it has no arguments        it is made without asking the policy
 *     a reply that is a call and no move            is sent back, at most `retry` times
 *     check: {falseAlarm: f, detection: d}          and so is a reply that a checker rejects: closed form in check-retry.ts
 *
 * The style sets what the prompt shows: `direct`, the task of this state; `machine`, also the state and its moves;
 * `pseudocode`, all states with their moves.
 *
 * Source: Aggregate-Intellect/sherpa (transitions with guards; a single one without arguments is made automatically).
 */

import { z } from "zod";
import { fail } from "../../../core/error.ts";
import { AgentMachine, type MachineState } from "../../../schemas/agent-machine.ts";
import type { ToolCall } from "../../../schemas/agents.ts";
import { refused } from "../environment.ts";
import { callIn } from "../runtimes/tools-only.ts";
import type { Control, Past } from "./controller.ts";

const styles = ["direct", "pseudocode", "machine"] as const;
const Params = z.strictObject({
  style: z.enum(styles).default("machine").describe("Form of the instruction"),
  machine: AgentMachine.optional(),
});
type Params = z.infer<typeof Params>;

export const machine: Control<Params> = {
  name: "machine",
  summary: "a state machine from a file allows, checks and rejects calls",
  params: Params,
  checks: (params) => Object.values(of(params).states).some(({ check }) => check !== undefined),

  fits(tools, params) {
    const names = tools.map(({ name }) => name);
    for (const [state, { on }] of Object.entries(of(params).states))
      for (const [tool, { when }] of Object.entries(on))
        for (const name of [tool, ...when.map((guard) => guard.split(" ")[0])])
          if (!names.includes(name))
            fail(`machine, state ${state}`, `one of the environment's tools: ${names.join(", ")}`, name);
  },

  async choose({ ask, isRight, past, rng }, params) {
    const { state } = standing(past, params);
    const moves = movesOf(past, params);
    const { check, retry } = state;
    const isSentBack = (reply: string) => {
      const call = callIn(reply, past.tools);
      if (call !== undefined && !moves.includes(call.name)) return true;
      if (check === undefined) return false;
      return rng.next() < (isRight!(reply) ? check.falseAlarm : check.detection); // the episode saw to it
    };
    const replies = [await ask()];
    while (replies.length <= retry && isSentBack(replies[replies.length - 1])) replies.push(await ask());
    return replies;
  },

  guide(past, params) {
    const { name, state } = standing(past, params);
    const signature = (tool: string) =>
      `${tool}(${past.tools.find((each) => each.name === tool)!.parameters.join(", ")})`; // they fit
    const lines = {
      direct: [],
      machine: [`state: ${name}`, `moves: ${movesOf(past, params).map(signature).join(", ") || "none"}`],
      pseudocode: [...pseudocode(of(params), signature), `state: ${name}`],
    }[params.style];
    return [...lines, state.ask].filter(Boolean).join("\n");
  },

  forced(past, params) {
    const moves = movesOf(past, params);
    const [only] = moves;
    const tool = past.tools.find(({ name }) => name === only);
    return moves.length === 1 && tool?.parameters.length === 0 ? `${only}()` : undefined;
  },

  refuses(past, { name }, params) {
    if (movesOf(past, params).includes(name)) return undefined;
    return refused("RuntimeError", `${name} is no move in the state ${standing(past, params).name}`);
  },
};

const of = ({ machine: given }: Params): AgentMachine =>
  given ??
  fail(
    "--control machine",
    "a state machine, --machine FILE",
    "none",
    "examples/knapsack-machine.yaml is an example",
  );

/** The tools whose calls are moves now. */
const movesOf = (past: Past, params: Params) => {
  const { state, counts } = standing(past, params);
  return Object.entries(state.on).flatMap(([tool, { when }]) =>
    when.every((guard) => holds(guard, counts)) ? [tool] : [],
  );
};

interface Standing {
  readonly name: string;
  readonly state: MachineState;
  /** Calls that were answered without an error, by tool. */
  readonly counts: ReadonlyMap<string, number>;
}

function standing({ calls }: Past, params: Params): Standing {
  const { start, states } = of(params);
  const counts = new Map<string, number>();
  let name = start;
  for (const call of calls) {
    if ("error" in call.answer) continue;
    name = after(states[name], call, counts) ?? name;
    counts.set(call.name, (counts.get(call.name) ?? 0) + 1);
  }
  return { name, state: states[name], counts };
}

const after = ({ on }: MachineState, { name }: ToolCall, counts: ReadonlyMap<string, number>) =>
  Object.hasOwn(on, name) && on[name].when.every((guard) => holds(guard, counts)) ? on[name].to : undefined;

function holds(guard: string, counts: ReadonlyMap<string, number>): boolean {
  const [tool, operator, number] = guard.split(" ");
  const [count, bound] = [counts.get(tool) ?? 0, Number(number)];
  switch (operator) {
    case ">=":
      return count >= bound;
    case "<=":
      return count <= bound;
    case "==":
      return count === bound;
    case "<":
      return count < bound;
    default:
      return count > bound; // the schema allows no other
  }
}

/** `state inspect:` and a line for each of its moves. */
const pseudocode = ({ states }: AgentMachine, signature: (tool: string) => string) =>
  Object.entries(states).flatMap(([name, { on }]) => [
    `state ${name}:`,
    ...Object.entries(on).map(([tool, { to, when }]) => {
      const condition = when.length === 0 ? "" : `if ${when.join(" and ")}: `;
      return `    ${condition}${signature(tool)} -> ${to}`;
    }),
  ]);
