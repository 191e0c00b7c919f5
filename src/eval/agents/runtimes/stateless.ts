/** @file An interpreter for each cell: nothing stays but what is shown. */

import { z } from "zod";
import { type Runtime, runIn } from "./runtime.ts";

export const stateless: Runtime = {
  name: "stateless",
  summary: "a fresh interpreter for every cell; nothing stays",
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
