/**
 * @file A plan as it was measured: of the runs of a folder that an engine has carried out, what each took, and how long a slot waited
 * for each job.
 *
 *     begun at   5   6 |  48  49        two at once: the third begins when the first one has ended
 *     ended at  46  47 |  88  90        starts 5, 6, 48 - 46 = 2, 49 - 47 = 2; runs 41, 41, 40, 41
 *
 * What was interrupted has no length of its own: such a run takes what all its attempts together took.
 */

import { fail } from "../../../src/core/error.ts";
import { attemptsOf } from "../../../src/executors/attempts.ts";
import type { Submission } from "../../../src/executors/executor.ts";
import { submissionsOf, ticketsOf } from "../../../src/executors/manifest.ts";
import type { ClusterPlan, WrittenPlan } from "../../../src/schemas/simulation-plan.ts";

interface Span {
  /** Seconds after its submission. */
  readonly begun: number;
  readonly ended: number;
}

/** Errors: LabError where nothing has ended there. */
export function measuredPlan(home: string): WrittenPlan {
  const submissions = submissionsOf(home);
  const measured = submissions.map((submission) => ({ submission, ...spansOf(submission) }));
  const each = measured.flatMap(({ runs }) => runs.map(({ begun, ended }) => rounded(ended - begun)));
  if (each.length === 0)
    fail(home, "a folder with submissions of which a run is done", `${submissions.length} submissions`);
  const nodes = Math.max(...measured.map(({ jobs }) => mostAtOnce(jobs)));
  const starts = measured.flatMap(({ jobs }) => startsOf(jobs));
  const [{ submission, pack }] = measured;
  const engine = submission.header.engine as ClusterPlan["engine"]; // parsed by whoever reads the plan
  return {
    runs: each.length,
    run: { seconds: { each } },
    clusters: [{ engine, nodes, ...(pack > 1 && { pack }), startSeconds: { drawn: starts.map(rounded) } }],
  };
}

const rounded = (seconds: number) => Math.max(0, Math.round(seconds * 100) / 100);

/** Each run that is done, in the order of the manifest, and the jobs that they were in. */
function spansOf(submission: Submission): { runs: Span[]; jobs: Span[]; pack: number } {
  const created = Date.parse(submission.header.created);
  const [{ first = 0, pack = 1 } = {}] = ticketsOf(submission);
  const jobs = new Map<number, Span>();
  const runs: Span[] = [];
  for (let index = 0; index < submission.header.tasks; index++) {
    const attempts = attemptsOf(submission, index);
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

/** How long a free slot waited for each job, where they come one after the other: the first ones since the submission. */
function startsOf(jobs: readonly Span[]): number[] {
  const begun = jobs.map((job) => job.begun).sort((a, b) => a - b);
  const ended = jobs.map((job) => job.ended).sort((a, b) => a - b);
  const slots = mostAtOnce(jobs);
  return begun.map((at, i) => (i < slots ? at : at - ended[i - slots]));
}
