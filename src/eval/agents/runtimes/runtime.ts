/** @file Runtimes with an interpreter: one for the episode, or one for each cell. */

import { z } from "zod";
import type { CellEnd, ToolAnswer, ToolCall } from "../../../schemas/agents.ts";
import type { Tool } from "../environment.ts";
import type { Entry } from "../registry.ts";

export type Act = (call: ToolCall) => ToolAnswer;

/** A sandboxed interpreter that keeps names (src/python/sandbox/session.ts). */
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

/** Runs the replies of one episode in order. */
export interface Cells {
  run(reply: string, act: Act): Promise<CellEnd>;
  close(): Promise<void>;
}

export interface Runtime extends Entry<Record<string, never>> {
  /** Whether it runs Python and so needs a sandbox. */
  readonly python: boolean;
  open(tools: readonly Tool[], session: () => Promise<Session>): Cells;
}

/** Runs one cell. A session that has stopped keeps no names. */
async function runIn(session: Session, code: string, tools: readonly Tool[], act: Act): Promise<CellEnd> {
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

/** Names stay from cell to cell, until a cell exceeds a limit. */
export const persistent: Runtime = {
  name: "persistent",
  summary: "one interpreter per episode; names are kept",
  params: z.strictObject({}),
  python: true,
  open(tools, open) {
    let session: Session | undefined;
    return {
      async run(reply, act) {
        if (session?.alive === false) {
          await session.close();
          session = undefined;
        }
        session ??= await open();
        return runIn(session, reply, tools, act);
      },
      async close() {
        await session?.close();
      },
    };
  },
};

/** Only what the view shows is carried over to the next cell. */
export const stateless: Runtime = {
  name: "stateless",
  summary: "a new interpreter for each cell; names are lost",
  params: z.strictObject({}),
  python: true,
  open: (tools, open) => ({
    async run(reply, act) {
      const session = await open();
      try {
        return { ...(await runIn(session, reply, tools, act)), names: [] };
      } finally {
        await session.close();
      }
    },
    async close() {},
  }),
};
