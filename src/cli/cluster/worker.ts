/** @file statelab cluster worker: carries out tasks of a submission, for an engine that calls it, or lends this machine to those of a Redis. */

import { jobHandlers } from "../../app/executor/job-handlers.ts";
import { fail, Words } from "../../core/error.ts";
import { executeTask, type JobHandlers } from "../../executors/execute-task.ts";
import { loadPackage } from "../../executors/index.ts";
import { requeueAtLimit } from "../../executors/slurm.ts";
import { defineCommand, type Invocation } from "../lib/command.ts";
import { flag, group } from "../lib/flags.ts";

const options = {
  ...group("Worker", {
    redis: flag.text("URL", "run tasks of this Redis server until Ctrl-C"),
    workers: flag.integer("N", "parallel tasks", { default: 1, least: 1 }),
    folder: flag.text("DIR", "run only tasks in this folder; with --object-store, the work folder", {
      default: ".",
    }),
    "object-store": flag.text("s3://BUCKET/PREFIX", "read and write files here; DIR is then local"),
    "sync-every": flag.integer("SECONDS", "how often saved files are uploaded", { default: 10, least: 1 }),
    lease: flag.integer("SECONDS", "silence after which other workers take its tasks", {
      default: 30,
      least: 1,
    }),
    "exit-when-idle": flag.integer("SECONDS", "exit after this time without tasks [never]", { least: 1 }),
  }),
  ...group("One submission", {
    task: flag.integer("I", "number of the first task, from 0", { least: 0 }),
    tasks: flag.integer("N", "number of tasks", { default: 1, least: 1 }),
  }),
} as const;

/** Every kind of work that a submission may hold. */
export const handlers: JobHandlers = {
  ...jobHandlers,
  part: async () => (await import("../../../experiments/runner/part.ts")).part,
};

export const command = defineCommand({
  name: "cluster worker",
  summary: "run submitted tasks on this machine",
  usage: "cluster worker --redis URL [OPTIONS], or cluster worker SUBMISSION --task I [--tasks N]",
  locks: true,
  positionals: { least: 0, most: 1 },
  options,
  examples: [
    "cluster worker --redis redis://head:6379 --workers 8 --folder /shared/runs",
    "cluster worker --redis redis://head:6379 --object-store s3://lab/runs --folder /tmp",
    "cluster worker runs/beta/submissions/3f2a91c04be67d10 --task 17",
  ],
  notes:
    "SUBMISSION is a folder written by a command with --executor. A worker runs the tasks that anyone with access to the Redis server submits under --folder. Passwords come from STATELAB_REDIS_PASSWORD, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the store's address from STATELAB_S3_ENDPOINT.\n" +
    "Exit codes: 1 a task failed, 143 stopped and saved.\n" +
    "More: docs/how-to/cluster.md",

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
    const { end, words } = await executeTask(folder, task, handlers, () => {}, signal);
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
      say(`statelab: task ${index} of ${own}: attempt ${epoch}`),
    onEnd: ({ index, folder: own }, how) => say(`statelab: task ${index} of ${own}: ${how}`),
    say: (sentence) => say(`statelab: ${sentence}`),
  });
  say(`statelab: ran ${begun} tasks; everything is saved`);
  if (json) print(JSON.stringify({ tasks: begun }));
  return 0;
}
