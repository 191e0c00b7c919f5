/**
 * @file A session: a leased sandboxed interpreter that runs cells in order and keeps names.
 *
 *     const session = await host.session();
 *     await session.run({ code: "x = look()", tools: [["look", []]] }, ({ name }) => ({ value: 41 }));
 *     await session.run({ code: "print(x + 1)", tools: [] }, act);      // { kind: "cell", end: { end: "finished", output: "42\n", ... } }
 *
 * Tool calls are frames from the program's process, answered by this one. So the world is never in the program's
 * process, and messages on the channel can only call a tool or end the current cell. Limits apply to each cell;
 * exceeding one ends the session. Between cells, messages are forbidden, and memory and output are still monitored.
 */

import { z } from "zod";
import { CellEnd, type ToolAnswer, ToolCall } from "../../schemas/agents.ts";
import {
  type Act,
  asciiJson,
  type CellOutcome,
  type HostName,
  type Limits,
  type PythonSession,
  resolveLimits,
} from "./host.ts";
import type { Contained, Watch } from "./sandboxed-process.ts";
import { readReply } from "./verdict.ts";

const defaultOutputCharacters = 100_000;
/** Maximum number of queued calls: tools are called by one thread at a time. */
const waitingFrames = 16;
const Request = z.tuple([ToolCall.shape.name, ToolCall.shape.arguments]);

export interface Leased {
  readonly child: Contained;
  readonly host: HostName;
  /** Sends a cell's text to the child; the embedded child gets the limits with each. */
  send(text: string, limits: Limits): void;
  /** Memory of the process in addition to the program's. */
  readonly ownBytes: number;
  readonly limits: Partial<Limits>;
  /** Called once; `usable`: every cell came to its end, and nothing was left of it that a new start does not clear. */
  release(usable: boolean): Promise<void>;
}

export function startSession({ child, host, send, ownBytes, limits: usual, release }: Leased): PythonSession {
  let alive = true;
  let spent = false;
  let unguard = () => {};
  const over = (outcome: CellOutcome): CellOutcome => {
    alive = false;
    child.kill();
    return outcome;
  };
  const watchOf = ({ wallSeconds, memoryBytes, outputBytes, resultBytes }: Limits): Watch => ({
    wallSeconds,
    residentBytes: memoryBytes + ownBytes,
    outputBytes: outputBytes + 2 ** 16,
    frameBytes: 2 * resultBytes + 2 ** 16,
    waitingFrames,
  });
  return {
    get alive() {
      return alive;
    },
    async run(cell, act, limits = {}, signal) {
      unguard();
      if (!alive) return { kind: "sandbox", words: "the session is over" };
      const all = resolveLimits(usual, limits);
      const watch = watchOf(all);
      const started = performance.now();
      const left = () => Math.max(0.001, all.wallSeconds - (performance.now() - started) / 1000);
      const late = `the cell ran for longer than ${all.wallSeconds} s`;
      child.takeOutput(); // output that bypassed sys.stdout is limited but not shown
      const { code, tools, outputCharacters = defaultOutputCharacters } = cell;
      send(asciiJson({ operation: "cell", code, tools, outputCharacters }), all);
      for (;;) {
        let heard: Awaited<ReturnType<Contained["hear"]>>;
        try {
          heard = await child.hear({ ...watch, wallSeconds: left() }, signal);
        } catch (error) {
          alive = false;
          throw error;
        }
        if (heard.kind === "stopped")
          return over({ kind: heard.stop, words: heard.stop === "time" ? late : heard.words });
        if (heard.kind === "ended")
          return over({
            kind: "crashed",
            words: `the interpreter ended: ${child.lastWords() || heard.code}`,
          });
        const { kind, body } = heard.frame;
        if (kind === "call") {
          child.send(asciiJson(answerTo(body, act)));
          continue;
        }
        if (kind !== "reply" && kind !== "last")
          return over({ kind: "forged", words: "the program spoke for its interpreter" });
        spent ||= kind === "last";
        const outcome = readReply({ body, plan: undefined, host });
        if (outcome.kind !== "done") return over(outcome);
        const end = CellEnd.safeParse(outcome.value);
        if (!end.success) return over({ kind: "forged", words: "the cell's end is not of the lab's form" });
        unguard = child.guard({ ...watch, wallSeconds: Number.POSITIVE_INFINITY, waitingFrames: 0 });
        return { kind: "cell", end: end.data };
      }
    },
    async close() {
      unguard();
      const usable = alive && !spent;
      alive = false;
      await release(usable);
    },
  };
}

function answerTo(body: Buffer, act: Act): ToolAnswer {
  let asked: unknown;
  try {
    asked = JSON.parse(body.toString("utf8"));
  } catch {
    return { error: "ValueError", message: "a call is JSON" };
  }
  const call = Request.safeParse(asked);
  if (!call.success) return { error: "TypeError", message: "a call is a name and a list of arguments" };
  const [name, values] = call.data;
  return act({ name, arguments: values });
}
