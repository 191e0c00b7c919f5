/**
 * @file Kubernetes as an engine: an Indexed Job is written down for the user to apply, and its status is read from `kubectl`, where
 * there is one.
 *
 *     HOME/submissions/3f2a.../job.yaml          kubectl apply -f that
 *     index 3 of it                              statelab worker SUBMISSION --task 3
 *
 * A pod that is put out (drained, preempted) or asked to stop is begun again without end; one that dies by itself
 * `backoffLimitPerIndex` times; a task that says itself that it has failed is not. Its place is taken when it has ended for good
 * (`podReplacementPolicy: Failed`), so of one index no two pods live. How often an index was begun is the epoch of its locks.
 *
 * Source: Kubernetes, "Jobs", sections Indexed completion mode, Backoff limit per index, Pod failure policy (stable in 1.33).
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { type CallProgram, callingWith } from "../jobs/program.ts";
import { fail } from "../records/error.ts";
import { writeFileAtomic } from "../store/index.ts";
import type { Engine, Queued, Submission } from "./engine.ts";
import { indexesIn, readPods } from "./kubernetes-status.ts";
import { keepTicket, ticketsOf } from "./manifest.ts";

export interface KubernetesOptions {
  /** Tasks of one submission at the same time. */
  readonly atMost: number;
  /** Tasks that one pod carries out, one after the other. */
  readonly pack: number;
  /** Of a container with Node and the lab; its program is `statelab`. */
  readonly image?: string | undefined;
  /** CLAIM:PATH: a volume that all pods see, and under which path; the runs are in it. */
  readonly volume?: string | undefined;
  readonly namespace?: string | undefined;
  readonly say?: (sentence: string) => void;
  readonly call?: CallProgram;
}

/** What a Job with `backoffLimitPerIndex` may have. */
const mostIndexes = 100_000;
/** Of pods that die by themselves. */
const deathsOfAnIndex = 3;
const graceSeconds = 120;
/** Of `statelab worker`. */
const exits = { failed: 1, usage: 2, stopped: 143 } as const;

const jobFile = "job.yaml";
const jobName = ({ name }: Submission) => `statelab-${name}`;

export function kubernetes(options: KubernetesOptions): Engine {
  const { namespace, say, call = callingWith({}) } = options;
  const where = namespace === undefined ? [] : [`--namespace=${namespace}`];
  return {
    name: "kubernetes",
    outlives: true,
    everySeconds: 10,

    async submit(submission) {
      if (ticketsOf(submission).length > 0) return;
      const path = join(submission.folder, jobFile);
      await writeFileAtomic(path, stringify(indexedJob(submission, options), { lineWidth: 0 }));
      const { tasks } = submission.header;
      const { pack } = options;
      const at = new Date().toISOString();
      keepTicket(submission, {
        engine: "kubernetes",
        job: jobName(submission),
        first: 0,
        last: tasks - 1,
        pack,
        at,
      });
      say?.(`now: kubectl apply -f ${path}`);
    },

    async poll(submission) {
      const [ticket] = ticketsOf(submission);
      if (ticket === undefined) return new Map();
      const job = await call("kubectl", "get", "job", ticket.job, ...where, "--output=json");
      if (!job.ok && !/NotFound|not found/.test(job.complaint)) return undefined;
      const tasks = (index: number): number[] =>
        Array.from({ length: ticket.pack }, (_, i) => index * ticket.pack + i).filter(
          (task) => task <= ticket.last,
        );
      const indexes = Math.ceil((ticket.last + 1) / ticket.pack);
      const all = Array.from({ length: indexes }, (_, index) => index);
      const spread = (states: Iterable<readonly [number, Queued]>) =>
        new Map(
          [...states].flatMap(([index, state]) =>
            tasks(index).map((task): [number, Queued] => [task, state]),
          ),
        );
      if (!job.ok) {
        const note = `waits for kubectl apply -f ${join(submission.folder, jobFile)}`;
        return existsSync(join(submission.folder, appliedFile))
          ? new Map()
          : spread(all.map((index) => [index, { kind: "pending", note }]));
      }
      // What was applied once and is not there any more was deleted.
      await writeFileAtomic(join(submission.folder, appliedFile), "");
      const ended = indexesIn(job.stdout, submission.folder);
      if (ended.all) return new Map();
      const selector = `--selector=batch.kubernetes.io/job-name=${ticket.job}`;
      const pods = await call("kubectl", "get", "pods", selector, ...where, "--output=json");
      if (!pods.ok) return undefined;
      const there = readPods(pods.stdout, submission.folder);
      const waits: Queued = { kind: "pending", note: "waits for its pod" };
      return spread(
        all.filter((index) => !ended.indexes.has(index)).map((index) => [index, there.get(index) ?? waits]),
      );
    },

    async cancel(submission) {
      const [ticket] = ticketsOf(submission);
      if (ticket === undefined) return;
      const { ok, complaint } = await call(
        ...(["kubectl", "delete", "job", ticket.job, ...where] as const),
        ...["--ignore-not-found", "--wait=false"],
      );
      if (!ok) fail("kubectl", "the job to be deleted", complaint);
    },
  };
}

