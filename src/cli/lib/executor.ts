/** @file The executor flags shared by commands, and how the submitting process waits for its tasks. */

import { spawnTask } from "../../app/executor/task-process.ts";
import { thisCommand } from "../../app/run/provenance.ts";
import { exitCodes, fail } from "../../core/error.ts";
import type { Executor } from "../../executors/executor.ts";
import { executorKind, executorNamed, executors } from "../../executors/index.ts";
import { taskFiles } from "../../executors/job-outputs.ts";
import { listSubmissions } from "../../executors/manifest.ts";
import { stateFile } from "../../executors/submission-store.ts";
import {
  countStates,
  isEnded,
  listFailures,
  type PieceState,
  type SuperviseOptions,
} from "../../executors/supervise.ts";
import { flag, group, rare, type Values } from "./flags.ts";
import { progressOn } from "./progress.ts";

export const engineOptions = rare(
  group("Cluster", {
    executor: flag.text("NAME", `${Object.keys(executors).join(", ")}; redis as redis://HOST:6379`),
    "max-workers": flag.integer("N", "maximum tasks at the same time", { default: 2, least: 1 }),
    detach: flag.toggle("submit and exit; the same command shows the progress"),
    "object-store": flag.text("s3://BUCKET/PREFIX", "redis: object store instead of a shared folder"),
    "tasks-per-job": flag.integer("N", "slurm: tasks in each job, one after another", {
      default: 1,
      least: 1,
    }),
    time: flag.text("TIME", "slurm: time limit of a job, after which it continues in another"),
    partition: flag.text("NAME", "slurm: partition [the site's default]"),
  }),
);

export const engineFlagNames = Object.keys(engineOptions) as (keyof typeof engineOptions)[]; // its own keys

/** Commands that split their work into tasks. */
export const shareOption = (usual: number, what: string) =>
  rare(
    group("Cluster", {
      "shard-size": flag.integer("N", `${what} per task`, { default: usual, least: 1 }),
    }),
  );

/** Failures that are named. */
const mostNamed = 10;

/** Executors that accept each flag. */
const owners = {
  "object-store": ["redis"],
  "tasks-per-job": ["slurm"],
  time: ["slurm"],
  partition: ["slurm"],
} as const satisfies Partial<Record<keyof typeof engineOptions, readonly string[]>>;

const owned = Object.keys(owners) as (keyof typeof owners)[]; // its own keys

export interface Stand extends SuperviseOptions {
  readonly engine: Executor;
  readonly maxWorkers: number;
  readonly detach: boolean;
  /** Reports failed and unfinished tasks. @returns the exit code */
  unfinished(json: boolean, print: (text: string) => void): number;
  close(): void;
}

/** @returns undefined without --executor. @throws LabError for flags that the executor does not accept */
export async function standOf(
  command: string,
  values: Values<typeof engineOptions>,
  {
    folder,
    unit,
    say,
    signal,
  }: { folder: string; unit: string; say: (text: string) => void; signal: AbortSignal },
): Promise<Stand | undefined> {
  const { executor, "object-store": objects, detach, time, partition } = values;
  if (executor === undefined) {
    const given = (["detach", ...owned] as const).find((name) => isGiven(values, name));
    return given === undefined ? undefined : fail(command, `--executor NAME with --${given}`, "nothing");
  }
  const kind = executorKind(executor);
  for (const name of owned) {
    if (isGiven(values, name) && !owners[name].some((each) => each === kind))
      fail(command, `--${name} with --executor ${owners[name].join(" or ")}`, executor);
  }
  const maxWorkers = values["max-workers"];
  if (time !== undefined && !/^\d+(-\d+(:\d+){0,2}|(:\d+){1,2})?$/.test(time))
    fail("--time", "minutes, hours:minutes:seconds or days-hours", time);
  const pack = values["tasks-per-job"];
  const engine = await engineOf(withObjects(executor, objects), {
    maxWorkers,
    pack,
    time,
    partition,
  });
  if (detach && !engine.outlives)
    fail(command, "--detach with slurm or redis", executor, "Its tasks end with this command");
  const progress = progressOn(process.stderr, { plainEverySeconds: 30 });
  let states: readonly PieceState[] = [];
  return {
    ...{ engine, maxWorkers, detach, signal, command: thisCommand(), everySeconds: engine.everySeconds },
    onLook(seen) {
      states = seen;
      const { done } = countStates(seen);
      if (seen.length > 0)
        progress.update(folder, { step: done, steps: seen.length, note: summed(seen, unit) });
    },
    say: (sentence) => progress.say(`statelab: ${sentence}`),
    unfinished(json, print) {
      for (const words of [...new Set(listFailures(states))].slice(0, mostNamed))
        say(`statelab: a ${unit.replace(/s$/, "")} failed: ${words}`);
      if (states.length > 0 && states.every(isEnded)) return exitCodes.finishedWithFailures;
      if (json) print(JSON.stringify({ [unit]: states.length, ...countStates(states) }));
      if (!engine.outlives) {
        say("statelab: interrupted and saved. Run the same command again to continue");
        return 1;
      }
      say(
        `statelab: ${summed(states, unit)}. They continue; the same command or statelab cluster status shows their progress`,
      );
      return signal.aborted || detach ? 0 : 1;
    },
    close: () => progress.close(),
  };
}

/** The executor name that both flags give. */
export const withObjects = (on: string, objects: string | undefined): string =>
  objects === undefined ? on : `${on}?objects=${objects}`;

function isGiven(values: Values<typeof engineOptions>, name: keyof typeof engineOptions): boolean {
  return values[name] !== engineOptions[name].read([], name);
}

function summed(states: readonly PieceState[], unit: string): string {
  const { done, failed, running, pending, left } = countStates(states);
  return `${done} of ${states.length} ${unit} done, ${running} running, ${pending + left} waiting, ${failed} failed`;
}

interface EngineFlags {
  readonly maxWorkers: number;
  readonly pack: number;
  readonly time?: string | undefined;
  readonly partition?: string | undefined;
}

/** The command line of this program, for this machine and others with the same paths. */
export const programHere = () => [process.execPath, ...process.execArgv, process.argv[1]];

export function engineOf(name: string, flags: EngineFlags = { maxWorkers: 1, pack: 1 }): Promise<Executor> {
  const { maxWorkers, pack, time, partition } = flags;
  return executorNamed(name, {
    ...{ execute: spawnTask, atMost: maxWorkers, filesOf: taskFiles },
    slurm: { pack, time, partition, program: programHere(), cache: stateFile("squeue.json") },
  });
}

/** @throws LabError (usage) if nothing was submitted from `folder` */
export function submissionsIn(folder: string) {
  const submissions = listSubmissions(folder);
  return submissions.length > 0
    ? submissions
    : fail(folder, "a folder with submissions", "none", "Submit work with --executor NAME --out DIR");
}
