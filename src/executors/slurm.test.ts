import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { RunConfig } from "../schemas/run-config.ts";
import { readTickets, writeManifest } from "./manifest.ts";
import { isAtLimit, requeueAtLimit, type SlurmOptions, slurm } from "./slurm.ts";
import { type CallProgram, expanded, readQueue, type Said, secondsLeft } from "./slurm-queue.ts";

const scratch = tmpFolder("slurm");
let home = "";
beforeEach(() => {
  home = mkdtempSync(join(scratch, "x-"));
});

const config = RunConfig.parse({
  task: { name: "parity", length: 4 },
  model: { name: "deltanet" },
  train: { steps: 3 },
});
const submission = (tasks: number) =>
  writeManifest(home, {
    ...{ created: "2026", statelab: "0", engine: "slurm", command: [], gone: [] },
    work: Array.from({ length: tasks }, (_, i) => ({
      folder: `${i}`,
      work: { kind: "run" as const, config },
    })),
  });

const said = (stdout: string): Said => ({ ok: true, stdout, complaint: "" });
const refused = (complaint: string): Said => ({ ok: false, stdout: "", complaint });
/** Slurm's programs as a test wants them; what was called is kept. */
function site(
  answers: Record<string, (args: readonly string[]) => Said>,
  options: Partial<SlurmOptions> = {},
) {
  const calls: string[][] = [];
  const call: CallProgram = async (program, ...args) => {
    calls.push([program, ...args]);
    return answers[program](args);
  };
  const cache = join(home, "squeue.json");
  const engine = slurm({
    atMost: 3,
    pack: 1,
    program: ["/usr/bin/node", "it's.js"],
    cache,
    call,
    ...options,
  });
  return { engine, calls, of: (program: string) => calls.filter(([name]) => name === program) };
}
const limits = (longest: number) => () => said(`Foo = 1\nMaxArraySize            = ${longest}\n`);

test("a job that Slurm holds after a failed launch is let go on, three times; then it is said what to do", async () => {
  const made = await submission(2);
  let held = true;
  const { engine, of } = site(
    {
      scontrol: (args) => (args[0] === "release" ? said("") : limits(1001)()),
      sbatch: () => said("17\n"),
      squeue: () =>
        said(`17|0|PENDING|${held ? "launch failed requeued held" : "None"}|\n17|1|RUNNING|None|n1\n`),
    },
    { everySeconds: 0 },
  );
  await engine.submit(made);
  const noteOf = async () => {
    await new Promise((resolve) => setTimeout(resolve, 2)); // the next look is later than what came of the last one
    return (await engine.poll(made))?.get(0)?.note;
  };
  expect([await noteOf(), await noteOf(), await noteOf()]).toEqual(
    Array(3).fill("its launch failed; released"),
  );
  expect(await noteOf()).toBe(
    "held by Slurm, because its launch failed 4 times: see sinfo -R, then scontrol release 17_0",
  );
  const releases = of("scontrol").filter(([, what]) => what === "release");
  expect(releases).toEqual(Array(3).fill(["scontrol", "release", "17_0"]));
  held = false;
  expect(await noteOf()).toBe("None");
});

test("of one answer that is looked at twice a held job is let go on once; others' jobs are left alone", async () => {
  const made = await submission(1);
  const { engine, of } = site({
    scontrol: (args) => (args[0] === "release" ? said("") : limits(1001)()),
    sbatch: () => said("17\n"),
    squeue: () =>
      said("16|0|PENDING|launch failed requeued held|\n17|0|PENDING|launch failed requeued held|\n"),
  });
  await engine.submit(made);
  await engine.poll(made);
  await engine.poll(made);
  expect(of("scontrol").filter(([, what]) => what === "release")).toEqual([["scontrol", "release", "17_0"]]);
});

