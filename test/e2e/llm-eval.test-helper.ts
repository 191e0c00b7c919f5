/** @file `statelab llm eval` run against a server that fails now and then, and killed now and then. */

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  type Asked,
  type Behaviour,
  chatReply,
  json,
  promptOf,
} from "../../src/eval/endpoints/server.test-helper.ts";
import { type Ended, linesIn, type Running, startStatelab } from "../kit/cli.ts";

export const startAsk = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Running =>
  startStatelab({ folder: ".", env }, "llm eval", ...args);

/** 32 bits of a text, the same everywhere (FNV-1a). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

export interface Served {
  /** By prompt and seed: how many whole answers left the server. */
  readonly answers: Map<string, number>;
  faults: number;
}

/**
 * Answers a prompt always the same; every fourth request, as its hash and its number say, meets a fault instead.
 * `delay`: milliseconds before an answer, so that a kill finds requests in flight.
 */
export function faultyServer(delay: number): Served & { readonly behaves: Behaviour } {
  const served: Served = { answers: new Map(), faults: 0 };
  const behaves: Behaviour = (asked, response, count, request) => {
    const name = nameOf(asked);
    const draw = hashOf(`${name} ${count}`);
    if (draw % 4 === 0) {
      served.faults++;
      faults[(draw >>> 8) % faults.length](asked, response, count, request);
      return;
    }
    setTimeout(() => {
      if (response.destroyed) return;
      served.answers.set(name, (served.answers.get(name) ?? 0) + 1);
      json(chatReply(answers[hashOf(name) % answers.length], {}, { prompt_tokens: 500 }))(
        asked,
        response,
        count,
        request,
      );
    }, delay);
  };
  return Object.assign(served, { behaves });
}

const nameOf = (asked: Asked) => `${asked.body.seed} ${promptOf(asked)}`;
const answers = ["0\n[/ANSWER]", "assert p == 1", "1", "I cannot say"];
const faults: readonly Behaviour[] = [
  json({}, 429, { "retry-after": "0" }),
  json({ error: "overloaded" }, 503),
  (_, response) => response.destroy(),
  (_, response) => response.end("<html>"),
  (_, response) => response.end(`{"choices": [`),
  json({ choices: [] }),
  json(chatReply(null)),
  (_, response) => {
    response.writeHead(200, { "content-length": "999" });
    response.write("{");
    setTimeout(() => response.destroy(), 5);
  },
];

/** Runs the same command again and again, killed without warning when its log has grown by so many lines each time. */
export async function killedRuns(
  args: readonly string[],
  folder: string,
  kills: readonly number[],
): Promise<Ended> {
  for (const lines of kills) {
    const run = startAsk(args);
    const log = join(folder, "answers.jsonl");
    const watch = setInterval(() => {
      if (existsSync(log) && statSync(log).size > 0 && linesIn(log) >= lines) run.process.kill("SIGKILL");
    }, 5);
    const { code, stderr } = await run.ended;
    clearInterval(watch);
    if (code !== null) throw new Error(`ended by itself before ${lines} answers: ${stderr}`);
  }
  return startAsk(args).ended;
}
