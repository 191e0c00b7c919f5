/** @file MCP tools over programs: their trace, a debug session in both directions, the origin of a value, claims about the state. */

import { z } from "zod";
import { LabError } from "../../core/error.ts";
import { readTranscripts } from "../../eval/transcripts/index.ts";
import {
  commands,
  execute,
  firstStop,
  openRecording,
  type Reply,
  renderReply,
  type Session,
} from "../../python/debugger/index.ts";
import { changes } from "../../python/trace/render.ts";
import { pythonLiteral } from "../../python/values/repr.ts";
import { diagnosisText, onsetWords } from "../../report/diagnosis.ts";
import { type HistoryRecord, parseHistory } from "../../schemas/execution-trace.ts";
import type { TraceRecord } from "../../schemas/trace.ts";
import {
  type ClaimPlace,
  type Diagnosis,
  JudgedClaim,
  type TranscriptStep,
} from "../../schemas/transcript.ts";
import { parseJson } from "../../storage/index.ts";
import { diagnosedBy, diagnoseTranscripts, openTranscripts } from "../diagnose/diagnose.ts";
import { traceCall } from "../trace/call.ts";
import { type McpOptions, Program, pathBelow, programIn, record } from "./programs.ts";
import type { Recordings } from "./recordings.ts";
import { defineTool } from "./tool.ts";

const MOST_COMMANDS = 20;
/** Frames of a deep stack, innermost first. */
const MOST_FRAMES = 10;
const MOST_ERRORS = 10;

const count = z.int().min(0);
const session = z.string().describe("session of debug_open");
const moment = count.optional().describe("a moment of the recording [the current one]");

const Position = {
  session: z.string(),
  moment: count.describe("number of the event"),
  moments: count,
  event: z.enum(["call", "line", "return", "exception"]),
  function: z.string(),
  line: count,
  source: z.string(),
  value: z.string().optional().describe("of a return"),
  exception: z.string().optional(),
  ended: z.string().optional().describe("how the run ended, at its last moment"),
};

function position(name: string, at: Session) {
  const { moment: now, moments, event, function: by, line, source, value, exception, ended } = firstStop(at);
  return { session: name, moment: now, moments, event, function: by, line, source, value, exception, ended };
}

/** A reply to one command. @throws LabError for a refusal */
function ask<Kind extends Reply["kind"]>(at: Session, command: string, kind: Kind) {
  const { reply } = execute(at, command);
  if (reply.kind === "refused") throw new LabError(`${command}: ${reply.words}`);
  if (reply.kind !== kind) throw new Error(`${command} gave ${reply.kind}`);
  return reply as Extract<Reply, { readonly kind: Kind }>;
}

function goTo(at: Session, to: number | undefined): Session {
  if (to === undefined) return at;
  const { session: moved, reply } = execute(at, `goto ${to}`);
  if (reply.kind === "refused") throw new LabError(`moment: ${reply.words}`);
  return moved;
}

