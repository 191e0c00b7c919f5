/**
 * @file A state machine around an agent, declared in a file: each state allows some tools, and a call leads to another state.
 *
 *     start: look
 *     states:
 *       look:
 *         on: {list_items: inspect}                     a single move without arguments: the model is not asked
 *       inspect:
 *         ask: Inspect an item, or begin to fill the sack.
 *         on:
 *           inspect: inspect
 *           take_item: {to: fill, when: [inspect >= 5]}   once five calls of inspect were answered
 *         check: {falseAlarm: 0, detection: 0.9}        a checker that knows right replies, with errors
 *         retry: 2
 *       fill:
 *         on: {take_item: fill, finish: fill}
 */

import { z } from "zod";

const Share = z.number().min(0).max(1);
const Guard = z.string().regex(/^[A-Za-z_]\w* (>=|<=|==|<|>) \d+$/, {
  error: "to be TOOL >= N, how often a tool was answered; also <=, ==, < and >",
});

const Move = z.union([
  z.string().transform((to) => ({ to, when: [] as string[] })),
  z.strictObject({
    to: z.string(),
    /** All must be true. */
    when: z.array(Guard).default([]),
  }),
]);

const MachineState = z.strictObject({
  /** The instruction in the prompt of the policy. */
  ask: z.string().default(""),
  /** The next state by tool. */
  on: z.record(z.string(), Move).default({}),
  check: z.strictObject({ falseAlarm: Share.default(0), detection: Share.default(1) }).optional(),
  /** Retries after an invalid move or a rejection by the checker; the last reply is kept. */
  retry: z.int().min(0).max(100).default(0),
});
export type MachineState = z.infer<typeof MachineState>;

export const AgentMachine = z
  .strictObject({ start: z.string(), states: z.record(z.string(), MachineState) })
  .superRefine(({ start, states }, context) => {
    const named = Object.entries(states).flatMap(([name, { on }]) =>
      Object.entries(on).map(([tool, { to }]) => [`states.${name}.on.${tool}`, to] as const),
    );
    for (const [at, to] of [["start", start] as const, ...named])
      if (!Object.hasOwn(states, to))
        context.addIssue({ code: "custom", path: at.split("."), message: `to be a state, not ${to}` });
  });
export type AgentMachine = z.infer<typeof AgentMachine>;
