/**
 * @file What a runtime is: where a reply is run, and what of it is there for the next one.
 */

import type { CellEnd, ToolAnswer, ToolCall } from "../../../schemas/agents.ts";
import type { Tool } from "../environment.ts";
import type { Entry } from "../registry.ts";

export type Act = (call: ToolCall) => ToolAnswer;

/** A contained interpreter that keeps names (src/python/sandbox/session.ts). */
export interface Session {
  run(
    cell: { readonly code: string; readonly tools: readonly (readonly [string, readonly string[]])[] },
    act: Act,
  ): Promise<
    { readonly kind: "cell"; readonly end: CellEnd } | { readonly kind: string; readonly words: string }
  >;
  readonly alive: boolean;
  close(): Promise<void>;
}

/** Runs the replies of one episode, one after the other. */
export interface Cells {
  run(reply: string, act: Act): Promise<CellEnd>;
  close(): Promise<void>;
}

export interface Runtime extends Entry<Record<string, never>> {
  /** Whether it runs Python, and so needs a contained host. */
  readonly python: boolean;
  open(tools: readonly Tool[], session: () => Promise<Session>): Cells;
}

/** How a cell ends in a session; a session that is over has no names left. */
export async function runIn(
  session: Session,
  code: string,
  tools: readonly Tool[],
  act: Act,
): Promise<CellEnd> {
  const outcome = await session.run(
    { code, tools: tools.map(({ name, parameters }) => [name, parameters] as const) },
    act,
  );
  if ("end" in outcome) return outcome.end;
  return {
    ...{ end: "stopped", exception: outcome.kind, message: outcome.words },
    ...{ output: "", characters: 0, names: [] },
  };
}
