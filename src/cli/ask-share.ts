/** @file A share of an asking, from the flags of `ask` as they stand in a manifest: what an engine's task asks. */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Carrier } from "../executors/execute-task.ts";
import { shareFiles } from "../executors/job-outputs.ts";

export const ask: Carrier<"ask"> = {
  saved: async (folder) => (await import("../app/llm/share.ts")).savedAnswers(folder),

  async carryOut({ folder, home, work: { flags, from, first, last } }, tell, signal) {
    const [{ orderOf }, { withAsking }, { askShare }] = await Promise.all([
      import("./ask-order.ts"),
      import("../app/llm/eval.ts"),
      import("../app/llm/share.ts"),
    ]);
    const here = process.cwd();
    const called = resolve(home, from);
    if (existsSync(called)) process.chdir(called); // its files are named as the user named them; where no folder is shared there are none
    try {
      const progress = {
        update: (_: string, { step, steps }: { step: number; steps: number }) =>
          tell({ kind: "measure", done: step, of: steps }),
        ...{ end() {}, say() {}, close() {} },
      };
      const { order, models } = await orderOf(flags, { signal, progress });
      const [{ model: _, ...only }] = models;
      await withAsking({ ...order, ...only, folder }, (run) =>
        askShare(run, { first, last }, join(home, shareFiles.answers)),
      );
    } finally {
      process.chdir(here);
    }
  },
};
