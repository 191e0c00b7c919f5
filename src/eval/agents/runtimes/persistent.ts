/** @file One interpreter for the episode: names stay from cell to cell, until a cell passes a limit. */

import { z } from "zod";
import { type Runtime, runIn, type Session } from "./runtime.ts";

export const persistent: Runtime = {
  name: "persistent",
  summary: "one interpreter for the whole episode; names stay",
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