export function debuggerTools(options: McpOptions, recordings: Recordings) {
  const historyOf = async (
    given: Program & { readonly session?: string | undefined },
    signal: AbortSignal,
  ) =>
    given.session === undefined
      ? await record(options, given, signal)
      : recordings.open(given.session).run.record;

  /** Of the last call: its pages need no further run. */
  let last: { readonly key: string; readonly trace: TraceRecord } | undefined;

  return {
    trace_call: defineTool({
      title: "Trace a Python call",
      description:
        "Runs a Python call in a sandbox and returns the straight-line program that ran: each line with the variables that it changed.",
      input: Program,
      output: {
        call: z.string(),
        result: z.string().nullable().describe("Python literal"),
        verified: z.boolean().describe("the trace gave the same states and result when run"),
        reason: z.string().nullable().describe("why the trace ends early"),
        printed: z.string(),
        lines: z.array(
          z.strictObject({
            line: z.int().nullable().describe("line of the source; null if the tracer added it"),
            code: z.string(),
            changes: z.string().describe("new values"),
          }),
        ),
      },
      isList: true,
      async run(given, signal) {
        const { host, wallSeconds, maximumSteps } = options;
        const program = programIn(options, given);
        const key = JSON.stringify(program);
        const traced =
          last?.key === key
            ? last.trace
            : await traceCall({ ...program, host, wallSeconds, maximumSteps, signal });
        last = { key, trace: traced };
        const lines = traced.lines.map(({ line, code, state }, i) => {
          const { set, gone } = changes(traced.lines[i - 1]?.state ?? null, state);
          const words = [
            ...set.map(([name, value]) => `${name} = ${value}`),
            ...gone.map((name) => `${name} gone`),
          ];
          return { line, code, changes: words.join("; ") };
        });
        const { call, literal, proven, reason, output = "" } = traced;
        return {
          structured: { call, result: literal, verified: proven, reason, printed: output, lines },
          text: `${call} ${reason === null ? `returns ${literal ?? "a value without a literal"}` : `ends early: ${reason}`}`,
          list: {
            name: "lines",
            lines: lines.map(
              (each) => `${each.line ?? "-"}  ${each.code}${each.changes && `  # ${each.changes}`}`,
            ),
          },
        };
      },
    }),

    debug_open: defineTool({
      title: "Record a run and open it in the debugger",
      description:
        "Runs a Python call once in a sandbox, records it and opens a debug session, or opens a recording. The answer names the file: statelab debug FILE opens it for a person. at: end starts at the end, where a failed assertion is.",
      input: {
        ...Program,
        recording: z.string().optional().describe("a recording below the root folder, instead of a program"),
        at: z.enum(["start", "end"]).default("start"),
      },
      output: {
        ...Position,
        file: z.string().describe("the recording"),
        call: z.string(),
        result: z.string().nullable().describe("Python literal"),
        reason: z.string().nullable().describe("why the run has no result: an exception, a limit"),
        printed: z.string(),
      },
      writes: true,
      async run({ recording, at: end, ...program }, signal) {
        let history: HistoryRecord;
        if (recording === undefined) history = await record(options, program, signal);
        else if (Object.values(program).some((each) => each !== undefined && typeof each === "string"))
          throw new LabError(
            "arguments: recording cannot be combined with source, file or call. Leave them out",
          );
        else {
          const file = pathBelow(options.root, recording, "file");
          history = parseHistory(parseJson(options.read(file), recording), recording);
        }
        const name = await recordings.add(history);
        const opened = execute(recordings.open(name), end).session;
        recordings.moveTo(name, opened);
        const { call, reason, output } = history;
        const result = reason === null ? pythonLiteral(history.result) : null;
        const [file, at] = [recordings.file(name), position(name, opened)];
        const how = reason === null ? `returns ${result}` : `ends early: ${reason.trim().replace(/:$/, "")}`;
        const place = `stopped at moment ${at.moment} of ${at.moments}, line ${at.line} of ${at.function}: ${at.source.trim()}`;
        return {
          structured: { ...at, file, call, result, reason, printed: output },
          text: `session ${name}, saved as ${file}\n${call} ${how}\n${place}`,
        };
      },
    }),

    debug_step: defineTool({
      title: "Move in a debug session, forwards or backwards",
      description: `Carries out debugger commands in order, at most ${MOST_COMMANDS}. The session stays where the last one stops. Commands: ${commands
        .filter(({ summary }) => summary !== "")
        .map(({ usage, summary }) => `${usage} (${summary})`)
        .join("; ")}.`,
      input: {
        session,
        commands: z
          .array(z.string().min(1).max(1000))
          .min(1)
          .max(MOST_COMMANDS)
          .describe('such as ["continue total > 3", "back over"]'),
      },
      output: {
        ...Position,
        replies: z.array(
          z.strictObject({
            command: z.string(),
            kind: z.string().describe("stop, value, refused and others"),
            text: z.string(),
          }),
        ),
      },
      isList: true,
      async run({ session: name, commands: given }) {
        let at = recordings.open(name);
        const replies = given.map((command) => {
          const done = execute(at, command);
          if (done.reply.kind !== "refused") at = done.session;
          return { command, kind: done.reply.kind, text: renderReply(done.reply) };
        });
        recordings.moveTo(name, at);
        return {
          structured: { ...position(name, at), replies },
          text: "",
          list: { name: "replies", lines: replies.map(({ command, text }) => `(debug) ${command}\n${text}`) },
        };
      },
    }),

    debug_state: defineTool({
      title: "Show the state at a moment",
      description:
        "Returns the stack, the local variables and the variables of the module at a moment of a session.",
      input: { session, moment },
      output: {
        ...Position,
        depth: count.describe("active calls"),
        stack: z
          .array(z.strictObject({ function: z.string(), line: count, source: z.string() }))
          .describe(`innermost first, at most ${MOST_FRAMES}`),
        variables: z.array(
          z.strictObject({ scope: z.enum(["local", "module"]), name: z.string(), value: z.string() }),
        ),
      },
      isList: true,
      async run({ session: name, moment: to }) {
        const at = goTo(recordings.open(name), to);
        const { frames } = ask(at, "where", "stack");
        const stack = frames
          .toReversed()
          .map(({ function: each, line, source }) => ({ function: each, line, source }));
        const scope = (command: string, of: "local" | "module") =>
          Object.entries(ask(at, command, "variables").variables).map(([each, value]) => ({
            ...{ scope: of, name: each, value },
          }));
        const isModule = ask(at, "locals", "variables").of === "<module>";
        const variables = [...(isModule ? [] : scope("locals", "local")), ...scope("globals", "module")];
        return {
          structured: {
            ...{ ...position(name, at), depth: stack.length, stack: stack.slice(0, MOST_FRAMES) },
            variables,
          },
          text: renderReply({ kind: "stack", frames: frames.slice(-MOST_FRAMES) }),
          list: {
            name: "variables",
            lines: variables.map((each) => `${each.scope} ${each.name} = ${each.value}`),
          },
        };
      },
    }),

    where_from: defineTool({
      title: "Find the origin of a value",
      description:
        "Returns which line set a variable's value and, for several steps back, where the values came from that this line read. With every, each assignment and change of the variable instead.",
      input: {
        session,
        name: z.string().describe("a variable of the current call or of the module"),
        moment,
        steps: z.int().min(1).max(20).default(5).describe("how far back"),
        every: z.boolean().default(false).describe("every write of the variable"),
      },
      output: {
        session: z.string(),
        name: z.string(),
        origins: z.array(
          z.strictObject({
            level: count.describe("0 for the value itself, 1 for what its line read"),
            name: z.string(),
            value: z.string().nullable().describe("null: deleted"),
            kind: z.enum(["bound", "changed", "argument", "returned", "unbound"]),
            moment: count,
            function: z.string().describe("empty for the call itself"),
            line: count,
            source: z.string(),
          }),
        ),
      },
      isList: true,
      async run({ session: id, name, moment: to, steps, every }) {
        const at = goTo(recordings.open(id), to);
        const found = every
          ? ask(at, `writes ${name}`, "writes").writes.map((write) => ({
              ...write,
              level: 0,
              name,
              value: write.after,
            }))
          : flattened(ask(at, `whence ${name} ${steps}`, "origin").origin, 0);
        const origins = found.map(
          ({ level, name: each, value, kind, moment: when, function: by, line, source }) => ({
            ...{ level, name: each, value, kind, moment: when, function: by, line, source },
          }),
        );
        return {
          structured: { session: id, name, origins },
          text: "",
          list: {
            name: "origins",
            lines: origins.map(({ level, value, kind, line, source, ...each }) => {
              const place = each.function === "" ? "the call" : `line ${line} of ${each.function}`;
              return `${"  ".repeat(level)}${each.name} = ${value}  ${kind} by ${place}, moment ${each.moment}: ${source}`;
            }),
          },
        };
      },
    }),

    find_first_error: defineTool({
      title: "Find where a transcript loses the state",
      description:
        "Compares a transcript about a program's state (a chat, a step-by-step account) with the true run. Returns the first step after which its stated state stays wrong. Files of llm eval and agent bring their program.",
      input: {
        transcript: text("the transcript: a chat in JSON or Markdown, or plain text"),
        transcriptFile: text("a transcript below the root folder, instead of transcript"),
        only: z.string().optional().describe("the transcript of the file with this name"),
        session: session.optional(),
        ...Program,
      },
      output: {
        transcripts: z.array(
          z.strictObject({
            name: z.string(),
            summary: z.string(),
            step: count.nullable().describe("where the state is lost; null if it is kept"),
            says: z.string().describe("the text of that step"),
            state: z.string().describe("the true state there"),
            claims: count.describe("claims about the state"),
            errors: z.array(JudgedClaim).describe(`wrong claims, at most ${MOST_ERRORS}`),
          }),
        ),
      },
      isList: true,
      async run({ transcript, transcriptFile, only, ...program }, signal) {
        if ((transcript === undefined) === (transcriptFile === undefined))
          throw new LabError("arguments: give either transcript or transcriptFile");
        const all =
          transcript === undefined
            ? openTranscripts(pathBelow(options.root, transcriptFile as string, "file")) // one is given
            : transcriptsIn(transcript);
        const chosen = all.filter((each) => only === undefined || each.transcript.name === only);
        if (chosen.length === 0) throw new LabError(`only: no transcript has the name ${only}`);
        const isGiven = [program.session, program.source, program.file].some((each) => each !== undefined);
        const known = isGiven ? await historyOf(program, signal) : undefined;
        const found: Diagnosis[] = [];
        for (const read of chosen)
          found.push(
            known !== undefined
              ? diagnosedBy(read.transcript, known)
              : await diagnoseTranscripts(read, (source, call) => record(options, { source, call }, signal)),
          );
        if (found.every(({ truth }) => truth === "none"))
          throw new LabError(
            "arguments: the true state is unknown. Give source or file, and call, or a session",
          );
        return {
          structured: { transcripts: found.map(onsetFields) },
          text: "",
          list: { name: "transcripts", lines: found.map(diagnosisText) },
        };
      },
    }),

    check_claim: defineTool({
      title: "Check a claim about a program's state",
      description:
        "Says whether a claim about a variable is true, false or unknown, and at which moment. Give statement, such as 'After line 5, total = 3', or name and value. Without a place, a claim is true if the value occurs at some moment. name: return is the result.",
      input: {
        session: session.optional(),
        ...Program,
        statement: text("the claim in words"),
        name: z.string().min(1).max(200).optional(),
        value: z.string().min(1).max(10_000).optional().describe("Python literal"),
        line: z.int().positive().optional().describe("the claim is about a run of this line"),
        time: z.int().positive().optional().describe("the n-th run of the line"),
        moment: count.optional(),
        end: z.boolean().optional().describe("the claim is about the end of the call"),
      },
      output: {
        verdict: z.enum(["true", "false", "unknown"]),
        claims: z.array(
          z.strictObject({
            name: z.string(),
            value: z.string().describe("as claimed"),
            verdict: z.enum(["true", "false", "unknown"]),
            truth: z.string().nullable().describe("the true value at the moment"),
            moment: count.nullable(),
            line: count.nullable(),
          }),
        ),
      },
      isList: true,
      async run({ statement, name, value, line, time, moment: at, end, ...program }, signal) {
        const isPair = name !== undefined && value !== undefined;
        if ((statement === undefined) !== isPair)
          throw new LabError("arguments: give either statement, or name and value");
        const history = await historyOf(program, signal);
        const { events } = openRecording(history);
        const place = { line, time, moment: at, ...(end && { end: true as const }) };
        const transcript = isPair
          ? claiming(name, value, place)
          : transcriptsIn(speech(statement as string))[0].transcript;
        const words = { right: "true", wrong: "false", unknown: "unknown", unreadable: "unknown" } as const;
        const claims = diagnosedBy(transcript, history).claims.map((claim) => ({
          ...{ name: claim.name, value: claim.value, verdict: words[claim.verdict], truth: claim.truth },
          ...{ moment: claim.moment, line: claim.moment === null ? null : events[claim.moment].line },
        }));
        const has = (verdict: string) => claims.some((claim) => claim.verdict === verdict);
        const verdict = has("false") ? "false" : claims.length === 0 || has("unknown") ? "unknown" : "true";
        const none = "no claim about a variable was found; give name and value";
        return {
          structured: { verdict, claims },
          text: claims.length === 0 ? `${verdict}: ${none}` : verdict,
          list: {
            name: "claims",
            lines: claims.map((claim) => {
              const there = claim.moment === null ? "" : ` at moment ${claim.moment}, line ${claim.line}`;
              return `${claim.name} = ${claim.value}: ${claim.verdict}${claim.truth === null ? "" : `; true value ${claim.truth}`}${there}`;
            }),
          },
        };
      },
    }),
  };
}

