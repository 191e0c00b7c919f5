/**
 * @file The studio's server: the built page, and the run folders below one folder, for this machine alone.
 *
 *     GET /                     the page, and each of its files by name
 *     GET /api/runs             a line for each run
 *     GET /api/run?name=NAME    one of them: configuration, curves, what it was asked
 *     GET /api/folder?name=NAME     its configuration, log and newest checkpoint as a tar, for the page to go on with
 *     GET /api/versus?first=NAME&second=NAME     two groups of runs, with paired intervals
 *     GET /api/report?name=NAME     a report that the lab has written of runs, without scripts
 *     GET /api/askings, samples, sample     what language models answered
 *     GET /api/agents, episodes, episode    what agents did
 *     GET /api/events           server-sent events: `changed` when a file below the folder does
 *
 * It reads and never writes. Host and Origin are checked as `serve` does, files are looked up in a list, never on the disk.
 */

import { spawn } from "node:child_process";
import { type FSWatcher, watch } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fail, LabError } from "../../core/error.ts";
import { shellWord } from "../../core/format.ts";
import { escaped } from "../../report/svg.ts";
import { ApiError } from "../../serve/api-error.ts";
import { checkCaller, isLoopback } from "../../serve/auth.ts";
import { connectionLimits, gone, watchConnections } from "../../serve/connections.ts";
import { type EpisodeChoice, episodeDetails, episodeList, listAgents } from "./episodes.ts";
import { evalSample, evalSamples, listEvals, type SampleChoice } from "./evals.ts";
import { folderTar, getRun, listRuns, readReport, versus } from "./runs.ts";
import { readSite, type SiteFile } from "./site.ts";
import { listCells } from "./zoo.ts";

interface StudioOptions {
  /** Runs are looked for here, at most four folders down. */
  readonly runs: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** What was a fault of the program and not of a request. */
  readonly onFault: (error: unknown) => void;
  readonly site?: ReadonlyMap<string, SiteFile>;
}

export interface Studio {
  /** http://127.0.0.1:8717/ */
  readonly url: string;
  close(): Promise<void>;
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const headers = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};
/** Content security policy of reports, which may be untrusted: no scripts, no origin, no requests. */
const REPORT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";
/** One event for all that happens in this time. */
const QUIET_MILLISECONDS = 300;
/** A page asks again after this time anyway: where the system's watches are used up, or the folder is on a network, changes are not reported. */
const BEAT_MILLISECONDS = 10_000;
const MOST_LISTENERS = 20;
const MOST_CONNECTIONS = 200;

type Answer = (url: URL, response: ServerResponse) => unknown;

/** Serves from now until `close`. Errors: LabError where the address cannot be taken, or is not this machine's own. */
export async function startStudio(options: StudioOptions): Promise<Studio> {
  const { runs, host, port, onFault } = options;
  if (!isLoopback(host)) fail("studio", "an address of this machine (127.0.0.1, localhost, ::1)", host);
  const site = new Map(options.site ?? readSite());
  const page = site.get("/")!;
  // Tells the page that it has a server, by the command that starts it; a static build has none.
  const command = escaped(`npx statelab studio ${shellWord(runs)}`);
  const served = page.bytes.toString("utf8").replace("<html ", () => `<html data-served="${command}" `);
  for (const path of ["/", "/index.html"]) site.set(path, { ...page, bytes: Buffer.from(served) });
  const events = listenersOf(runs);
  const answers: Readonly<Record<string, Answer>> = {
    "/api/runs": async () => ({ folder: runs, runs: await listRuns(runs) }),
    "/api/run": async ({ searchParams }) => {
      const name = searchParams.get("name") ?? "";
      return (await getRun(runs, name)) ?? unknownName("one of the runs", name);
    },
    "/api/folder": async ({ searchParams }, response) => {
      const name = searchParams.get("name") ?? "";
      const tar = (await folderTar(runs, name)) ?? unknownName("one of the runs", name);
      send(response, 200, "application/x-tar", tar);
    },
    "/api/versus": async ({ searchParams }) => {
      const names = [searchParams.get("first") ?? "", searchParams.get("second") ?? ""] as const;
      return (await versus(runs, names)) ?? unknownName("two groups of runs", names.join(", "));
    },
    "/api/report": async ({ searchParams }, response) => {
      const name = searchParams.get("name") ?? "";
      const page = (await readReport(runs, name)) ?? unknownName("one of the reports", name);
      send(response, 200, "text/html; charset=utf-8", page, { "content-security-policy": REPORT_POLICY });
    },
    "/api/askings": async () => ({ folder: runs, askings: await listEvals(runs) }),
    "/api/samples": async ({ searchParams }) => {
      const name = searchParams.get("name") ?? "";
      return (await evalSamples(runs, name, choiceIn(searchParams))) ?? unknownName("an evaluation", name);
    },
    "/api/sample": async ({ searchParams }) => {
      const [name, sample] = [searchParams.get("name") ?? "", searchParams.get("sample") ?? ""];
      return (await evalSample(runs, name, sample)) ?? unknownName("one of the samples", sample);
    },
    "/api/agents": async () => ({ folder: runs, agents: await listAgents(runs) }),
    "/api/episodes": async ({ searchParams }) => {
      const name = searchParams.get("name") ?? "";
      const list = await episodeList(runs, name, episodesIn(searchParams));
      return list ?? unknownName("one of the folders of episodes", name);
    },
    "/api/episode": async ({ searchParams }) => {
      const [name, episode] = [searchParams.get("name") ?? "", searchParams.get("episode") ?? ""];
      return (await episodeDetails(runs, name, episode)) ?? unknownName("one of the episodes", episode);
    },
    "/api/cells": async () => ({ folder: runs, cells: await listCells(runs) }),
    "/api/events": (_, response) => events.add(response),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    checkCaller(request.headers, { host, key: undefined });
    const url = urlIn(request.url ?? "/");
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new ApiError(405, `${url.pathname}: expected GET, got ${request.method}`, {
        headers: { allow: "GET, HEAD" },
      });
    const file = site.get(url.pathname);
    if (file !== undefined) {
      const own = file.policy === undefined ? {} : { "content-security-policy": file.policy };
      send(response, 200, file.type, request.method === "HEAD" ? undefined : file.bytes, own);
      return;
    }
    const own = Object.hasOwn(answers, url.pathname) ? answers[url.pathname] : undefined;
    if (own === undefined) throw new ApiError(404, "expected a file of the page, got none of that name");
    const said = await own(url, response);
    if (said !== undefined) send(response, 200, "application/json", JSON.stringify(said));
  }

  const server = createServer(async (request, response) => {
    try {
      const turn = await connections.turn(request.socket, new AbortController());
      response.once("close", () => turn.end()); // a listener's connection is in use for as long as it listens
      await answer(request, response);
    } catch (error) {
      if (error === gone) return;
      const [status, sentence, more] =
        error instanceof ApiError
          ? [error.status, error.message, error.headers]
          : error instanceof LabError
            ? [422, error.message, {}]
            : [500, "a fault of the program; its own window says which", {}];
      if (status === 500) onFault(error);
      if (response.headersSent) response.destroy();
      else send(response, status, "application/json", JSON.stringify({ error: sentence }), more);
    }
  });
  const connections = watchConnections(server, { ...connectionLimits, most: MOST_CONNECTIONS });
  await new Promise<void>((ready, refuse) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE" ? `port ${port} is taken` : error.message;
      refuse(
        new LabError(
          `studio: expected a free address, got ${host}: ${taken}. Name another by --port, or --port 0`,
        ),
      );
    });
    server.listen(port, host, ready);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}/`,
    async close() {
      events.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** The address of a request; its path is normal: no ".." is left in it. */
function urlIn(target: string): URL {
  const text = target.startsWith("/") ? `http://studio${target}` : target; // "//[" is a path, and no host
  if (URL.canParse(text)) return new URL(text);
  throw new ApiError(400, `path: expected a path or an address, got ${JSON.stringify(target.slice(0, 100))}`);
}

