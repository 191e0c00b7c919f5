/**
 * @file A debug adapter over a recorded run: requests of the Debug Adapter Protocol in, responses and events out. The
 * commands of the debugger move; breakpoints of the editor may stop a move earlier.
 *
 *     launch            record the program, or open a recording
 *     stepBack          back over          reverseContinue     back continue
 *     evaluate (repl)   any command of `statelab debug`, or an expression
 *
 * Source: microsoft.github.io/debug-adapter-protocol/specification, version 1.68.
 */

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { z } from "zod";
import { LabError } from "../../core/error.ts";
import {
  commands,
  commandsIn,
  type Executed,
  execute,
  MODULE,
  openSession,
  type Reply,
  renderReply,
  type Session,
} from "../../python/debugger/index.ts";
import { evaluate, isName, valueOrReason } from "../../python/debugger/queries.ts";
import { frameStack } from "../../python/debugger/recording.ts";
import { currentEvent } from "../../python/debugger/session.ts";
import { goTo } from "../../python/debugger/step-commands.ts";
import { EvaluationError } from "../../python/values/value.ts";
import { type Launched, launch, type ReadProgram } from "./launch.ts";
import {
  exceptionFilters,
  exceptionWords,
  functionPlace,
  type Limits,
  type Place,
  type Stops,
  short,
  statementLine,
  stopsAtChanges,
  stopsAtExceptions,
  stopsAtPlace,
  uncaughtMoment,
} from "./stops.ts";
import { MomentValues } from "./values.ts";

const THREAD = 1;
/** The reference of the source that only the recording has. */
const RECORDED_SOURCE = 1;
const MOST_TARGETS = 100;

const capabilities: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsFunctionBreakpoints: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsDataBreakpoints: true,
  exceptionBreakpointFilters: exceptionFilters,
  supportsStepBack: true,
  supportsRestartFrame: true,
  supportsGotoTargetsRequest: true,
  supportsEvaluateForHovers: true,
  supportsClipboardContext: true,
  supportsCompletionsRequest: true,
  supportsExceptionInfoRequest: true,
  supportsDelayedStackTraceLoading: true,
  supportsTerminateRequest: true,
};

const count = z.int().min(0);
const Expression = { expression: z.string(), frameId: z.int().optional(), context: z.string().optional() };
const Condition = { condition: z.string().optional(), hitCondition: z.string().optional() };
const Source = z.object({ path: z.string().optional(), sourceReference: count.optional() });
const Data = z.object({ dataId: z.string(), ...Condition });
const Line = z.object({ line: z.int(), logMessage: z.string().optional(), ...Condition });

interface Handler {
  readonly schema: z.ZodType;
  run(given: unknown): unknown;
}
/** A request with the schema of its arguments. */
function request<S extends z.ZodType>(schema: S, run: (given: z.infer<S>) => unknown): Handler {
  return { schema, run: (given) => run(given as z.infer<S>) }; // parsed by the schema
}
const bare = (run: () => unknown) => request(z.unknown(), run);

function unchangeable(): never {
  throw new LabError("a recording cannot be changed: the program has run. Edit the program and start again");
}

export interface AdapterOptions {
  /** Sends one message. */
  readonly send: (message: DebugProtocol.ProtocolMessage) => void;
  readonly read: ReadProgram;
  /** Stops the recording of a program. */
  readonly signal: AbortSignal;
}