test("Slurm's list of tasks, by the twin that writes one", () => {
  expect(expanded("0-2,7,10-14:2%3")).toEqual([0, 1, 2, 7, 10, 12, 14]);
  expect([expanded("N/A"), expanded("3")]).toEqual([[], [3]]);
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(60), { minLength: 1 }), (tasks) => {
      const sorted = tasks.toSorted((a, b) => a - b);
      const runs: number[][] = [];
      for (const task of sorted) {
        if (runs.at(-1)?.at(-1) === task - 1) runs.at(-1)!.push(task);
        else runs.push([task]);
      }
      const text = runs.map((run) => (run.length === 1 ? `${run[0]}` : `${run[0]}-${run.at(-1)}`)).join(",");
      expect(expanded(`${text}%4`)).toEqual(sorted);
    }),
    { seed: 2 },
  );
});

test("what Slurm begins again is waiting, also after states that sound like an end", () => {
  const found = readQueue(`17|0|RUNNING|None|n1
17|3-5%2|PENDING|JobArrayTaskLimit|
17|1|COMPLETED|None|n2
17|2|FAILED|None|n1
17|6|PREEMPTED|None|n1
17|7|NODE_FAIL|None|n2
17|8|REQUEUED|None|
17|9|SOMETHING_NEW|None|
17|10|TIMEOUT|TimeLimit|n1
17|11|CANCELLED|None|
18|0|COMPLETING|None|n3
19|N/A|RUNNING|None|n3
`);
  const kinds = Object.fromEntries([...found].map(([task, { kind }]) => [task, kind]));
  expect(kinds).toEqual({
    ...{ "17_0": "running", "17_3": "pending", "17_4": "pending", "17_5": "pending", "17_6": "pending" },
    ...{ "17_7": "pending", "17_8": "pending", "17_9": "pending", "18_0": "running" },
  });
  expect(found.get("17_7")?.note).toBe("NODE_FAIL");
});

test("an array that is longer than the site allows is several, one after the other; packed tasks are one job", async () => {
  let job = 16;
  const { engine, of } = site(
    { scontrol: limits(10), sbatch: () => said(`${++job};lab\n`) },
    { pack: 3, time: "1:00:00", partition: "low" },
  );
  const made = await submission(65);
  await engine.submit(made);
  const tickets = readTickets(made).map(({ job, first, last, pack }) => [job, first, last, pack]);
  expect(tickets).toEqual([
    ["17", 0, 29, 3],
    ["18", 30, 59, 3],
    ["19", 60, 64, 3],
  ]);
  const flags = of("sbatch").map((args) => args.filter((arg) => /array|dependency/.test(arg)));
  expect(flags).toEqual([
    ["--array=0-9%3"],
    ["--array=0-9%3", "--dependency=afterany:17"],
    ["--array=0-1%3", "--dependency=afterany:18"],
  ]);
  for (const flag of ["--requeue", "--signal=B:TERM@60", "--time=1:00:00", "--partition=low"])
    expect(of("sbatch")[0]).toContain(flag);
  const script = readFileSync(join(made.folder, "job-60.sh"), "utf8");
  expect(script).toContain("task=$((60 + SLURM_ARRAY_TASK_ID * 3))");
  expect(script).toContain(
    `exec '/usr/bin/node' 'it'\\''s.js' 'cluster' 'worker' '${made.folder}' --task "$task"`,
  );
});

test("what a limit of the site refuses is submitted when there is room, and nothing twice; another refusal is told", async () => {
  let job = 0;
  let room = 1;
  const over = refused(
    "sbatch: error: AssocMaxSubmitJobLimit; Batch job submission failed: Job violates accounting/QOS policy (job submit limit)",
  );
  const { engine } = site({
    scontrol: limits(5),
    sbatch: () => (room-- > 0 ? said(`${++job}`) : over),
    squeue: () => said(""),
  });
  const made = await submission(12);
  await engine.submit(made);
  expect(readTickets(made).map(({ first, last }) => [first, last])).toEqual([[0, 4]]);
  room = 9;
  await engine.submit(made);
  await engine.submit(made);
  expect(readTickets(made).map(({ first, last }) => [first, last])).toEqual([
    [0, 4],
    [5, 9],
    [10, 11],
  ]);
  const wrong = site({ scontrol: limits(5), sbatch: () => refused("Invalid partition name specified") });
  await expect(wrong.engine.submit(await submission(1))).rejects.toThrow(
    'sbatch: expected Slurm to accept the jobs, got "Invalid partition name specified"',
  );
  const none = site({ scontrol: () => refused("there is no program scontrol here") });
  await expect(none.engine.submit(await submission(2))).rejects.toThrow(
    /--executor slurm: .*no program scontrol/,
  );
});

