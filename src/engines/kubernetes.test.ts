import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { parse } from "yaml";
import { type KubernetesOptions, kubernetes } from "./kubernetes.ts";
import { writeManifest } from "./manifest.ts";

const root = mkdtempSync(join(tmpdir(), "statelab-kubernetes-"));
const programs = join(root, "bin");
mkdirSync(programs);
const { PATH } = process.env;
afterEach(() => {
  process.env.PATH = PATH;
});
afterAll(() => rmSync(root, { recursive: true }));

const submission = (tasks: number) =>
  writeManifest(mkdtempSync(join(root, "it's ")), {
    ...{ created: "2026", statelab: "0", engine: "kubernetes", command: [], gone: [] },
    work: Array.from({ length: tasks }, (_, i) => ({
      folder: `${i}`,
      work: { kind: "probe" as const, seconds: 0 },
    })),
  });
const said: string[] = [];
const engineWith = (options: Partial<KubernetesOptions> = {}) =>
  kubernetes({
    ...{ atMost: 4, pack: 1, image: "lab:1", volume: `runs:${root}`, say: (words) => said.push(words) },
    ...options,
  });

/** A kubectl that answers from files: job.json, pods.json; without job.json there is no job. */
function scriptKubectl(answers: Record<string, unknown>): void {
  const path = join(programs, "kubectl");
  const folder = mkdtempSync(join(root, "answers-"));
  for (const [name, answer] of Object.entries(answers))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(answer));
  writeFileSync(
    path,
    [
      "#!/bin/sh",
      `echo "$*" >> '${join(root, "asked")}'`,
      '[ "$1" = delete ] && exit 0',
      `[ -f '${folder}'/"$2".json ] && exec cat '${folder}'/"$2".json`,
      'echo "Error from server (NotFound): jobs.batch \\"x\\" not found" >&2; exit 1',
    ].join("\n"),
    { mode: 0o755 },
  );
  process.env.PATH = `${programs}${delimiter}${PATH}`;
}

test("the Job has an index for each pod, its pods call the lab with job and epoch, and what is put out begins again", async () => {
  const made = await submission(7);
  const engine = engineWith({ pack: 3, namespace: "lab" });
  await engine.submit(made);
  await engine.submit(made);
  expect(said).toEqual([`now: kubectl apply -f ${join(made.folder, "job.yaml")}`]);
  const job = parse(readFileSync(join(made.folder, "job.yaml"), "utf8"));
  expect(job.spec).toMatchObject({
    ...{ completionMode: "Indexed", completions: 3, parallelism: 3 },
    ...{ backoffLimitPerIndex: 3, podReplacementPolicy: "Failed" },
  });
  const [disrupted, stopped, failed] = job.spec.podFailurePolicy.rules;
  expect(disrupted).toEqual({ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] });
  expect([stopped.action, stopped.onExitCodes.values]).toEqual(["Ignore", [143]]);
  expect([failed.action, failed.onExitCodes.values]).toEqual(["FailIndex", [1, 2]]);
  // What the container runs, with a statelab that tells how it was called.
  const [{ command, env, workingDir, volumeMounts }] = job.spec.template.spec.containers;
  expect([workingDir, volumeMounts[0].mountPath]).toEqual([made.home, root]);
  expect(env.map(({ name }: { name: string }) => name)).toEqual(["OMP_NUM_THREADS", "FAILURES", "IGNORED"]);
  writeFileSync(join(programs, "statelab"), '#!/bin/sh\necho "$STATELAB_CLAIM"; echo "$@"\n', {
    mode: 0o755,
  });
  const called = (index: string, counts: Record<string, string>) =>
    execFileSync(command[0], command.slice(1), {
      encoding: "utf8",
      env: { PATH: `${programs}${delimiter}${PATH}`, JOB_COMPLETION_INDEX: index, ...counts },
    })
      .trim()
      .split("\n");
  const [claim, words] = called("2", { FAILURES: "1", IGNORED: "4" });
  expect(JSON.parse(claim)).toEqual({ engine: "kubernetes", job: `statelab-${made.name}_2`, epoch: 5 });
  expect(words).toBe(`worker ${made.folder} --task 6 --tasks 1`);
  expect(JSON.parse(called("0", { FAILURES: "", IGNORED: "" })[0]).epoch).toBe(0);
  expect(called("0", {})[1]).toBe(`worker ${made.folder} --task 0 --tasks 3`);
});

test("its status is read from kubectl: what waits to be applied, runs, has ended, or was deleted; silence is no death", async () => {
  const made = await submission(6);
  const engine = engineWith({ pack: 2 });
  await engine.submit(made);
  const shown = async () => {
    const there = await engine.poll(made);
    return there && [...there].map(([index, { kind, note }]) => `${index} ${kind} ${note.split(" -f ")[0]}`);
  };
  scriptKubectl({});
  expect(await shown()).toEqual([0, 1, 2, 3, 4, 5].map((i) => `${i} pending waits for kubectl apply`));
  const pod = (index: number, phase: string, nodeName?: string) => ({
    metadata: { annotations: { "batch.kubernetes.io/job-completion-index": String(index) } },
    spec: { nodeName },
    status: { phase },
  });
  const job = { status: { completedIndexes: "0" } };
  scriptKubectl({ job, pods: { items: [pod(0, "Succeeded"), pod(1, "Failed"), pod(1, "Running", "n2")] } });
  expect(await shown()).toEqual([
    ...["2 running n2", "3 running n2"],
    ...["4 pending waits for its pod", "5 pending waits for its pod"],
  ]);
  const conditions = [{ type: "Failed", status: "True" }];
  scriptKubectl({ job: { status: { ...job.status, failedIndexes: "1-2", conditions } } });
  expect(await shown()).toEqual([]);
  scriptKubectl({}); // deleted
  expect(await shown()).toEqual([]);
  process.env.PATH = root; // no kubectl
  expect(await shown()).toBeUndefined();
  scriptKubectl({});
  await engine.cancel(made);
  expect(readFileSync(join(root, "asked"), "utf8")).toContain(`delete job statelab-${made.name} `);
});

test.each<[string, Partial<KubernetesOptions>, RegExp]>([
  ["no image", { image: undefined }, /--on kubernetes: expected --image NAME/],
  ["no volume", { volume: undefined }, /expected --volume CLAIM:\/PATH, .*, got "none"/],
  ["a volume elsewhere", { volume: "runs:/shared" }, /--out: expected a folder below \/shared/],
])("%s is refused before anything is written for it", async (_, options, words) => {
  const made = await submission(1);
  await expect(engineWith(options).submit(made)).rejects.toThrow(words);
});
