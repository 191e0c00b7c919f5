/** @file The contained interpreters of a call: a host that is opened when the first cell has to run, and closed at the end. */

import type { Session } from "../../eval/agents/runtimes/runtime.ts";
import type { PythonHost } from "../../python/sandbox/host.ts";
import { openHost } from "../../python/sandbox/open.ts";
import type { AgentConfig } from "../../schemas/agents.ts";

const memoryBytes = 512 * 2 ** 20;

export interface Sessions {
  open(): Promise<Session>;
  close(): Promise<void>;
}

/** At most so many interpreters at a time; who wants another one waits. */
export function sessionsOf(
  { host: name, seconds }: AgentConfig,
  atMost: number,
  signal: AbortSignal,
): Sessions {
  let host: Promise<PythonHost> | undefined;
  return {
    async open() {
      if (name === null) throw new Error("no Python is to run in this runtime");
      host ??= openHost(name, { atMost, warm: atMost, limits: { wallSeconds: seconds, memoryBytes } });
      const opened = await (await host).session({}, signal);
      return {
        run: (cell, act) => opened.run(cell, act, {}, signal),
        get alive() {
          return opened.alive;
        },
        close: () => opened.close(),
      };
    },
    close: async () => (await host)?.close(),
  };
}
