/** @file statelab worker: carries out tasks of a submission. Engines call it. */

import { requeueAtLimit } from "../engines/slurm-task.ts";
import { fail } from "../records/error.ts";
import { carryOutTask } from "../work/engine/task.ts";
import { defineCommand, integerFlag } from "./command.ts";

export const command = defineCommand({
  name: "worker",
  summary: "carry out tasks of a submission; what an engine's jobs call",
  usage: "worker SUBMISSION --task I [--tasks N]",
  locks: true,
  positionals: { least: 1, most: 1 },
  options: {
    task: { type: "string", value: "I", description: "which task, from 0 on" },
    tasks: { type: "string", value: "N", default: "1", description: "and those behind it, N in all" },
  },
  examples: ["worker runs/beta/submissions/3f2a91c04be67d10 --task 17"],
  notes:
    "SUBMISSION is a folder that sweep --on makes. A task goes on where an earlier attempt left it, and is passed over when\n" +
    "it is done. Exit code 1 when one fails; 143 when it was asked to stop and has saved.",

  async run({ positionals: [folder], values, json, print, say, signal }) {
    if (values.task === undefined) fail("worker", "--task I", "nothing");
    const first = integerFlag("--task", values.task, 0);
    const count = integerFlag("--tasks", values.tasks, 1);
    const ends: { task: number; end: string }[] = [];
    for (let task = first; task < first + count && !signal.aborted; task++) {
      const { end, words } = await carryOutTask(folder, task, () => {}, signal);
      ends.push({ task, end });
      say(`statelab: task ${task}: ${end}${words === "" ? "" : `: ${words}`}`);
    }
    if (json) print(JSON.stringify({ tasks: ends }));
    if (signal.aborted && (await requeueAtLimit(process.env)) === "requeued")
      say("statelab: saved before the time limit, and queued again");
    return ends.length === count && ends.every(({ end }) => end === "done") ? 0 : 1;
  },
});