test("squeue is asked once in a while for everything, what was submitted since is waiting, and silence is no death", async () => {
  let text = "";
  let answers = true;
  const { engine, of } = site({
    scontrol: limits(1001),
    sbatch: () => said("17"),
    squeue: () =>
      answers ? said(text) : refused("slurm_load_jobs error: Unable to contact slurm controller"),
  });
  const made = await submission(3);
  await engine.poll(made); // an answer that is kept, from before the submission
  await engine.submit(made);
  const kinds = async (from = engine) => {
    const there = await from.poll(made);
    return there && [...there].map(([index, { kind, note }]) => `${index} ${kind} ${note}`);
  };
  expect(await kinds()).toEqual([
    "0 pending just submitted",
    "1 pending just submitted",
    "2 pending just submitted",
  ]);
  expect(of("squeue")).toHaveLength(1);
  text = "17|0|RUNNING|None|n1\n17|1-2%1|PENDING|Priority|";
  const quick = site({ squeue: () => (answers ? said(text) : refused("no")) }, { everySeconds: 0 });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await kinds(quick.engine)).toEqual(["0 running n1", "1 pending Priority", "2 pending Priority"]);
  text = "17|2|PENDING|Priority|";
  expect(await kinds(quick.engine)).toEqual(["2 pending Priority"]);
  answers = false;
  expect(await kinds(quick.engine)).toBeUndefined();
  expect(quick.of("sacct")).toEqual([]);
});

const shown = (changes: Record<string, string>) =>
  Object.entries({
    JobId: "2",
    JobState: "RUNNING",
    RunTime: "01:58:50",
    TimeLimit: "02:00:00",
    PreemptTime: "None",
    ...changes,
  })
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");

test.each<[string, Record<string, string>, number | undefined, boolean]>([
  ["a minute before its limit", {}, 70, true],
  ["a day and an hour", { TimeLimit: "1-01:00:00", RunTime: "1-00:59:30" }, 30, true],
  ["long before", { RunTime: "00:10:00" }, 6600, false],
  ["no limit", { TimeLimit: "UNLIMITED" }, undefined, false],
  ["preempted", { PreemptTime: "2026-11-24T07:37:48" }, 70, false],
  ["cancelled", { JobState: "CANCELLED" }, 70, false],
])("who is asked to stop %s", (_, changes, left, limit) => {
  expect([secondsLeft(shown(changes)), isAtLimit(shown(changes))]).toEqual([left, limit]);
});

test("the one task of an array is queued again, not all of them; where the site refuses it is left", async () => {
  const environment = { SLURM_JOB_ID: "20", SLURM_ARRAY_JOB_ID: "17", SLURM_ARRAY_TASK_ID: "3" };
  const events: string[] = [];
  const say = (words: string) => events.push(words);
  const call =
    (answer: Said): CallProgram =>
    async (...words) => {
      events.push(words.join(" "));
      return words.includes("show") ? said(shown({})) : answer;
    };
  expect(await requeueAtLimit(environment, say, call(said("")))).toBe("requeued");
  const asked = ["scontrol show job -o 17_3", "saved before the time limit; requeued"];
  expect(events).toEqual([...asked, "scontrol requeue 17_3"]);
  events.length = 0;
  const no = refused("Requested operation is presently disabled");
  expect(await requeueAtLimit(environment, say, call(no))).toBe("left");
  expect(events.slice(2)).toEqual([
    "scontrol requeue 17_3",
    expect.stringMatching(
      /^Slurm refused to requeue it \(.*presently disabled\); run the submitting command/,
    ),
  ]);
  expect(await requeueAtLimit({}, say, call(said("")))).toBeUndefined();
});
