/**
 * @file Derives a plan from the runs of an executed folder: the duration of each run, and the delay before each job started.
 *
 *     started at   5   6 |  48  49        two slots: the third starts when the first has ended
 *     ended at    46  47 |  88  90        delays 5, 6, 48 - 46 = 2, 49 - 47 = 2; durations 41, 41, 40, 41
 *
 * An interrupted run counts with the total time of all its attempts.
 */

import { fail } from "../../../src/core/error.ts";
import { readAttempts } from "../../../src/executors/attempts.ts";
import type { Submission } from "../../../src/executors/executor.ts";
import { listSubmissions, readTickets } from "../../../src/executors/manifest.ts";
import type { ClusterPlan, WrittenPlan } from "../../../src/schemas/simulation-plan.ts";

interface Span {
  /** Seconds after its submission. */
  readonly begun: number;
  readonly ended: number;
}

/** Errors: LabError if nothing has ended there. */
export function measuredPlan(home: string): WrittenPlan {
  const submissions = listSubmissions(home);
  const measured = submissions.map((submission) => ({ submission, ...spansOf(submission) }));
  const each = measured.flatMap(({ runs }) => runs.map(({ begun, ended }) => rounded(ended - begun)));
  if (each.length === 0)
    fail(home, "a folder with submissions of which a run is done", `${submissions.length} submissions`);
  const nodes = Math.max(...measured.map(({ jobs }) => mostAtOnce(jobs)));
  const starts = measured.flatMap(({ jobs }) => startsOf(jobs));
  const [{ submission, pack }] = measured;
  const engine = submission.header.engine as ClusterPlan["engine"]; // validated when the plan is parsed
  return {
    runs: each.length,
    run: { seconds: { each } },
    clusters: [{ engine, nodes, ...(pack > 1 && { pack }), startSeconds: { drawn: starts.map(rounded) } }],
  };
}

const rounded = (seconds: number) => Math.max(0, Math.round(seconds * 100) / 100);

/** Each finished run, in the order of the manifest, and its jobs. */
function spansOf(submission: Submission): { runs: Span[]; jobs: Span[]; pack: number } {
  const created = Date.parse(submission.header.created);
  const [{ first = 0, pack = 1 } = {}] = readTickets(submission);
  const jobs = new Map<number, Span>();
  const runs: Span[] = [];
  for (let index = 0; index < submission.header.tasks; index++) {
    const attempts = readAttempts(submission, index);
    const done = attempts.find(({ kind }) => kind === "done");
    if (done === undefined) continue;
    const after = (at: string) => (Date.parse(at) - created) / 1000;
    const span = { begun: after(attempts[0].at), ended: after(done.at) };
    runs.push(span);
    const job = Math.floor((index - first) / pack);
    const before = jobs.get(job);
    jobs.set(job, {
      begun: Math.min(before?.begun ?? span.begun, span.begun),
      ended: Math.max(before?.ended ?? span.ended, span.ended),
    });
  }
  return { runs, jobs: [...jobs.values()], pack };
}

function mostAtOnce(spans: readonly Span[]): number {
  const changes = spans.flatMap(({ begun, ended }) => [
    { at: begun, by: 1 },
    { at: ended, by: -1 },
  ]);
  changes.sort((a, b) => a.at - b.at || a.by - b.by);
  let [now, most] = [0, 0];
  for (const { by } of changes) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

/** The delay of each job on a free slot, for jobs in sequence: the first ones since the submission. */
function startsOf(jobs: readonly Span[]): number[] {
  const begun = jobs.map((job) => job.begun).sort((a, b) => a - b);
  const ended = jobs.map((job) => job.ended).sort((a, b) => a - b);
  const slots = mostAtOnce(jobs);
  return begun.map((at, i) => (i < slots ? at : at - ended[i - slots]));
}
