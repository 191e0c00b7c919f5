/**
 * @file The requests of the Debug Adapter Protocol, each with the schema of its arguments. To add a request: one entry.
 *
 *     launch            record the program, or open a recording
 *     stepBack          back over          reverseContinue     back continue
 *     evaluate (repl)   any command of `statelab debug`, or an expression
 *
 * Source: microsoft.github.io/debug-adapter-protocol/specification, version 1.68.
 */

import type { DebugProtocol } from "@vscode/debugprotocol";
import { z } from "zod";
import { LabError } from "../../core/error.ts";
import { commands, MODULE } from "../../python/debugger/index.ts";
import { isName } from "../../python/debugger/queries.ts";
import { Debuggee, type Emit, THREAD } from "./debuggee.ts";
import { launch, type ReadProgram } from "./launch.ts";
import {
  exceptionFilters,
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

const MOST_TARGETS = 100;
const LONGEST_RESULT = 1000;

/** What the requests of one client share. */
export interface Client {
  readonly emit: Emit;
  readonly read: ReadProgram;
  /** Stops the recording of a program. */
  readonly signal: AbortSignal;
  debuggee: Debuggee | undefined;
  /** Lines and columns of the client begin with 0 or 1. */
  firstLine: number;
  firstColumn: number;
  /** Number of the next breakpoint. */
  nextId: number;
}

export interface Handler {
  readonly schema: z.ZodType;
  run(given: unknown, client: Client): unknown;
}
/** @returns the body of the response; a LabError or an EvaluationError refuses */
function request<S extends z.ZodType>(
  schema: S,
  run: (given: z.infer<S>, client: Client) => unknown,
): Handler {
  return { schema, run: (given, client) => run(given as z.infer<S>, client) }; // parsed by the schema
}
/** A request about the recorded run. */
function about<S extends z.ZodType>(
  schema: S,
  run: (given: z.infer<S>, debuggee: Debuggee, client: Client) => unknown,
): Handler {
  return request(schema, (given, client) => {
    if (client.debuggee === undefined) throw new LabError("nothing is recorded yet. Send launch first");
    return run(given, client.debuggee, client);
  });
}
const move = (command: string) => about(z.unknown(), (_, debuggee) => debuggee.move(command));
const refuse = (words: string) =>
  request(z.unknown(), () => {
    throw new LabError(words);
  });

const outLine = (line: number, { firstLine }: Client) => Math.max(1, line) - 1 + firstLine;
const inLine = (line: number, { firstLine }: Client) => line + 1 - firstLine;

const count = z.int().min(0);
const frame = { frameId: z.int().optional() };
const limits = { condition: z.string().optional(), hitCondition: z.string().optional() };
const Source = z.object({ path: z.string().optional(), sourceReference: count.optional() });
const unchangeable = "a recording cannot be changed: the program has run. Edit the program and start again";

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

/** Replaces one kind of breakpoints; each that is impossible gets a message. */
function setBreakpoints<Given>(
  kind: string,
  given: readonly Given[],
  debuggee: Debuggee,
  client: Client,
  make: (given: Given, id: number) => { readonly stops: Stops; readonly line?: number },
) {
  const found: Stops[] = [];
  const breakpoints = given.map((each): DebugProtocol.Breakpoint => {
    const id = client.nextId++;
    try {
      const { stops, line } = make(each, id);
      found.push(stops);
      const place = line === undefined ? {} : { line: outLine(line, client), source: debuggee.source };
      return { id, verified: true, ...place, ...(stops.warning && { message: stops.warning }) };
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      return { id, verified: false, message: error.message };
    }
  });
  debuggee.setStops(kind, found);
  return { breakpoints };
}

/** The same for breakpoints at lines and functions. */
function setPlaces<Given extends Limits>(
  kind: string,
  given: readonly Given[],
  debuggee: Debuggee,
  client: Client,
  place: (given: Given) => Place,
) {
  return setBreakpoints(kind, given, debuggee, client, (each, id) => {
    const found = place(each);
    return { stops: stopsAtPlace(debuggee.run, found, each, id), line: found.line };
  });
}

export const requests: Readonly<Record<string, Handler>> = {
  initialize: request(
    z.object({ linesStartAt1: z.boolean().default(true), columnsStartAt1: z.boolean().default(true) }),
    ({ linesStartAt1, columnsStartAt1 }, client) => {
      client.firstLine = linesStartAt1 ? 1 : 0;
      client.firstColumn = columnsStartAt1 ? 1 : 0;
      return capabilities;
    },
  ),

  launch: request(z.unknown(), async (given, client) => {
    if (client.debuggee !== undefined) throw new LabError("a run is open already. Start another session");
    client.debuggee = new Debuggee(await launch(given, client.read, client.signal), client.emit);
    client.emit("initialized");
  }),

  configurationDone: about(z.unknown(), (_, debuggee) => debuggee.begin()),

  threads: about(z.unknown(), (_, { launched }) => ({ threads: [{ id: THREAD, name: launched.name }] })),

  setBreakpoints: about(
    z.object({
      source: Source,
      breakpoints: z
        .array(z.object({ line: z.int(), logMessage: z.string().optional(), ...limits }))
        .default([]),
    }),
    ({ source, breakpoints }, debuggee, client) => {
      if (debuggee.isProgram(source))
        return setPlaces("lines", breakpoints, debuggee, client, ({ line }) => ({
          line: statementLine(debuggee.run, inLine(line, client)),
        }));
      const { name, path = name } = debuggee.launched;
      const message = `the recording has one file, ${path}`;
      return { breakpoints: breakpoints.map(() => ({ verified: false, message })) };
    },
  ),

  setFunctionBreakpoints: about(
    z.object({ breakpoints: z.array(z.object({ name: z.string(), ...limits })) }),
    ({ breakpoints }, debuggee, client) =>
      setPlaces("functions", breakpoints, debuggee, client, ({ name }) => functionPlace(debuggee.run, name)),
  ),

  dataBreakpointInfo: about(
    z.object({ variablesReference: count.optional(), name: z.string(), ...frame }),
    ({ variablesReference, name, frameId }, debuggee) => {
      const { selected } = debuggee.selecting(frameId);
      const owner = variablesReference ? debuggee.values.owner(variablesReference, name) : undefined;
      const root = owner?.name ?? name;
      const activation = owner?.activation ?? debuggee.frames[selected].activation;
      const dataId = isName(root) ? debuggee.run.keyEver(activation, root) : undefined;
      return dataId === undefined
        ? { dataId: null, description: `${short(name)} is no variable of this call or of the module` }
        : { dataId, description: `changes of ${root}`, accessTypes: ["write"] };
    },
  ),

  setDataBreakpoints: about(
    z.object({ breakpoints: z.array(z.object({ dataId: z.string(), ...limits })) }),
    ({ breakpoints }, debuggee, client) =>
      setBreakpoints("data", breakpoints, debuggee, client, ({ dataId, ...given }, id) => ({
        stops: stopsAtChanges(debuggee.run, dataId, given, id),
      })),
  ),

  setExceptionBreakpoints: about(z.object({ filters: z.array(z.string()) }), ({ filters }, debuggee) => {
    const known = exceptionFilters.map(({ filter }) => filter);
    const wrong = filters.find((each) => !known.includes(each));
    if (wrong !== undefined)
      throw new LabError(`there is no exception filter ${short(wrong)}. Use ${known.join(" or ")}`);
    debuggee.setStops("exceptions", [stopsAtExceptions(debuggee.run, filters)]);
  }),

  stackTrace: about(
    z.object({ startFrame: count.default(0), levels: count.default(0) }),
    ({ startFrame, levels }, { frames, run, moment, source }, client) => {
      const page = frames.slice(startFrame, levels === 0 ? undefined : startFrame + levels);
      const stackFrames = page.map(({ activation, function: name }) => ({
        ...{ id: activation + 1, name, column: client.firstColumn, source, canRestart: true },
        line: outLine(run.lineOf(moment, activation), client),
      }));
      return { stackFrames, totalFrames: frames.length };
    },
  ),

  source: about(z.unknown(), (_, { run }) => ({
    content: run.record.source,
    mimeType: "text/x-python",
  })),

  scopes: about(z.object({ frameId: z.int() }), ({ frameId }, debuggee) => {
    const { selected } = debuggee.selecting(frameId);
    const { values, run, moment } = debuggee;
    const activation = frameId - 1;
    const { event, value = null, unwinding } = run.events[moment];
    const isCall = activation !== MODULE;
    const isReturn = isCall && event === "return" && selected === 0 && unwinding !== true;
    const scope = (name: string, presentationHint: string, content: object) => [
      { name, presentationHint, expensive: false, ...content },
    ];
    return {
      scopes: [
        ...(isCall ? scope("Locals", "locals", values.scope(activation)) : []),
        ...scope("Globals", "globals", values.scope(MODULE)),
        ...(isReturn ? scope("Return value", "returnValue", values.single("return value", value)) : []),
      ],
    };
  }),

  variables: about(
    z.object({
      ...{ variablesReference: count, start: count.default(0), count: count.default(0) },
      filter: z.enum(["indexed", "named"]).optional(),
    }),
    (given, { values }) => ({ variables: values.variables(given) }),
  ),

  next: move("next"),
  stepIn: move("step"),
  stepOut: move("return"),
  continue: about(z.unknown(), (_, debuggee) => {
    debuggee.move("continue");
    return { allThreadsContinued: true };
  }),
  stepBack: move("back over"),
  reverseContinue: move("back continue"),

  restartFrame: about(z.object({ frameId: z.int() }), ({ frameId }, debuggee) => {
    debuggee.selecting(frameId);
    debuggee.move(`goto ${debuggee.run.momentsOf(frameId - 1)[0]}`, "restart");
  }),

  gotoTargets: about(z.object({ source: Source, line: z.int() }), ({ source, line }, debuggee, client) => {
    const { run, moment: now } = debuggee;
    const wanted = debuggee.isProgram(source) ? inLine(line, client) : undefined;
    const near = run.events
      .flatMap((event, moment) => (event.event === "line" && event.line === wanted ? [moment] : []))
      .toSorted((a, b) => Math.abs(a - now) - Math.abs(b - now))
      .slice(0, MOST_TARGETS)
      .toSorted((a, b) => a - b);
    const label = (id: number) => `moment ${id}, in ${run.events[id].function}`;
    return { targets: near.map((id) => ({ id, line, label: label(id) })) };
  }),

  /** A target is a moment. */
  goto: about(z.object({ targetId: count }), ({ targetId }, debuggee) => {
    const { length } = debuggee.run;
    if (targetId > length) throw new LabError(`there is no moment ${targetId}; the last is ${length}`);
    debuggee.move(`goto ${targetId}`, "goto");
  }),

  /** Not in the protocol: for the list of moments in the extension. */
  moments: about(
    z.object({ start: count.default(0), count: count.max(1000).default(200) }),
    ({ start, count: most }, { run, session }, client) => {
      const moments = run.events.slice(start, start + most).map(({ event, line, function: name }, i) => ({
        ...{ moment: start + i, event, line: outLine(line, client), function: name },
        ...{ depth: run.stackAt(start + i).depth, source: (run.lines[line - 1] ?? "").trim() },
      }));
      return { moments, total: run.length, current: session.moment };
    },
  ),

  evaluate: about(
    z.object({ expression: z.string(), context: z.string().optional(), ...frame }),
    ({ expression, frameId, context }, debuggee) =>
      context === "repl"
        ? debuggee.console(expression, frameId)
        : debuggee.value(expression, frameId, context === "clipboard" ? undefined : LONGEST_RESULT),
  ),

  completions: about(
    z.object({ text: z.string(), column: z.int(), ...frame }),
    ({ text, column, frameId }, debuggee, client) => {
      const { selected } = debuggee.selecting(frameId);
      const { run, moment, frames } = debuggee;
      const before = text.slice(0, Math.max(0, column - client.firstColumn));
      const word = /[\p{L}_][\p{L}\p{N}_]*$/u.exec(before)?.[0] ?? "";
      const start = before.length - word.length;
      const names = [frames[selected].activation, MODULE].flatMap((each) =>
        Object.keys(run.locals(moment, each)),
      );
      const usable = commands.flatMap(({ name, summary }) => (summary === "" ? [] : [name]));
      const found = (type: string, labels: Iterable<string>) =>
        [...labels].flatMap((label) =>
          label.startsWith(word) ? [{ label, type, start, length: word.length }] : [],
        );
      const isFirst = before.slice(0, start).trim() === "";
      return {
        targets: [...found("variable", new Set(names)), ...(isFirst ? found("keyword", usable) : [])],
      };
    },
  ),

  exceptionInfo: about(z.unknown(), (_, { run, session: { moment } }) => {
    const uncaught = uncaughtMoment(run);
    const at = moment >= run.length ? uncaught : moment;
    const { exception } = (at !== undefined && run.events[at]) || {};
    if (exception === undefined) throw new LabError("no exception is raised at this moment");
    const { type, message } = exception;
    return {
      ...{ exceptionId: type, description: message, breakMode: at === uncaught ? "unhandled" : "always" },
      details: { typeName: type, message },
    };
  }),

  setVariable: refuse(unchangeable),
  setExpression: refuse(unchangeable),
  pause: refuse("nothing is running: the adapter moves through a recording"),
  terminate: request(z.unknown(), (_, { emit }) => emit("terminated")),
  disconnect: request(z.unknown(), () => undefined),
};