export class Adapter {
  readonly #options: AdapterOptions;
  #sent = 0;
  /** Sent after the response of the request that caused them. */
  #events: { readonly event: string; readonly body: unknown }[] = [];
  #firstLine = 1;
  #firstColumn = 1;
  #launched: Launched | undefined;
  #session: Session | undefined;
  #values: MomentValues | undefined;
  #nextId = 1;
  #stops: Readonly<Record<"lines" | "functions" | "data" | "exceptions", readonly Stops[]>> = {
    ...{ lines: [], functions: [], data: [], exceptions: [] },
  };

  constructor(options: AdapterOptions) {
    this.#options = options;
  }

  /** Answers one request. */
  async handle(message: unknown): Promise<void> {
    const parsed = z
      .object({
        seq: z.int(),
        type: z.literal("request"),
        command: z.string(),
        arguments: z.unknown().optional(),
      })
      .safeParse(message);
    if (!parsed.success) {
      this.report("a message is not a request with seq, type and command; it is ignored");
      return;
    }
    const { seq, command, arguments: given } = parsed.data;
    const respond = (result: object) =>
      this.#send({ type: "response", ...{ request_seq: seq, command }, ...result });
    try {
      const body = await this.#answer(command, given);
      respond({ success: true, ...(body !== undefined && { body }) });
    } catch (error) {
      if (!(error instanceof LabError || error instanceof EvaluationError)) throw error;
      const words = error instanceof EvaluationError ? `${error.type}: ${error.message}` : error.message;
      const shown = { id: 1, format: "{words}", variables: { words }, showUser: command === "launch" };
      respond({ success: false, message: words, body: { error: shown } });
    }
    for (const { event, body } of this.#events.splice(0)) this.#send({ type: "event", event, body });
  }

  /** A mistake of the client that no response can carry. */
  report(problem: string): void {
    const body = { category: "important", output: `statelab dap: ${problem}\n` };
    this.#send({ type: "event", event: "output", body });
  }

  #send(message: object): void {
    this.#sent += 1;
    this.#options.send({ seq: this.#sent, ...message } as DebugProtocol.ProtocolMessage); // every caller gives a type
  }

  #emit(event: string, body: object = {}): void {
    this.#events.push({ event, body });
  }

  #print(category: "stdout" | "stderr" | "console", output: string): void {
    if (output !== "") this.#emit("output", { category, output });
  }

  #answer(command: string, given: unknown): unknown {
    const handler = Object.hasOwn(this.#requests, command) ? this.#requests[command] : undefined;
    if (handler === undefined) throw new LabError(`statelab dap has no request ${short(command)}`);
    const parsed = handler.schema.safeParse(given ?? {});
    if (parsed.success) return handler.run(parsed.data);
    const [{ path, message }] = parsed.error.issues;
    throw new LabError(`${command}: ${path.join(".")}: ${message}`);
  }

  get #now(): Session {
    if (this.#session !== undefined) return this.#session;
    throw new LabError("nothing is recorded yet. Send launch first");
  }

  get #momentValues(): MomentValues {
    this.#values ??= new MomentValues(this.#now.run, currentEvent(this.#now));
    return this.#values;
  }

  /** The session with the call selected that the client shows. */
  #selecting(frameId: number | undefined): Session {
    const session = this.#now;
    if (frameId === undefined) return session;
    const frames = frameStack(session.run.stackAt(currentEvent(session)));
    const selected = frames.findIndex(({ activation }) => activation === frameId - 1);
    if (selected === -1) throw new LabError(`there is no frame ${frameId} at this moment`);
    return { ...session, selected };
  }

  /** Moves by a command of the debugger and reports where it stops. */
  #move(command: string, reason: string, clamps = true): void {
    const before = { ...this.#now, selected: 0 };
    this.#arrive(before, execute(before, command), reason, clamps);
  }

  /** @returns the stop that was reached, which may be a breakpoint before that of the command */
  #arrive(before: Session, executed: Executed, reason: string, clamps: boolean): Reply {
    if (executed.reply.kind === "refused") {
      const ended = before.moment >= before.run.length;
      const description = ended ? "The run has ended here." : "This is the beginning of the recording.";
      this.#stopped({ reason, description });
      return executed.reply;
    }
    const from = before.moment;
    const isForwards = executed.session.moment > from;
    const momentsOf = (each: Stops) => (isForwards ? each.moments : (each.backwards ?? each.moments));
    const all = Object.values(this.#stops).flat();
    const isPassed = (moment: number) =>
      isForwards
        ? moment > from && moment <= executed.session.moment
        : moment < from && moment >= executed.session.moment;
    const passed = all.flatMap((each) =>
      each.log === undefined && clamps ? momentsOf(each).filter(isPassed) : [],
    );
    const first = passed.reduce<number | undefined>(
      (a, b) => (a === undefined ? b : isForwards ? Math.min(a, b) : Math.max(a, b)),
      undefined,
    );
    const { session, reply } =
      first === undefined || first === executed.session.moment ? executed : goTo(before, first);
    this.#session = session;
    this.#values = undefined;
    if (isForwards) this.#printBetween(from, session);
    const stops = all.filter((each) => each.log === undefined && momentsOf(each).includes(session.moment));
    const isHit = first !== undefined && stops.length > 0;
    const event = session.run.events[session.moment];
    const words = stops.flatMap((each) => each.words?.(session.moment, isForwards) ?? []).join("; ");
    const { kind, ended, breakpoint } = reply as Partial<Extract<Reply, { readonly kind: "stop" }>>;
    const atStart = session.moment <= session.run.record.began && !isForwards;
    if (ended !== undefined)
      this.#print(session.run.record.reason === null ? "console" : "stderr", `The run ends: ${ended}\n`);
    this.#stopped({
      reason: isHit
        ? stops[0].reason
        : breakpoint !== undefined
          ? "breakpoint"
          : event?.event === "exception"
            ? "exception"
            : reason,
      ...(isHit && { hitBreakpointIds: stops.flatMap(({ ids }) => ids) }),
      ...(words !== "" && { text: words }),
      ...(kind === "stop" && {
        description:
          ended !== undefined
            ? `The run ends: ${short(ended)}`
            : words !== ""
              ? words
              : event?.event === "exception"
                ? exceptionWords(session.run, session.moment)
                : `Moment ${session.moment} of ${session.run.length - 1}${atStart ? ", the beginning" : ""}`,
      }),
    });
    return reply;
  }

  #stopped(body: Partial<DebugProtocol.StoppedEvent["body"]>): void {
    this.#events = this.#events.filter(({ event }) => event !== "stopped"); // of several commands the last
    this.#emit("stopped", { threadId: THREAD, allThreadsStopped: true, ...body });
  }

  /** The program's output and the log messages after `from`, in the order of the run. */
  #printBetween(from: number, session: Session): void {
    const { run, moment: to } = session;
    const logs = Object.values(this.#stops)
      .flat()
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

  get #source(): DebugProtocol.Source {
    const { name = "", path } = this.#launched ?? {};
    return path === undefined ? { name, sourceReference: RECORDED_SOURCE } : { name, path };
  }

  #isProgram({ path, sourceReference }: z.infer<typeof Source>): boolean {
    const own = this.#launched?.path;
    if (own === undefined || path === undefined) return own === undefined || sourceReference !== undefined;
    try {
      return realpathSync(path) === realpathSync(own);
    } catch {
      return resolve(path) === own;
    }
  }

  /** Sets one kind of breakpoints; each that is impossible gets a message. */
  #set<Given>(
    kind: "lines" | "functions" | "data",
    given: readonly Given[],
    make: (given: Given, id: number) => { readonly stops: Stops; readonly line?: number },
  ) {
    const found: Stops[] = [];
    const breakpoints = given.map((each): DebugProtocol.Breakpoint => {
      const id = this.#nextId++;
      try {
        const { stops, line } = make(each, id);
        found.push(stops);
        const place = line === undefined ? {} : { line: this.#outLine(line), source: this.#source };
        return { id, verified: true, ...place, ...(stops.warning && { message: stops.warning }) };
      } catch (error) {
        if (!(error instanceof LabError)) throw error;
        return { id, verified: false, message: error.message };
      }
    });
    this.#stops = { ...this.#stops, [kind]: found };
    return { breakpoints };
  }

  #outLine = (line: number) => Math.max(1, line) - 1 + this.#firstLine;
  #inLine = (line: number) => line + 1 - this.#firstLine;

  #setPlaces<Given extends Limits>(
    kind: "lines" | "functions",
    given: readonly Given[],
    place: (given: Given) => Place,
  ) {
    const { run } = this.#now;
    return this.#set(kind, given, (each, id) => {
      const found = place(each);
      return { stops: stopsAtPlace(run, found, each, id), line: found.line };
    });
  }

  /** A command of the debugger or an expression; several are separated by `;`. */
  #console(text: string, frameId: number | undefined) {
    const names = new Set(commands.flatMap(({ name, also }) => [name, ...also]));
    const isCommand = (line: string) => names.has(/^[A-Za-z-]+|^[?!]/.exec(line)?.[0].toLowerCase() ?? "");
    const lines = commandsIn(text);
    if (lines.length === 1 && !isCommand(lines[0])) return this.#value(lines[0], frameId);
    const shown = lines.map((line) => {
      const before = this.#selecting(frameId);
      const executed = execute(before, isCommand(line) ? line : `print ${line}`);
      const { session, reply } = executed;
      if (reply.kind === "refused") throw new LabError(reply.words);
      if (reply.kind === "quit") this.#emit("terminated");
      if (reply.kind !== "stop") {
        this.#session = session;
        return renderReply(reply);
      }
      const isJump = /^(goto|g|start|run|restart|end)\b/i.test(line);
      const stop = this.#arrive(before, executed, "step", !isJump);
      return renderReply(stop.kind === "stop" ? { ...stop, printed: "" } : stop); // output is an event
    });
    return { result: shown.join("\n"), variablesReference: 0 };
  }

  #value(expression: string, frameId: number | undefined, most = Number.POSITIVE_INFINITY) {
    const { value, type } = evaluate(this.#selecting(frameId), expression);
    const { text, ...rest } = this.#momentValues.shown(value, expression);
    return { ...rest, result: short(text, most), type };
  }

  #names(frameId: number | undefined): string[] {
    const session = this.#selecting(frameId);
    const moment = currentEvent(session);
    const { activation } = frameStack(session.run.stackAt(moment))[session.selected];
    const state = [activation, MODULE].flatMap((each) => Object.keys(session.run.locals(moment, each)));
    return [...new Set(state)];
  }

  readonly #requests: Readonly<Record<string, Handler>> = {
    initialize: request(
      z.object({ linesStartAt1: z.boolean().default(true), columnsStartAt1: z.boolean().default(true) }),
      ({ linesStartAt1, columnsStartAt1 }) => {
        this.#firstLine = linesStartAt1 ? 1 : 0;
        this.#firstColumn = columnsStartAt1 ? 1 : 0;
        return capabilities;
      },
    ),

    launch: request(z.unknown(), async (given) => {
      if (this.#session !== undefined) throw new LabError("a run is open already. Start another session");
      const { read, signal } = this.#options;
      this.#launched = await launch(given, read, signal);
      this.#session = openSession(this.#launched.run);
      this.#emit("initialized");
    }),

    configurationDone: bare(() => {
      const { stopOnEntry = false, noDebug = false } = this.#launched ?? {};
      const session = this.#now;
      const { began } = session.run.record;
      const start: Session = { ...session, moment: 0 };
      if (noDebug) {
        this.#print("stdout", session.run.record.output);
        if (session.run.record.reason !== null) this.#print("stderr", `${session.run.record.reason}\n`);
        this.#emit("terminated");
      } else if (stopOnEntry) {
        this.#printBetween(0, session);
        this.#stopped({ reason: "entry", description: `Moment ${began} of ${session.run.length - 1}` });
      } else this.#arrive(start, execute(start, "continue"), "step", true);
    }),

    threads: bare(() => ({ threads: [{ id: THREAD, name: this.#launched?.name ?? "main" }] })),

    setBreakpoints: request(
      z.object({ source: Source, breakpoints: z.array(Line).default([]) }),
      ({ source, breakpoints }) => {
        const { run } = this.#now;
        if (!this.#isProgram(source)) {
          const message = `the recording has one file, ${this.#launched?.path ?? this.#launched?.name}`;
          return { breakpoints: breakpoints.map(() => ({ verified: false, message })) };
        }
        return this.#setPlaces("lines", breakpoints, ({ line }) => ({
          line: statementLine(run, this.#inLine(line)),
        }));
      },
    ),

    setFunctionBreakpoints: request(
      z.object({ breakpoints: z.array(z.object({ name: z.string(), ...Condition })) }),
      ({ breakpoints }) =>
        this.#setPlaces("functions", breakpoints, ({ name }) => functionPlace(this.#now.run, name)),
    ),

    dataBreakpointInfo: request(
      z.object({ variablesReference: count.optional(), name: z.string(), frameId: z.int().optional() }),
      ({ variablesReference, name, frameId }) => {
        const session = this.#selecting(frameId);
        const owner = variablesReference ? this.#momentValues.owner(variablesReference, name) : undefined;
        const root = owner?.name ?? name;
        const { activation } = frameStack(session.run.stackAt(currentEvent(session)))[session.selected];
        const dataId = isName(root) ? session.run.keyEver(owner?.activation ?? activation, root) : undefined;
        return dataId === undefined
          ? { dataId: null, description: `${short(name)} is no variable of this call or of the module` }
          : { dataId, description: `changes of ${root}`, accessTypes: ["write"] };
      },
    ),

    setDataBreakpoints: request(z.object({ breakpoints: z.array(Data) }), ({ breakpoints }) => {
      const { run } = this.#now;
      return this.#set("data", breakpoints, ({ dataId, ...limits }, id) => {
        const stops = stopsAtChanges(run, dataId, limits, id);
        if (stops.moments.length > 0) return { stops };
        throw new LabError(`the variable ${short(dataId)} does not change in this recording`);
      });
    }),

    setExceptionBreakpoints: request(z.object({ filters: z.array(z.string()) }), ({ filters }) => {
      const known = exceptionFilters.map(({ filter }) => filter);
      const wrong = filters.find((each) => !known.includes(each));
      if (wrong !== undefined)
        throw new LabError(`there is no exception filter ${short(wrong)}. Use ${known.join(" or ")}`);
      this.#stops = { ...this.#stops, exceptions: [stopsAtExceptions(this.#now.run, filters)] };
    }),

    stackTrace: request(
      z.object({ startFrame: count.default(0), levels: count.default(0) }),
      ({ startFrame, levels }) => {
        const session = this.#now;
        const moment = currentEvent(session);
        const all = frameStack(session.run.stackAt(moment));
        const stackFrames = all
          .slice(startFrame, levels === 0 ? undefined : startFrame + levels)
          .map(({ activation, function: name }) => ({
            ...{ id: activation + 1, name, column: this.#firstColumn, source: this.#source },
            ...{ line: this.#outLine(session.run.lineOf(moment, activation)), canRestart: true },
          }));
        return { stackFrames, totalFrames: all.length };
      },
    ),

    source: bare(() => ({ content: this.#now.run.record.source, mimeType: "text/x-python" })),

    scopes: request(z.object({ frameId: z.int() }), ({ frameId }) => {
      const { run, selected } = this.#selecting(frameId);
      const activation = frameId - 1;
      const values = this.#momentValues;
      const { event, value, unwinding } = run.events[currentEvent(this.#now)];
      const isReturn = event === "return" && selected === 0 && unwinding !== true && activation !== MODULE;
      const scopes: DebugProtocol.Scope[] = [
        ...(activation === MODULE
          ? []
          : [{ name: "Locals", presentationHint: "locals", ...values.scope(activation), expensive: false }]),
        { name: "Globals", presentationHint: "globals", ...values.scope(MODULE), expensive: false },
      ];
      const variablesReference = isReturn ? values.single("return value", value ?? null) : 0;
      const returned = { name: "Return value", presentationHint: "returnValue", expensive: false };
      return { scopes: [...scopes, ...(isReturn ? [{ ...returned, variablesReference }] : [])] };
    }),

    variables: request(
      z.object({
        ...{ variablesReference: count, start: count.optional(), count: count.optional() },
        filter: z.enum(["indexed", "named"]).optional(),
      }),
      (given) => {
        void this.#now;
        return { variables: this.#momentValues.variables(given as DebugProtocol.VariablesArguments) };
      },
    ),

    next: bare(() => this.#move("next", "step")),
    stepIn: bare(() => this.#move("step", "step")),
    stepOut: bare(() => this.#move("return", "step")),
    continue: bare(() => {
      this.#move("continue", "step");
      return { allThreadsContinued: true };
    }),
    stepBack: request(z.object({ granularity: z.string().optional() }), ({ granularity }) =>
      this.#move(granularity === "instruction" ? "back" : "back over", "step"),
    ),
    reverseContinue: bare(() => this.#move("back continue", "step")),

    restartFrame: request(z.object({ frameId: z.int() }), ({ frameId }) => {
      this.#selecting(frameId);
      const [first = 0] = this.#now.run.momentsOf(frameId - 1);
      this.#move(`goto ${first}`, "restart", false);
    }),

    gotoTargets: request(z.object({ source: Source, line: z.int() }), ({ source, line }) => {
      const { run, moment: now } = this.#now;
      const wanted = this.#inLine(line);
      const moments = run.events.flatMap((event, moment) =>
        event.event === "line" && event.line === wanted && this.#isProgram(source) ? [moment] : [],
      );
      const near = moments.toSorted((a, b) => Math.abs(a - now) - Math.abs(b - now)).slice(0, MOST_TARGETS);
      const targets = near
        .toSorted((a, b) => a - b)
        .map((moment) => ({
          ...{ id: moment, line, label: `moment ${moment}, in ${run.stackAt(moment).function}` },
        }));
      return { targets };
    }),
    goto: request(z.object({ targetId: count }), ({ targetId }) => {
      const { length } = this.#now.run;
      if (targetId > length) throw new LabError(`there is no moment ${targetId}; the last is ${length}`);
      this.#move(`goto ${targetId}`, "goto", false);
    }),

    /** For the timeline of the extension: the moments of the recording. */
    moments: request(
      z.object({ start: count.default(0), count: count.max(1000).default(200) }),
      ({ start, count: most }) => {
        const { run, moment: current } = this.#now;
        const moments = run.events.slice(start, start + most).map(({ event, line, function: name }, i) => ({
          ...{ moment: start + i, event, line: this.#outLine(line), function: name },
          ...{ depth: run.stackAt(start + i).depth, source: (run.lines[line - 1] ?? "").trim() },
        }));
        return { moments, total: run.length, current };
      },
    ),

    evaluate: request(z.object(Expression), ({ expression, frameId, context }) =>
      context === "repl"
        ? this.#console(expression, frameId)
        : this.#value(expression, frameId, context === "clipboard" ? undefined : 1000),
    ),

    completions: request(
      z.object({ text: z.string(), column: z.int(), frameId: z.int().optional() }),
      ({ text, column, frameId }) => {
        const before = text.slice(0, Math.max(0, column - this.#firstColumn));
        const word = /[\p{L}_][\p{L}\p{N}_]*$/u.exec(before)?.[0] ?? "";
        const start = before.length - word.length;
        const isFirst = before.slice(0, start).trim() === "";
        const found = (names: readonly string[], type: "keyword" | "variable") =>
          names
            .filter((name) => name.startsWith(word))
            .map((label) => ({ label, type, start, length: word.length }));
        const usable = commands.filter(({ summary }) => summary !== "").map(({ name }) => name);
        return {
          targets: [...found(this.#names(frameId), "variable"), ...(isFirst ? found(usable, "keyword") : [])],
        };
      },
    ),

    exceptionInfo: bare(() => {
      const { run, moment } = this.#now;
      const uncaught = uncaughtMoment(run);
      const at = moment >= run.length ? (uncaught ?? moment) : moment;
      const { exception } = run.events[at] ?? {};
      if (exception === undefined) throw new LabError("no exception is raised at this moment");
      return {
        ...{ exceptionId: exception.type, description: exception.message },
        breakMode: at === uncaught ? "unhandled" : "always",
        details: { typeName: exception.type, message: exception.message },
      };
    }),

    setVariable: bare(unchangeable),
    setExpression: bare(unchangeable),
    pause: bare(() => {
      throw new LabError("nothing is running: the adapter moves through a recording");
    }),
    terminate: bare(() => this.#emit("terminated")),
    disconnect: bare(() => undefined),
  };
}
