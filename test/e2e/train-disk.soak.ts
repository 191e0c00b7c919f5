import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { latestCheckpoint } from "../../src/storage/index.ts";
import { main, startStatelab, untilLonger, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { remains, trainWhole } from "../kit/trainings.ts";

const steps = 120;
const root = tmpFolder("disk");
const at = (...parts: string[]) => join(root, ...parts);
beforeAll(() => trainWhole(root, steps), 60_000);

/** A mount that only the processes below it see, and that ends with them: for root, or in a user namespace. */
const unshare = process.getuid?.() === 0 ? ["-m"] : ["-Urm"];
const mounting = spawnSync("unshare", [...unshare, ...words("mount -t tmpfs tmpfs /mnt")]).status === 0;

interface Call {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a shell script with `disk` mounted as a file system of this size. `lab N ARGS` in it is a call of statelab, of which the
 * N-th exit code and words are returned; `disk` as it was at the end is left in `saved`.
 */
function onDisk(size: string, script: string, saved: string): Call[] {
  mkdirSync(at("disk"), { recursive: true });
  const text = `
    cd "$1"; mount -t tmpfs -o size=${size} tmpfs disk
    lab() { number=$1; shift; "$node" "$main" "$@" >"said-$number" 2>"words-$number"; echo $? >"code-$number"; }
    ${script}
    cp -r disk "${saved}"`;
  const { status, stderr } = spawnSync("unshare", [...unshare, "sh", "-c", text, "sh", root], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", node: process.execPath, main: main },
  });
  if (status !== 0) throw new Error(stderr);
  const calls = readdirSync(root)
    .filter((name) => name.startsWith("code-"))
    .sort();
  return calls.map((name) => {
    const files = [name, name.replace("code", "said"), name.replace("code", "words")];
    const [code, stdout, stderr] = files.map((file) => readFileSync(at(file), "utf8"));
    for (const file of files) rmSync(at(file));
    return { code: Number(code), stdout, stderr };
  });
}

const noMount = "a file system of one's own cannot be mounted here";

test.for([
  { when: "making the run", size: "4k", every: 4, place: /disk.run/ },
  { when: "logging", size: "24k", every: 1000, place: /disk.run.metrics\.jsonl/ },
  { when: "saving a checkpoint", size: "140k", every: 4, place: /disk.run.checkpoints.\d+/ },
])(
  "a disk that is full while $when: exit code 7 and a sentence; with room again it goes on to the same bits",
  ({ size, every, place, when }, { skip }) => {
    if (!mounting) skip(noMount);
    const saved = `after ${when}`;
    const [full, roomy] = onDisk(
      size,
      `lab 1 train small.yaml --out disk/run --set checkpointEvery=${every}
     mount -o remount,size=10m disk
     if [ -e disk/run/config.json ]; then lab 2 train --resume disk/run; else lab 2 train small.yaml --out disk/run; fi`,
      saved,
    );
    const sentence = full.stderr.trimEnd().split("\n").at(-1) ?? "";
    expect(sentence).toMatch(
      /^statelab: \S+: expected room on the disk, got "?none left"?\. Earlier saves are intact$/,
    );
    expect(sentence).toMatch(place);
    expect(full.code).toBe(7);
    expect(roomy.code, roomy.stderr).toBe(0);
    expect(remains(at(saved, "run"))).toEqual(remains(at("whole")));
  },
);

test("on a file system that became read-only: exit code 7, nothing is changed, and writable again it goes on to the same bits", ({
  skip,
}) => {
  if (!mounting) skip(noMount);
  const [, resumed, trained, evaluated, again] = onDisk(
    "10m",
    `lab 1 train small.yaml --out disk/run --set train.steps=40
     mount -o remount,ro disk
     lab 2 train --resume disk/run --set train.steps=${steps}
     lab 3 train small.yaml --out disk/other
     lab 4 evaluate disk/run --programs 5
     mount -o remount,rw disk
     lab 5 train --resume disk/run --set train.steps=${steps}`,
    "writable",
  );
  for (const { code, stderr } of [resumed, trained]) {
    expect(stderr.trimEnd().split("\n").at(-1)).toMatch(
      /^statelab: disk.(run.run\.lock|other): expected a place that can be .*read-only/,
    );
    expect(code).toBe(7);
  }
  // An answer that cannot be kept is an answer.
  expect(evaluated.stdout).toMatch(/^as configured +5 /m);
  expect(evaluated.stderr).toMatch(/^statelab: answers are not cached: .*read-only file system/m);
  expect(evaluated.code).toBe(0);
  expect(again.code, again.stderr).toBe(0);
  expect(remains(at("writable", "run"))).toEqual(remains(at("whole")));
});

/** root may write everywhere, so the calls run as user 65534, with a new home, if that user can read the program. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const ordinary = spawnSync(process.execPath, [main, "--version"], { cwd: tmpdir(), ...nobody }).status === 0;

const asNobody = (line: string) => startStatelab({ folder: at("home"), ...nobody }, line);

test("a folder without permission to write: exit code 7 and a sentence, at the start and in the middle; with permission it goes on to the same bits", async ({
  skip,
}) => {
  if (process.platform === "win32" || !ordinary) skip("there is no ordinary user who can run this program");
  chmodSync(root, 0o755);
  mkdirSync(at("home"));
  if (nobody.uid !== undefined) chownSync(at("home"), nobody.uid, nobody.gid);
  cpSync(at("small.yaml"), at("home", "small.yaml"));
  const metrics = at("home", "run", "metrics.jsonl");
  const killed = asNobody("train small.yaml --out run");
  await untilLonger(metrics, 10);
  killed.process.kill("SIGKILL");
  await killed.ended;
  const saved = (await latestCheckpoint(at("home", "run")))?.step;
  expect(saved).toBeGreaterThan(0);

  chmodSync(at("home", "run"), 0o555);
  const before = readdirSync(at("home", "run")).sort();
  const refused = await asNobody("train --resume run").ended;
  expect(refused.stderr).toMatch(
    /statelab: run.run\.lock: expected a place that can be written, got no permission\. Earlier saves are intact\n$/,
  );
  expect([refused.code, readdirSync(at("home", "run")).sort()]).toEqual([7, before]);
  chmodSync(at("home", "run"), 0o755);

  const second = asNobody("train --resume run");
  await untilLonger(metrics, readFileSync(metrics, "utf8").split("\n").length + 20);
  chmodSync(at("home", "run", "checkpoints"), 0o555);
  const stopped = await second.ended;
  expect(stopped.stderr).toMatch(
    /statelab: run.checkpoints.\d+: expected a place that can be written, got no permission\. .*\n$/,
  );
  expect(stopped.code).toBe(7);
  expect((await latestCheckpoint(at("home", "run")))?.step).toBeGreaterThanOrEqual(saved!);
  expect(existsSync(at("home", "run", "run.lock"))).toBe(false);
  chmodSync(at("home", "run", "checkpoints"), 0o755);

  const last = await asNobody("train --resume run").ended;
  expect(last.code, last.stderr).toBe(0);
  expect(remains(at("home", "run"))).toEqual(remains(at("whole")));
});
