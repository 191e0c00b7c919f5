/** @file Episodes for the tests of the page. */

import { runAgents } from "../../src/app/agents/run.ts";
import { silent } from "../../src/core/progress.ts";

/** Two arms of an agent, in one of which no cell can use what another has named; the host is the embedded one, which is everywhere. */
export const actInKnapsack = (folder: string) =>
  runAgents({
    ...{ world: "knapsack", runtimes: ["persistent", "stateless"], views: ["full"], control: "free" },
    ...{ policy: "reuse", settings: [], episodes: 2, seed: 0, turns: 12, callsPerCell: 25, host: "embedded" },
    ...{ seconds: 10, folder, signal: new AbortController().signal, progress: silent },
  });
