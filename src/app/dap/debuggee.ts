/**
 * @file A recorded run as a debuggee: the current moment, the breakpoints of the editor, and the events of a move. The
 * debugger's commands move; a breakpoint on the way stops earlier.
 */

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { LabError } from "../../core/error.ts";
import {
  commands,
  commandsIn,
  type Executed,
  execute,
  openSession,
  type Reply,
  renderReply,
  type Session,
  type Stop,
} from "../../python/debugger/index.ts";
import { evaluate, valueOrReason } from "../../python/debugger/queries.ts";
import { type Frame, frameStack } from "../../python/debugger/recording.ts";
import { currentEvent } from "../../python/debugger/session.ts";
import { goTo } from "../../python/debugger/step-commands.ts";
import type { Launched } from "./launch.ts";
import { exceptionWords, type Stops, short } from "./stops.ts";
import { MomentValues } from "./values.ts";

export const THREAD = 1;
/** The reference of a source that only the recording has. */
const RECORDED_SOURCE = 1;

interface ClientSource {
  readonly path?: string | undefined;
  readonly sourceReference?: number | undefined;
}
export type Emit = (event: string, body?: object) => void;

const commandNames = new Set(commands.flatMap(({ name, also }) => [name, ...also]));
const isCommand = (line: string) => commandNames.has(/^[A-Za-z-]+|^[?!]/.exec(line)?.[0].toLowerCase() ?? "");

export class Debuggee {
  readonly launched: Launched;
  readonly #emit: Emit;
  #session: Session;
  /** Made on demand, for the current moment. */
  #values: MomentValues | undefined;
  #stops: Readonly<Record<string, readonly Stops[]>> = {};

  constructor(launched: Launched, emit: Emit) {
    this.launched = launched;
    this.#emit = emit;
    this.#session = openSession(launched.run);
  }

  get session(): Session {
    return this.#session;
  }

  get run() {
    return this.launched.run;
  }

  /** The last event that has happened. */
  get moment(): number {
    return currentEvent(this.#session);
  }

  /** The active calls, innermost first. */
  get frames(): Frame[] {
    return frameStack(this.run.stackAt(this.moment));
  }

  get values(): MomentValues {
    this.#values ??= new MomentValues(this.run, this.moment);
    return this.#values;
  }

  get source(): DebugProtocol.Source {
    const { name, path } = this.launched;
    return path === undefined ? { name, sourceReference: RECORDED_SOURCE } : { name, path };
  }

  isProgram({ path, sourceReference }: ClientSource): boolean {
    const own = this.launched.path;
    if (own === undefined || path === undefined) return own === undefined || sourceReference !== undefined;
    try {
      return realpathSync(path) === realpathSync(own);
    } catch {
      return resolve(path) === own;
    }
  }

  /** Replaces the breakpoints of one kind. */
  setStops(kind: string, stops: readonly Stops[]): void {
    this.#stops = { ...this.#stops, [kind]: stops };
  }

  /** The session with a call selected: that of the frame or, without one, of the console. */
  selecting(frameId: number | undefined): Session {
    if (frameId === undefined) return this.#session;
    const selected = this.frames.findIndex(({ activation }) => activation === frameId - 1);
    if (selected === -1) throw new LabError(`there is no frame ${frameId} at this moment`);
    return { ...this.#session, selected };
  }

  /** From the beginning to the first stop; without debugging, the output alone. */
  begin(): void {
    const { stopOnEntry, noDebug } = this.launched;
    const { output, reason } = this.run.record;
    const start: Session = { ...this.#session, moment: 0 };
    if (noDebug) {
      this.#print("stdout", output);
      if (reason !== null) this.#print("stderr", `${reason}\n`);
      this.#emit("terminated");
    } else if (stopOnEntry) {
      this.#printBetween(0, this.#session);
      this.#stopped({ reason: "entry", description: this.#place(this.#session) });
    } else this.#arrive(start, execute(start, "continue"), "step");
  }

  /** Carries out a command of the debugger from the innermost call. */
  move(command: string, reason = "step"): void {
    const before = { ...this.#session, selected: 0 };
    this.#arrive(before, execute(before, command), reason);
  }

  /** Emits what happens on the way, and the stop. @returns the reply at the stop */
  #arrive(before: Session, executed: Executed, reason: string): Reply {
    if (executed.reply.kind !== "stop") {
      const isEnd = before.moment >= before.run.length;
      const description = isEnd ? "The run has ended here." : "This is the beginning of the recording.";
      this.#stopped({ reason, description });
      return executed.reply;
    }
    const { run } = this;
    const [from, to] = [before.moment, executed.session.moment];
    const isForwards = to > from;
    const momentsOf = (each: Stops) => (isForwards ? each.moments : (each.backwards ?? each.moments));
    const stops = this.#all.filter(({ log }) => log === undefined);
    const passed = stops
      .flatMap(momentsOf)
      .filter((moment) => (isForwards ? moment > from && moment <= to : moment < from && moment >= to));
    const first = passed.reduce((a, b) => (a < b === isForwards ? a : b), isForwards ? run.length : -1);
    const isJump = reason === "goto" || reason === "restart";
    const isHit = passed.length > 0 && !isJump;
    const { session, reply } = isHit && first !== to ? goTo(before, first) : executed;
    this.#session = session;
    this.#values = undefined;
    if (isForwards) this.#printBetween(from, session);
    const hit = isHit ? stops.filter((each) => momentsOf(each).includes(session.moment)) : [];
    const words = hit.flatMap((each) => each.words?.(session.moment, isForwards) ?? []).join("; ");
    const { ended, breakpoint, exception } = reply as Stop; // goTo and the command gave one
    if (ended !== undefined)
      this.#print(run.record.reason === null ? "console" : "stderr", `The run ends: ${ended}\n`);
    const isRaised = exception !== undefined && ended === undefined;
    this.#stopped({
      reason: hit[0]?.reason ?? (breakpoint !== undefined ? "breakpoint" : isRaised ? "exception" : reason),
      description:
        ended !== undefined
          ? `The run ends: ${short(ended)}`
          : words || (isRaised ? exceptionWords(run, session.moment) : this.#place(session)),
      ...(words !== "" && { text: words }),
      ...(hit.length > 0 && { hitBreakpointIds: hit.flatMap(({ ids }) => ids) }),
    });
    return reply;
  }

  get #all(): readonly Stops[] {
    return Object.values(this.#stops).flat();
  }

  #place({ moment, run }: Session): string {
    return `Moment ${moment} of ${run.length - 1}${moment === 0 ? ", the beginning" : ""}`;
  }

  #stopped(body: Pick<DebugProtocol.StoppedEvent["body"], "reason" | "description" | "text">): void {
    this.#emit("stopped", { threadId: THREAD, allThreadsStopped: true, ...body });
  }