const appliedFile = "applied";

/** The Job, as `kubectl apply` takes it. @throws LabError where an option is missing that it cannot do without. */
export function indexedJob(submission: Submission, options: KubernetesOptions): Record<string, unknown> {
  const { folder, home, header } = submission;
  const { atMost, pack, image, volume, namespace } = options;
  if (image === undefined) fail("--on kubernetes", "--image NAME, a container with statelab", "none");
  const [, claimName, mountPath] = /^([a-z0-9][a-z0-9.-]*):(\/.*)$/.exec(volume ?? "") ?? [];
  if (claimName === undefined)
    fail(
      "--on kubernetes",
      "--volume CLAIM:/PATH, of a PersistentVolumeClaim that all pods see",
      volume ?? "none",
    );
  if (!`${home}/`.startsWith(`${mountPath.replace(/\/$/, "")}/`))
    fail("--out", `a folder below ${mountPath}, under which the pods see the volume`, home);
  const completions = Math.ceil(header.tasks / pack);
  if (completions > mostIndexes)
    fail(
      "--on kubernetes",
      `at most ${mostIndexes} pods of a Job`,
      completions,
      "--pack N puts several tasks into each",
    );
  const annotation = (name: string) => `metadata.annotations['batch.kubernetes.io/${name}']`;
  const variable = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: jobName(submission), ...(namespace !== undefined && { namespace }) },
    spec: {
      ...{ completionMode: "Indexed", completions, parallelism: Math.min(atMost, completions) },
      ...{
        backoffLimitPerIndex: deathsOfAnIndex,
        maxFailedIndexes: completions,
        podReplacementPolicy: "Failed",
      },
      podFailurePolicy: {
        rules: [
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
          {
            action: "Ignore",
            onExitCodes: { containerName: "lab", operator: "In", values: [exits.stopped] },
          },
          {
            action: "FailIndex",
            onExitCodes: { containerName: "lab", operator: "In", values: [exits.failed, exits.usage] },
          },
        ],
      },
      template: {
        spec: {
          restartPolicy: "Never",
          terminationGracePeriodSeconds: graceSeconds,
          containers: [
            {
              ...{ name: "lab", image },
              command: ["/bin/sh", "-c", scriptOf(submission, options)],
              workingDir: home,
              env: [
                { name: "OMP_NUM_THREADS", value: "1" },
                variable("FAILURES", annotation("job-index-failure-count")),
                variable("IGNORED", annotation("job-index-ignored-failure-count")),
              ],
              resources: { requests: { cpu: "1", memory: "1Gi" } },
              volumeMounts: [{ name: "runs", mountPath }],
            },
          ],
          volumes: [{ name: "runs", persistentVolumeClaim: { claimName } }],
        },
      },
    },
  };

  function scriptOf({ name }: Submission, { pack: each }: KubernetesOptions): string {
    const claim = `{"engine":"kubernetes","job":"statelab-${name}_'$JOB_COMPLETION_INDEX'","epoch":'$((\${FAILURES:-0} + \${IGNORED:-0}))'}`;
    return [
      `export STATELAB_CLAIM='${claim}'`,
      `task=$((JOB_COMPLETION_INDEX * ${each}))`,
      `tasks=$((${header.tasks} - task))`,
      `if [ "$tasks" -gt ${each} ]; then tasks=${each}; fi`,
      `exec statelab worker '${folder.replaceAll("'", "'\\''")}' --task "$task" --tasks "$tasks"`,
    ].join("\n");
  }
}
