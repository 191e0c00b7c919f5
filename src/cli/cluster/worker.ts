/** @file statelab cluster worker: carries out tasks of a submission, for an engine that calls it, or lends this machine to those of a Redis. */

import { jobHandlers } from "../../app/executor/job-handlers.ts";
import { fail, Words } from "../../core/error.ts";
import { executeTask, type JobHandlers } from "../../executors/execute-task.ts";
import { loadPackage } from "../../executors/index.ts";
import { requeueAtLimit } from "../../executors/slurm.ts";
import { defineCommand, type Invocation } from "../lib/command.ts";
import { flag } from "../lib/flags.ts";

const options = {
  task: flag.integer("I", "which task, from 0 on", { least: 0 }),
  tasks: flag.integer("N", "and those behind it, N in all", { default: 1, least: 1 }),
  redis: flag.text("URL", "instead: take tasks of whatever is submitted to this Redis, until Ctrl-C"),
  workers: flag.integer("N", "redis: so many at the same time", { default: 1, least: 1 }),
  folder: flag.text(
    "DIR",
    "redis: only of submissions in it, under the path by which they were submitted; with --object-store: where it works",
    { default: "." },
  ),
  "object-store": flag.text(
    "s3://BUCKET/PREFIX",
    "redis: files come through this store, and DIR is this machine's alone",
  ),
  "sync-every": flag.integer("SECONDS", "objects: how often what a task has saved is put there", {
    default: 10,
    least: 1,
  }),
  lease: flag.integer("SECONDS", "redis: silent for so long, a machine has lost its tasks to others", {
    default: 30,
    least: 1,
  }),
  "exit-when-idle": flag.integer(
    "SECONDS",
    "redis: end when there was nothing to do for so long; default never",
    {
      least: 1,
    },
  ),
} as const;

/** Every kind of work that a submission may hold. */
export const carriers: JobHandlers = {
  ...jobHandlers,
  part: async () => (await import("../../../experiments/runner/part.ts")).part,
};

export const command = defineCommand({
  name: "cluster worker",
  summary: "carry out tasks of a submission, or lend this machine to those of a Redis",
  usage: "cluster worker SUBMISSION --task I [--tasks N], or cluster worker --redis URL [--workers N]",
  locks: true,
  positionals: { least: 0, most: 1 },
  options,
  examples: [
    "cluster worker runs/beta/submissions/3f2a91c04be67d10 --task 17",
    "cluster worker --redis redis://head:6379 --workers 8 --folder /shared/runs",
    "cluster worker --redis redis://head:6379 --object-store s3://lab/runs --folder /tmp",
  ],
  notes:
    "SUBMISSION is a folder that a command with --executor NAME makes. A task goes on where an earlier attempt left it, and is passed\n" +
    "over when it is done. Exit code 1 when one fails; 143 when it was asked to stop and has saved. What is lent runs what\n" +
    "whoever writes to the Redis has submitted below DIR; a password stands in STATELAB_REDIS_PASSWORD, the store's keys in\n" +
    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, its server in STATELAB_S3_ENDPOINT (docs/how-to/cluster.md).",

  async run(invocation) {
    const { positionals, values } = invocation;
    if (values.redis !== undefined) {
      if (positionals.length > 0 || values.task !== undefined)
        fail("cluster worker", "either a submission or --redis URL", "both");
      return lendTo(values.redis, invocation);
    }
    const [folder] = positionals;
    if (folder === undefined) fail("cluster worker", "a submission, or --redis URL", new Words("neither"));
    return carryOut(folder, invocation);
  },
});

async function carryOut(
  folder: string,
  { values, json, print, say, signal }: Invocation<typeof options>,
): Promise<number> {
  if (values.task === undefined) fail("cluster worker", "--task I", "nothing");
  const { task: first, tasks: count } = values;
  const ends: { task: number; end: string }[] = [];
  for (let task = first; task < first + count && !signal.aborted; task++) {
    const { end, words } = await executeTask(folder, task, carriers, () => {}, signal);
    ends.push({ task, end });
    say(`statelab: task ${task}: ${end}${words === "" ? "" : `: ${words}`}`);
  }
  if (json) print(JSON.stringify({ tasks: ends }));
  if (signal.aborted) await requeueAtLimit(process.env, (words) => say(`statelab: ${words}`));
  return ends.length === count && ends.every(({ end }) => end === "done") ? 0 : 1;
}

async function lendTo(
  address: string,
  { values, json, print, say, signal }: Invocation<typeof options>,
): Promise<number> {
  const { workers: slots, folder, "object-store": objects, lease: leaseSeconds } = values;
  const { "sync-every": publishSeconds, "exit-when-idle": idleSeconds } = values;
  const [{ runWorker }, { spawnClaimedTask: execute }] = await Promise.all([
    loadPackage("redis"),
    import("../../app/executor/task-process.ts"),
  ]);
  const begun = await runWorker({
    ...{ address, slots, folder, leaseSeconds, idleSeconds, execute, signal },
    objects: objects === undefined ? undefined : { address: objects, publishSeconds },
    onBegin: ({ index, folder: own }, { epoch }) =>
      say(`statelab: task ${index} of ${own}, begun for the ${epoch}. time`),
    onEnd: ({ index, folder: own }, how) => say(`statelab: task ${index} of ${own}: ${how}`),
    say: (sentence) => say(`statelab: ${sentence}`),
  });
  say(`statelab: ${begun} tasks had this machine; everything is saved`);
  if (json) print(JSON.stringify({ tasks: begun }));
  return 0;
}
