/**
 * @file Connections of the server: requests end with their connection, and idle connections are closed.
 *
 *     const connections = watchConnections(server);
 *     const turn = await connections.turn(request.socket, controller);     after the connection's earlier requests
 *     try { ... controller.signal ... } finally { turn.end(); }
 *
 * Requests of one connection are handled in sequence, as HTTP/1.1 orders their responses anyway: nine pipelined streams are one active
 * stream and eight waiting ones. A socket that reads no response or sends no request is destroyed; at the limit, the longest idle one
 * is.
 */

import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface ConnectionLimits {
  readonly most: number;
  /** Maximum number of pipelined requests per connection. */
  readonly mostAhead: number;
  /** How long a client may leave data unread, or send nothing. */
  readonly unreadMilliseconds: number;
}

export const connectionLimits: ConnectionLimits = {
  most: 2000,
  mostAhead: 16,
  unreadMilliseconds: 10_000,
};

export interface Turn {
  end(): void;
}

interface Connections {
  /** Resolves when the connection's earlier requests have ended. Rejects with the signal's reason, `gone` if the client disconnected. */
  turn(socket: Socket, controller: AbortController): Promise<Turn>;
  /** Closes all, immediately or after pending data is sent. */
  destroy(how: "now" | "soon"): void;
}

/** Abort reason for a request whose client disconnected. */
export const gone = new Error("the client went away");

interface Connection {
  readonly requests: Set<AbortController>;
  /** Resolves with the latest request. */
  last: Promise<void>;
}

export function watchConnections(server: Server, limits: ConnectionLimits = connectionLimits): Connections {
  const { most, mostAhead, unreadMilliseconds } = limits;
  const known = new Map<Socket, Connection>();
  const isIdle = (socket: Socket, { requests }: Connection) =>
    requests.size === 0 && socket.writableLength === 0;

  /** The first idle one in the map, which is in order of last activity. */
  function makeRoom(): boolean {
    for (const [socket, connection] of known) {
      if (!isIdle(socket, connection)) continue;
      socket.destroy();
      known.delete(socket);
      return true;
    }
    return false;
  }

  function moved(socket: Socket, connection: Connection): void {
    if (known.delete(socket)) known.set(socket, connection);
  }

  server.on("connection", (socket: Socket) => {
    if (known.size >= most && !makeRoom()) {
      socket.destroy();
      return;
    }
    const connection: Connection = { requests: new Set(), last: Promise.resolve() };
    known.set(socket, connection);
    socket.on("close", () => {
      known.delete(socket);
      for (const controller of connection.requests) controller.abort(gone);
    });
  });

  // Node detects whether the system accepts data, and has its own timeout for idle sockets.
  server.timeout = unreadMilliseconds;
  server.on("timeout", (socket: Socket) => {
    const connection = known.get(socket);
    const waitsForUs =
      connection !== undefined && connection.requests.size > 0 && socket.writableLength === 0;
    if (waitsForUs) socket.setTimeout(unreadMilliseconds);
    else socket.destroy();
  });

  return {
    async turn(socket, controller) {
      const connection = known.get(socket);
      if (connection === undefined || socket.destroyed) throw gone;
      const { requests, last: before } = connection;
      if (requests.size >= mostAhead) {
        socket.destroy();
        throw gone;
      }
      requests.add(controller);
      moved(socket, connection);
      let end = () => {};
      connection.last = new Promise((resolve) => {
        end = () => {
          if (requests.delete(controller)) moved(socket, connection);
          resolve();
        };
      });
      await before;
      if (!controller.signal.aborted) return { end };
      end();
      throw controller.signal.reason;
    },
    destroy(how) {
      for (const socket of known.keys()) {
        if (how === "now") socket.destroy();
        else socket.destroySoon();
      }
    },
  };
}