function unknownName(expected: string, name: string): never {
  throw new ApiError(404, `name: expected ${expected}, got ${JSON.stringify(name.slice(0, 100))}`);
}

function choiceIn(search: URLSearchParams): SampleChoice {
  const { text, count } = readerOf(search);
  return said({
    ...{ verdict: text("verdict"), arm: text("arm"), predict: text("predict"), text: text("text") },
    ...{ leastSteps: count("least"), mostSteps: count("most"), from: count("from") },
  });
}

function episodesIn(search: URLSearchParams): EpisodeChoice {
  const { text, count } = readerOf(search);
  const trouble = text("trouble") === "yes" ? true : undefined;
  return said({
    ...{ runtime: text("runtime"), view: text("view"), text: text("text") },
    ...{ trouble, from: count("from") },
  });
}

function readerOf(search: URLSearchParams) {
  const text = (name: string) => search.get(name) || undefined;
  const count = (name: string) => {
    const value = text(name);
    if (value === undefined) return undefined;
    if (/^\d{1,9}$/.test(value)) return Number(value);
    throw new ApiError(400, `${name}: expected a whole number, got ${JSON.stringify(value.slice(0, 100))}`);
  };
  return { text, count };
}

const said = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: Uint8Array | string | undefined,
  more: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...headers, ...more, "content-type": type });
  response.end(body);
}

/** Subscribers to changes below a folder, which is watched while there are any. */
function listenersOf(folder: string) {
  const open = new Set<ServerResponse>();
  let watcher: FSWatcher | undefined;
  let due: NodeJS.Timeout | undefined;
  let beat: NodeJS.Timeout | undefined;
  const tell = () => {
    due = undefined;
    for (const response of open) response.write("event: changed\ndata: {}\n\n");
  };
  const stop = () => {
    watcher?.close();
    watcher = undefined;
    clearTimeout(due);
    due = undefined;
    clearInterval(beat);
    beat = undefined;
  };
  return {
    add(response: ServerResponse): undefined {
      if (open.size >= MOST_LISTENERS)
        throw new ApiError(429, `events: expected at most ${MOST_LISTENERS} pages, got one more`);
      response.writeHead(200, { ...headers, "content-type": "text/event-stream" });
      response.write("event: ready\ndata: {}\n\n");
      open.add(response);
      response.once("close", () => {
        open.delete(response);
        if (open.size === 0) stop();
      });
      beat ??= setInterval(tell, BEAT_MILLISECONDS);
      try {
        watcher ??= watch(folder, { recursive: true }, () => {
          due ??= setTimeout(tell, QUIET_MILLISECONDS);
        }).on("error", () => {});
      } catch {
        // Pages ask again anyway.
      }
    },
    close() {
      for (const response of open) response.end();
      stop();
    },
  };
}

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** That there is no browser is no error: the address was printed. */
export function openBrowser(url: string): void {
  const [program, ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