  #print(category: "stdout" | "stderr" | "console", output: string): void {
    if (output !== "") this.#emit("output", { category, output });
  }

  /** The program's output and the log messages after `from`, in the order of the run. */
  #printBetween(from: number, session: Session): void {
    const { run, moment: to } = session;
    const logs = this.#all
      .flatMap(({ log, moments }) => (log === undefined ? [] : moments.map((moment) => ({ log, moment }))))
      .filter(({ moment }) => moment > from && moment <= to)
      .toSorted((a, b) => a.moment - b.moment);
    let last = from;
    for (const { log, moment } of logs) {
      this.#print("stdout", run.printed(last, moment));
      const at = { ...session, moment, selected: 0 };
      const text = log.replaceAll(/\{([^{}]+)\}/g, (_, expression: string) => valueOrReason(at, expression));
      this.#print("console", `${text}\n`);
      last = moment;
    }
    this.#print("stdout", run.printed(last, to));
  }

  /** Commands of the debugger and expressions, separated by `;`. */
  console(text: string, frameId: number | undefined) {
    const lines = commandsIn(text);
    if (lines.length === 1 && !isCommand(lines[0])) return this.value(lines[0], frameId);
    const shown = lines.map((line) => {
      const before = this.selecting(frameId);
      const executed = execute(before, isCommand(line) ? line : `print ${line}`);
      const { session, reply } = executed;
      if (reply.kind === "refused") throw new LabError(reply.words);
      if (reply.kind === "quit") this.#emit("terminated");
      if (reply.kind !== "stop") {
        this.#session = session;
        return renderReply(reply);
      }
      const isJump = /^(goto|g|start|run|restart|end)\b/i.test(line);
      const stop = this.#arrive(before, executed, isJump ? "goto" : "step");
      return renderReply(stop.kind === "stop" ? { ...stop, printed: "" } : stop); // output is an event
    });
    return { result: shown.join("\n"), variablesReference: 0 };
  }

  /** @throws EvaluationError */
  value(expression: string, frameId: number | undefined, most = Number.POSITIVE_INFINITY) {
    const { value, type } = evaluate(this.selecting(frameId), expression);
    const { text, ...rest } = this.values.shown(value, expression);
    return { ...rest, result: short(text, most), type };
  }
}
