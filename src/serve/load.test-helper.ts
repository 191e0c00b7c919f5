/**
 * @file Load on a server: a thousand connections, of which two hundred are slow or silent in all the ways there are, and the short
 * requests of the others, timed.
 */

import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { posted, type Serving, session } from "./served.test-helper.ts";

export interface Load {
  readonly connections: number;
  readonly slow: number;
  /** Short requests under way at the same time. */
  readonly atOnce: number;
  readonly seconds: number;
}

export interface Loaded {
  readonly requests: number;
  /** Answered by something else than 200. */
  readonly refused: number;
  readonly p99Milliseconds: number;
  /** Resident memory of this process, every tenth of the time. */
  readonly resident: readonly number[];
}

const health = "GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";

/** What a slow client sends, a byte a second from its second part on; it reads nothing where it says so. */
const slowWays = (number: number): { first: string; rest: string; reads: boolean } => {
  const long = posted({ prompt: session, max_tokens: 300, stream: true });
  const ways = [
    { first: "", rest: "", reads: true },
    { first: "", rest: health, reads: true },
    { first: long.slice(0, -20), rest: long.slice(-20), reads: true },
    { first: health.repeat(3), rest: "", reads: false },
    { first: long.repeat(3), rest: "", reads: false },
  ];
  return ways[number % ways.length];
};

export async function underLoad(
  server: Serving,
  { connections, slow, atOnce, seconds }: Load,
): Promise<Loaded> {
  const port = Number(new URL(server.url).port);
  const end = performance.now() + seconds * 1000;
  const sockets = new Set<Socket>();
  const open = async (): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    sockets.add(socket);
    await new Promise<void>((resolve) => {
      socket.once("connect", resolve);
      socket.once("close", () => resolve());
    });
    return socket;
  };
  const drip = async (number: number) => {
    while (performance.now() < end) {
      const { first, rest, reads } = slowWays(number);
      const socket = await open();
      if (reads) socket.resume();
      else socket.pause();
      socket.write(first);
      for (let at = 0; performance.now() < end && !socket.destroyed; at++) {
        if (at < rest.length) socket.write(rest[at]);
        else if (at > 20) socket.destroy();
        await sleep(1000);
      }
    }
  };
  const times: number[] = [];
  let refused = 0;
  const idle = Array.from({ length: connections - slow }, () => open());
  const ask = async () => {
    while (performance.now() < end) {
      let socket = await (idle.shift() ?? open());
      if (socket.destroyed) socket = await open(); // it was idle for too long
      const start = performance.now();
      const status = await answered(socket, posted({ prompt: session, max_tokens: 2 }));
      if (status === 200) times.push(performance.now() - start);
      else refused++;
      idle.push(Promise.resolve(socket));
    }
  };
  const resident: number[] = [];
  const look = async () => {
    while (performance.now() < end) {
      await sleep(seconds * 100);
      resident.push(process.memoryUsage().rss);
    }
  };
  await Promise.all([
    look(),
    ...Array.from({ length: slow }, (_, i) => drip(i)),
    ...Array.from({ length: atOnce }, ask),
  ]);
  for (const socket of sockets) socket.destroy();
  times.sort((a, b) => a - b);
  const p99Milliseconds = times[Math.floor(times.length * 0.99)] ?? Number.POSITIVE_INFINITY;
  return { requests: times.length, refused, p99Milliseconds, resident };
}

/** The status of one reply of known length on a connection that is kept; undefined where it was closed. */
function answered(socket: Socket, request: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    let text = "";
    const done = (status: number | undefined) => {
      socket.off("data", read).off("close", closed);
      resolve(status);
    };
    const closed = () => done(undefined);
    const read = (data: Buffer) => {
      text += data;
      const [, status] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? [];
      if (status !== undefined && /\r\n\r\n(?:\{[\s\S]*\}|[\s\S]*\r\n0\r\n\r\n)$/.test(text))
        done(Number(status));
    };
    socket.on("data", read).on("close", closed);
    socket.write(request);
  });
}
