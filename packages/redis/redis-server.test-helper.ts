/** @file A real Redis on this host, from Debian's package redis-server, with a temporary folder and port: can be killed and restarted. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const program = "/usr/bin/redis-server";

/** Why there can be none here; undefined where there can. */
export const missing: string | undefined = existsSync(program)
  ? undefined
  : "redis-server is not installed (apt-get install redis-server)";

export interface RedisServer {
  readonly url: string;
  /** SIGKILL, and its start again with what is on its disk. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** `args` are of redis-server; by default it keeps everything. */
export async function startRedis(
  args: readonly string[] = ["--appendonly", "yes", "--appendfsync", "everysec"],
): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), "statelab-redis-"));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}/0`,
    async start() {
      const own = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
      child = spawn(program, [...own, ...args], { stdio: "ignore" });
      const deadline = performance.now() + 20_000;
      while (!(await answers(port))) {
        if (performance.now() > deadline) throw new Error("redis-server did not start");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async kill() {
      const ended = new Promise((resolve) => child?.once("exit", resolve));
      child?.kill("SIGKILL");
      await ended;
    },
    async stop() {
      if (child?.exitCode === null && child.signalCode === null) await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** PONG, and not that it is loading still. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"));
    socket.setTimeout(1000, () => socket.destroy());
    socket.on("data", (text) => {
      resolve(text.toString().startsWith("+PONG"));
      socket.destroy();
    });
    socket.on("error", () => resolve(false));
    socket.on("close", () => resolve(false));
  });
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number }; // a TCP server has one
      server.close(() => resolve(port));
    }),
  );
}
