/**
 * @file A real Slurm on this host, of Debian's packages slurm-wlm and munge, without systemd: a controller and some nodes, each with
 * separate ports below one folder. Two partitions, of which `high` preempts `low`.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../test/kit/until.ts";

const programs = ["munged", "slurmctld", "slurmd"].map((name) => `/usr/sbin/${name}`);

/** Why there can be no cluster here; undefined where there can. Its daemons run as root. */
export const missing: string | undefined = !programs.every((path) => existsSync(path))
  ? "slurm-wlm and munge are not installed (apt-get install slurm-wlm munge)"
  : process.getuid?.() !== 0
    ? "a cluster is begun as root"
    : undefined;

export interface Cluster {
  /** For the programs of Slurm: where its configuration is. */
  readonly environment: Readonly<Record<string, string>>;
  run(program: string, ...args: string[]): string;
  /** Ends the node's daemon alone: its tasks live on, and the controller does not know. */
  killDaemon(node: string): void;
  /** Ends the node's daemon and everything that it has begun. */
  killNode(node: string): void;
  /** Nothing where it is there. */
  startNode(node: string): void;
  /** SIGKILL, and its start again. */
  killController(): void;
  startController(): void;
  stop(): void;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
        ),
    ),
  );
  for (const server of servers) server.close();
  return ports;
}

/** `cpus`: how many tasks each node has at once. */
export async function startCluster({ nodes, cpus = 1 }: { nodes: number; cpus?: number }): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "statelab-slurm-"));
  chmodSync(folder, 0o755); // munged refuses a socket that not all can reach
  const at = (...parts: string[]) => join(folder, ...parts);
  for (const name of ["munge", "state", "spool", "log"]) mkdirSync(at(name), { mode: 0o755 });
  const host = hostname().split(".")[0];
  const names = Array.from({ length: nodes }, (_, i) => `n${i + 1}`);
  const [controller, ...ports] = await freePorts(nodes + 1);
  writeFileSync(at("munge", "key"), Buffer.alloc(128, "a key of a test, which guards nothing. "), {
    mode: 0o600,
  });
  const lines = [
    "ClusterName=lab",
    `SlurmctldHost=${host}(127.0.0.1)`,
    ...["SlurmUser=root", "SlurmdUser=root", "AuthType=auth/munge", "CredType=cred/munge"],
    `AuthInfo=socket=${at("munge", "socket")},cred_expire=5`,
    `SlurmctldPort=${controller}`,
    `StateSaveLocation=${at("state")}`,
    `SlurmdSpoolDir=${at("spool", "%n")}`,
    `SlurmdPidFile=${at("slurmd-%n.pid")}`,
    `SlurmctldPidFile=${at("slurmctld.pid")}`,
    `SlurmctldLogFile=${at("log", "slurmctld.log")}`,
    `SlurmdLogFile=${at("log", "slurmd-%n.log")}`,
    ...["ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none"],
    ...["SelectType=select/cons_tres", "SelectTypeParameters=CR_CPU"],
    ...["AccountingStorageType=accounting_storage/none", "JobAcctGatherType=jobacct_gather/none"],
    ...["SlurmdTimeout=10", "MessageTimeout=5", "KillWait=5", "MaxArraySize=1001", "ReturnToService=2"],
    ...["SlurmdParameters=config_overrides", "PreemptType=preempt/partition_prio", "PreemptMode=REQUEUE"],
    ...[
      "SchedulerParameters=batch_sched_delay=1,sched_interval=2,bf_interval=2",
      "MinJobAge=10",
      "MpiDefault=none",
    ],
    ...names.map(
      (name, i) =>
        `NodeName=${name} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${ports[i]} CPUs=${cpus} RealMemory=500`,
    ),
    "PartitionName=low Nodes=ALL Default=YES PriorityTier=1 GraceTime=8 MaxTime=INFINITE",
    "PartitionName=high Nodes=ALL PriorityTier=10 PreemptMode=OFF",
  ];
  writeFileSync(at("slurm.conf"), `${lines.join("\n")}\n`);
  const environment = { SLURM_CONF: at("slurm.conf") };
  const daemons = new Map<string, ChildProcess>();
  const start = (key: string, program: string, ...args: string[]) => {
    daemons.set(
      key,
      spawn(`/usr/sbin/${program}`, args, { stdio: "ignore", env: { ...process.env, ...environment } }),
    );
  };
  const kill = (key: string) => {
    daemons.get(key)?.kill("SIGKILL");
    daemons.delete(key);
  };
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, {
      encoding: "utf8",
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
  const cluster: Cluster = {
    environment,
    run,
    killDaemon: kill,
    killNode(node) {
      kill(node);
      for (const pid of processesOf(node, folder)) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {} // it has ended meanwhile
      }
    },
    startNode: (node) => {
      if (!daemons.has(node)) start(node, "slurmd", "-D", "-f", at("slurm.conf"), "-N", node);
    },
    killController: () => kill("controller"),
    startController: () => start("controller", "slurmctld", "-D", "-f", at("slurm.conf")),
    stop() {
      for (const name of names) cluster.killNode(name);
      for (const key of [...daemons.keys()]) kill(key);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
  start(
    "munged",
    "munged",
    ...["--foreground", "--force", `--socket=${at("munge", "socket")}`, `--key-file=${at("munge", "key")}`],
    ...[
      `--pid-file=${at("munge", "pid")}`,
      `--log-file=${at("munge", "log")}`,
      `--seed-file=${at("munge", "seed")}`,
    ],
  );
  await until(() => existsSync(at("munge", "socket")), "munged");
  cluster.startController();
  for (const name of names) cluster.startNode(name);
  await until(
    () => {
      try {
        return run("sinfo", "-h", "-p", "low", "-t", "idle", "-o", "%D").trim() === String(nodes);
      } catch {
        return false;
      }
    },
    "the nodes",
    { saw: () => run("sinfo", "-N", "-h", "-o", "%N %T") },
  );
  return cluster;
}

/** Processes that a node has begun, the steps' daemons with them: Slurm writes the node's name into their environment. */
function processesOf(node: string, folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        if (pid === process.pid) return false;
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        if (command.startsWith("slurmstepd"))
          return readFileSync(`/proc/${pid}/environ`, "utf8").includes(folder) && stepNode(pid) === node;
        const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        return (
          variables.includes(`SLURMD_NODENAME=${node}`) &&
          variables.includes(`SLURM_CONF=${join(folder, "slurm.conf")}`)
        );
      } catch {
        return false; // gone, or not ours to read
      }
    });
}

/** The node of a slurmstepd, from its child's environment: its environment does not name it. */
function stepNode(pid: number): string | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean);
  for (const child of children) {
    const variable = readFileSync(`/proc/${child}/environ`, "utf8")
      .split("\0")
      .find((each) => each.startsWith("SLURMD_NODENAME="));
    if (variable !== undefined) return variable.split("=")[1];
  }
  return undefined;
}