const text = (description: string) =>
  z
    .string()
    .min(1)
    .max(2 ** 20)
    .optional()
    .describe(description);

type Flat = Omit<Extract<Reply, { kind: "origin" }>["origin"], "from" | "changed" | "kind"> & {
  readonly level: number;
  readonly kind: string;
};

/** An origin and what it was made of, depth first; a later change of the object comes before its binding. */
function flattened(origin: Extract<Reply, { kind: "origin" }>["origin"], level: number): Flat[] {
  const { from, changed, ...own } = origin;
  return [
    ...(changed === undefined ? [] : [{ ...own, ...changed, kind: "changed", level }]),
    { ...own, level },
    ...from.flatMap((part) => flattened(part, level + 1)),
  ];
}

const speech = (words: string) => `## Assistant\n\n${words}`;

/** Plain text is what the model said. */
function transcriptsIn(given: string) {
  try {
    return readTranscripts(given, "transcript");
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    return readTranscripts(speech(given), "transcript");
  }
}

function claiming(
  name: string,
  value: string,
  place: { [K in keyof ClaimPlace]: ClaimPlace[K] | undefined },
) {
  const known = Object.fromEntries(Object.entries(place).filter(([, each]) => each !== undefined));
  const step: TranscriptStep = {
    ...{ index: 0, message: 0, role: "said", text: "", effect: "changes", under: null },
    claims: [{ name, value, place: Object.keys(known).length === 0 ? null : known }],
  };
  return { format: "markdown" as const, name: "", steps: [step] };
}

function onsetFields(diagnosis: Diagnosis) {
  const { transcript, onset, claims } = diagnosis;
  const wrong = claims.filter(({ verdict }) => verdict === "wrong");
  return {
    name: transcript.name,
    summary: onsetWords(diagnosis),
    step: onset?.step ?? null,
    says: onset === null ? "" : transcript.steps[onset.step].text,
    state: Object.entries(onset?.state ?? {})
      .map(([name, value]) => `${name} = ${value}`)
      .join(", "),
    claims: claims.length,
    errors: wrong.slice(0, MOST_ERRORS),
  };
}
