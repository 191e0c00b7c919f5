/**
 * @file A debugging session as a state machine: a command and a session give a reply and the session after it. No input, no output:
 * a terminal, a page or a model drives it.
 *
 *     const session = openSession(openRecording(record));
 *     execute(session, "next")     { session, reply: { kind: "stop", moment: 8, line: 3, ... } }
 *
 * The commands are one entry each, with the name that it has in `pdb`, where pdb has it; those that go back are ours. To add a command:
 * one entry. `run` gives the session after it and a reply; render.ts has the words of each kind of reply.
 */

import { nearest } from "../../core/did-you-mean.ts";
import { isWhole } from "../../schemas/python-value.ts";
import { EvaluationError } from "../values/value.ts";
import {
  changeBreakpoints,
  clearBreakpoints,
  listBreakpoints,
  setBreakpoint,
  setCondition,
} from "./breakpoints.ts";
import { findProvenance, lastWrite, listWrites, sharingsAt, textAt } from "./provenance.ts";
import { evaluate, expressionProblem, fields, isName, shownDisplays } from "./queries.ts";
import { type Frame, frameStack, MODULE } from "./recording.ts";
import {
  currentEvent,
  type Executed,
  type Reply,
  refused,
  replied,
  type Session,
  selectedFrame,
} from "./session.ts";
import { forwardTo, goTo, moveBack, moveForward } from "./step-commands.ts";

export interface DebuggerCommand {
  readonly name: string;
  readonly also: readonly string[];
  readonly usage: string;
  readonly summary: string;
  run(session: Session, argument: string): Executed;
}

/** A command that takes nothing. */
function bare(run: (session: Session) => Executed): DebuggerCommand["run"] {
  return (session, argument) =>
    argument === "" ? run(session) : refused(session, `expected no argument, got ${argument}`);
}

/** A query about a value; its errors are Python's. */
function asking(run: (session: Session, argument: string) => Reply): DebuggerCommand["run"] {
  return (session, argument) => {
    try {
      return replied(session, run(session, argument));
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      return refused(session, `${error.type}: ${error.message}`);
    }
  };
}

/** The number after a command. */
function counted(argument: string, least: number): number | undefined {
  if (argument === "") return least;
  return /^\d{1,9}$/.test(argument) && Number(argument) >= least ? Number(argument) : undefined;
}

function select(session: Session, by: number): Executed {
  const frames = frameStack(session.run.stackAt(currentEvent(session)));
  const selected = session.selected + by;
  if (selected < 0) return refused(session, "this is the newest call");
  if (selected >= frames.length) return refused(session, "this is the oldest call");
  const moved = { ...session, selected, listed: undefined };
  return replied(moved, stackOf(moved));
}

function stackOf(session: Session): Reply {
  const { run, selected } = session;
  const moment = currentEvent(session);
  const frames = frameStack(run.stackAt(moment)).map((frame, i) => {
    const line = run.lineOf(moment, frame.activation);
    return { function: frame.function, line, source: textAt(run, line), selected: i === selected };
  });
  return { kind: "stack", frames: frames.toReversed() };
}

function variablesOf(session: Session, activation: number, of: string, only?: readonly string[]): Reply {
  const all = session.run.localLiterals(currentEvent(session), activation);
  const shown = only?.filter((name) => Object.hasOwn(all, name)) ?? Object.keys(all);
  return { kind: "variables", of, variables: Object.fromEntries(shown.map((name) => [name, all[name]])) };
}

function argumentsOf(session: Session): Reply {
  const { activation, function: name } = selectedFrame(session);
  const [first = 0] = session.run.momentsOf(activation);
  return variablesOf(session, activation, name, Object.keys(session.run.locals(first, activation)));
}

function listing(session: Session, argument: string): Executed {
  const { run } = session;
  const current = run.lineOf(currentEvent(session), selectedFrame(session).activation);
  const found = /^(?:\.|(\d+)(?:\s*,\s*(\d+))?)?$/.exec(argument);
  if (found === null)
    return refused(session, `expected list, list FIRST or list FIRST, LAST, got ${argument}`);
  const given = found[1] === undefined ? undefined : Number(found[1]);
  const goesOn = argument === "" ? session.listed : undefined;
  const first = Math.max(
    1,
    goesOn ?? (given === undefined || found[2] !== undefined ? (given ?? current - 5) : given - 5),
  );
  // as in pdb, a smaller second number is a count
  const end = found[2] === undefined ? first + 10 : Number(found[2]);
  const last = Math.min(run.lines.length, end < first ? first + end : end);
  if (first > run.lines.length) return refused(session, `the source ends at line ${run.lines.length}`);
  return replied({ ...session, listed: last + 1 }, linesOf(session, first, last, current));
}

function linesOf({ run, breakpoints }: Session, first: number, last: number, current: number): Reply {
  const lines = Array.from({ length: last - first + 1 }, (_, i) => ({
    line: first + i,
    text: run.lines[first + i - 1],
    current: first + i === current,
    breakpoint: breakpoints.some(({ line }) => line === first + i),
  }));
  return { kind: "listing", lines };
}

function display(session: Session, argument: string): Executed {
  if (argument === "") return replied(session, { kind: "displays", displays: shownDisplays(session) });
  const problem = expressionProblem(argument);
  if (problem !== undefined) return refused(session, problem);
  const displays = session.displays.includes(argument) ? session.displays : [...session.displays, argument];
  const shown = shownDisplays({ ...session, displays: [argument] });
  return replied({ ...session, displays }, { kind: "displays", displays: shown });
}

function undisplay(session: Session, argument: string): Executed {
  if (argument === "") return replied({ ...session, displays: [] }, { kind: "said", words: "no displays" });
  if (!session.displays.includes(argument)) return refused(session, `${argument} is not displayed`);
  const displays = session.displays.filter((each) => each !== argument);
  return replied({ ...session, displays }, { kind: "said", words: `${argument} is no longer displayed` });
}

/** The key of a variable in the selected call. */
function named(session: Session, name: string): string | Executed {
  if (!isName(name)) {
    const [, container] = /^([A-Za-z_]\w*)[[.]/.exec(name) ?? [];
    const hint = container === undefined ? "" : `; writes ${container} lists each change of it`;
    return refused(session, `expected a name, got ${name || "nothing"}${hint}`);
  }
  const key = session.run.keyOf(currentEvent(session), selectedFrame(session).activation, name);
  return key ?? refused(session, `NameError: name '${name}' is not defined here`);
}

function whence(session: Session, argument: string): Executed {
  const [name = "", levels = "1"] = argument.split(/\s+/);
  if (!/^[1-9]\d?$/.test(levels))
    return refused(session, `expected a number of steps from 1 to 99, got ${levels}`);
  const key = named(session, name);
  if (typeof key !== "string") return key;
  const origin = findProvenance(
    session.run,
    currentEvent(session),
    selectedFrame(session),
    name,
    Number(levels),
  );
  return origin === undefined
    ? refused(session, `${name} got its value before the recording`)
    : replied(session, { kind: "origin", origin });
}

function changed(session: Session, name: string, all: boolean): Executed {
  const now = named(session, name);
  const key = typeof now === "string" ? now : session.run.keyEver(selectedFrame(session).activation, name);
  if (key === undefined) return now as Executed;
  const moment = currentEvent(session);
  const last = lastWrite(session.run, key, moment);
  // a name that was bound to the value that it had did not change
  const real = listWrites(session.run, key).findLast(
    (each) => each.moment <= moment && each.before !== each.after,
  );
  const found = all
    ? listWrites(session.run, key)
    : real !== undefined
      ? [real]
      : last !== undefined
        ? [last]
        : [];
  if (found.length === 0) return refused(session, `NameError: name '${name}' has no value yet`);
  const writes = found.map(({ by, began: _, ...write }) => ({
    ...write,
    function: by?.function ?? "",
    source: write.line === 0 ? session.run.record.call : textAt(session.run, write.line),
  }));
  const partial = !isWhole(session.run.valueOf(moment, key) ?? null);
  return replied(session, { kind: "writes", name, writes, partial });
}

function aliases(session: Session, name: string): Executed {
  const all = sharingsAt(session.run, currentEvent(session));
  if (name === "") return replied(session, { kind: "aliases", aliases: all });
  const key = named(session, name);
  if (typeof key !== "string") return key;
  const own = `${key.slice(key.indexOf(".") + 1)}`;
  const activation = Number(key.slice(0, key.indexOf(".")));
  const found = all.filter(({ places }) =>
    places.some((place) => place.activation === activation && fields(place.path)[0] === own),
  );
  return replied(session, { kind: "aliases", aliases: found });
}

function help(session: Session, argument: string): Executed {
  const found = commands.find((each) => each.name === argument || each.also.includes(argument));
  if (argument !== "" && found === undefined)
    return refused(session, `no command ${argument}; help lists them`);
  const shown = found === undefined ? commands.filter(({ summary }) => summary !== "") : [found];
  const width = Math.max(...shown.map(({ usage }) => usage.length));
  const words = shown.map(({ usage, summary, also }) => {
    const others = also.length === 0 ? "" : ` (${also.join(", ")})`;
    return `${usage.padEnd(width)}  ${summary || "not available in a recording"}${others}`;
  });
  return replied(session, { kind: "said", words: words.join("\n") });
}

/** A command of pdb that a recorded run cannot support. */
function impossible(name: string, also: readonly string[], why: string): DebuggerCommand {
  return { name, also, usage: name, summary: "", run: (session) => refused(session, why) };
}

const frameMove =
  (kind: "next" | "return"): DebuggerCommand["run"] =>
  (session) =>
    moveForward(session, { kind, frame: selectedFrame(session) });

function until(session: Session, argument: string): Executed {
  const frame: Frame = selectedFrame(session);
  const line = session.run.lineOf(currentEvent(session), frame.activation);
  if (argument === "") return moveForward(session, { kind: "until", frame, line: line + 1 });
  if (!/^\d+$/.test(argument)) return forwardTo(session, argument, frame);
  if (Number(argument) <= line && session.moment < session.run.length)
    return refused(session, `expected a line below the current one, ${line}, got ${argument}; back goes up`);
  return moveForward(session, { kind: "until", frame, line: Number(argument) });
}

function backwards(session: Session, argument: string): Executed {
  const [, way, rest] = /^(over|out|continue)?\s*([\s\S]*)$/.exec(argument) ?? [];
  if (way === "over" || way === "out")
    return rest === ""
      ? moveBack(session, way)
      : refused(session, `expected back ${way}, got back ${argument}`);
  if (way === "continue") return moveBack(session, "continue", rest);
  const times = counted(argument, 1);
  if (times === undefined)
    return refused(session, `expected back, back N, back over, back out or back continue, got ${argument}`);
  return times === 1 ? moveBack(session, "back") : goTo(session, Math.max(0, session.moment - times));
}

export const commands: readonly DebuggerCommand[] = [
  {
    name: "step",
    also: ["s"],
    usage: "step",
    summary: "go to the next line, call, return or exception, into calls",
    run: bare((session) => moveForward(session, { kind: "step" })),
  },
  {
    name: "next",
    also: ["n"],
    usage: "next",
    summary: "go to the next line of this call, over its calls",
    run: bare((session) => frameMove("next")(session, "")),
  },
  {
    name: "return",
    also: ["r"],
    usage: "return",
    summary: "go to the return of this call",
    run: bare((session) => frameMove("return")(session, "")),
  },
  {
    name: "until",
    also: ["unt"],
    usage: "until [LINE|CONDITION]",
    summary: "go to a later line, or until the condition holds, at most to the return",
    run: until,
  },
  {
    name: "continue",
    also: ["c", "cont"],
    usage: "continue [LINE|CONDITION]",
    summary: "go to the next breakpoint, a line, or until the condition holds",
    run: (session, argument) =>
      argument === "" ? moveForward(session, { kind: "continue" }) : forwardTo(session, argument),
  },
  {
    name: "back",
    also: ["bk"],
    usage: "back [N]",
    summary: "go back one event, or N, into calls",
    run: backwards,
  },
  {
    name: "backover",
    also: ["back-over", "bn"],
    usage: "back over",
    summary: "go to the previous line of this call, over its calls",
    run: bare((session) => moveBack(session, "over")),
  },
  {
    name: "backout",
    also: ["back-out", "br"],
    usage: "back out",
    summary: "go to the start of this call, or from there to its caller",
    run: bare((session) => moveBack(session, "out")),
  },
  {
    name: "backcontinue",
    also: ["back-continue", "bc"],
    usage: "back continue [LINE|CONDITION]",
    summary: "go to the previous breakpoint, a line, or where the condition last held",
    run: (session, argument) => moveBack(session, "continue", argument),
  },
  {
    name: "start",
    also: ["run", "restart"],
    usage: "start",
    summary: "go to the start of the run",
    run: bare((session) => goTo(session, Math.min(session.run.record.began, session.run.length - 1))),
  },
  {
    name: "end",
    also: [],
    usage: "end",
    summary: "go to the end of the run",
    run: bare((session) => goTo(session, session.run.length)),
  },
  {
    name: "goto",
    also: ["g"],
    usage: "goto MOMENT",
    summary: "go to a moment by its number",
    run: (session, argument) =>
      /^\d{1,9}$/.test(argument) && Number(argument) <= session.run.length
        ? goTo(session, Number(argument))
        : refused(session, `expected a moment, 0 to ${session.run.length}, got ${argument || "nothing"}`),
  },
  {
    name: "where",
    also: ["w", "bt", "stack"],
    usage: "where",
    summary: "print the active calls, the newest last",
    run: bare((session) => replied(session, stackOf(session))),
  },
  {
    name: "up",
    also: ["u"],
    usage: "up [N]",
    summary: "select the caller",
    run: (session, argument) => select(session, counted(argument, 1) ?? 1),
  },
  {
    name: "down",
    also: ["d"],
    usage: "down [N]",
    summary: "select the callee",
    run: (session, argument) => select(session, -(counted(argument, 1) ?? 1)),
  },
  {
    name: "list",
    also: ["l"],
    usage: "list [FIRST[, LAST]]",
    summary: "print the source around the line, or some lines",
    run: listing,
  },
  {
    name: "longlist",
    also: ["ll"],
    usage: "longlist",
    summary: "print the whole source",
    run: bare((session) =>
      replied(
        session,
        linesOf(
          session,
          1,
          session.run.lines.length,
          session.run.lineOf(currentEvent(session), selectedFrame(session).activation),
        ),
      ),
    ),
  },
  {
    name: "args",
    also: ["a"],
    usage: "args",
    summary: "print the current parameters of this call",
    run: bare((session) => replied(session, argumentsOf(session))),
  },
  {
    name: "locals",
    also: [],
    usage: "locals",
    summary: "print the variables of this call",
    run: bare((session) =>
      replied(
        session,
        variablesOf(session, selectedFrame(session).activation, selectedFrame(session).function),
      ),
    ),
  },
  {
    name: "globals",
    also: [],
    usage: "globals",
    summary: "print the variables of the module",
    run: bare((session) => replied(session, variablesOf(session, MODULE, "<module>"))),
  },
  {
    name: "print",
    also: ["p", "pp"],
    usage: "print EXPRESSION",
    summary: "print the value of an expression",
    run: asking((session, argument) => {
      const { text, type } = evaluate(session, argument);
      return { kind: "value", expression: argument, value: text, type };
    }),
  },
  {
    name: "whatis",
    also: [],
    usage: "whatis EXPRESSION",
    summary: "print the type of an expression",
    run: asking((session, argument) => ({ kind: "said", words: evaluate(session, argument).type })),
  },
  {
    name: "display",
    also: ["watch"],
    usage: "display [EXPRESSION]",
    summary: "show an expression at every stop",
    run: display,
  },
  {
    name: "undisplay",
    also: ["unwatch"],
    usage: "undisplay [EXPRESSION]",
    summary: "stop showing an expression, or all",
    run: undisplay,
  },
  {
    name: "break",
    also: ["b"],
    usage: "break [LINE|FUNCTION[, CONDITION]]",
    summary: "set a breakpoint, or list all",
    run: (session, argument) =>
      argument === "" ? replied(session, listBreakpoints(session)) : setBreakpoint(session, argument, false),
  },
  {
    name: "tbreak",
    also: [],
    usage: "tbreak LINE|FUNCTION[, CONDITION]",
    summary: "set a breakpoint that stops once",
    run: (session, argument) => setBreakpoint(session, argument, true),
  },
  {
    name: "condition",
    also: [],
    usage: "condition NUMBER [CONDITION]",
    summary: "change or remove the condition of a breakpoint",
    run: setCondition,
  },
  {
    name: "clear",
    also: ["cl"],
    usage: "clear [NUMBER ...]",
    summary: "delete breakpoints, or all",
    run: clearBreakpoints,
  },
  {
    name: "disable",
    also: [],
    usage: "disable NUMBER ...",
    summary: "disable breakpoints",
    run: (session, argument) => changeBreakpoints(session, argument, false),
  },
  {
    name: "enable",
    also: [],
    usage: "enable NUMBER ...",
    summary: "enable breakpoints",
    run: (session, argument) => changeBreakpoints(session, argument, true),
  },
  {
    name: "whence",
    also: ["origin"],
    usage: "whence NAME [STEPS]",
    summary: "print which line set the value, and the values that it read",
    run: whence,
  },
  {
    name: "changed",
    also: [],
    usage: "changed NAME",
    summary: "print the last change of a value",
    run: (session, argument) => changed(session, argument, false),
  },
  {
    name: "writes",
    also: [],
    usage: "writes NAME",
    summary: "print every assignment and change of a value",
    run: (session, argument) => changed(session, argument, true),
  },
  {
    name: "aliases",
    also: [],
    usage: "aliases [NAME]",
    summary: "print names and places that share one object",
    run: aliases,
  },
  { name: "help", also: ["h", "?"], usage: "help [COMMAND]", summary: "list the commands", run: help },
  {
    name: "quit",
    also: ["q", "exit"],
    usage: "quit",
    summary: "leave",
    run: bare((session) => replied(session, { kind: "quit" })),
  },
  impossible("jump", ["j"], "a recording has no jump; use goto MOMENT or back"),
  impossible("interact", [], "a recording has no interpreter; use print EXPRESSION"),
  impossible("!", [], "a recording runs no statements; use print EXPRESSION"),
];

/** Carries out one command. A mistake is a reply of kind `refused`, and nothing is lost. */
export function execute(session: Session, line: string): Executed {
  const [, word, argument] = /^\s*([A-Za-z-]+|[?!])?\s*([\s\S]*?)\s*$/.exec(line) ?? [];
  const refuse = (words: string) => refused(session, words);
  if (word === undefined)
    return refuse(`expected a command, got ${line.trim().slice(0, 40) || "nothing"}; help lists them`);
  const name = word.toLowerCase();
  const command = commands.find((each) => each.name === name || each.also.includes(name));
  if (command === undefined) {
    const close = nearest(
      name,
      commands.map((each) => each.name),
    );
    return refuse(
      `no command ${name}; ${close === undefined ? "help lists them" : `did you mean ${close}?`}`,
    );
  }
  return command.run(session, argument);
}

/** The commands of a line or a file: separated by `;` (pdb's `;;` too) or line ends outside of quotes and brackets; `#` begins a comment. */
export function commandsIn(text: string): string[] {
  const found: string[] = [];
  let [depth, quote, start] = [0, "", 0];
  const end = (at: number, next: number) => {
    const command = text.slice(start, at).trim();
    if (command !== "") found.push(command);
    start = next;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\n") {
      [depth, quote] = [0, ""];
      end(at, at + 1);
    } else if (quote !== "") {
      if (character === "\\") at++;
      else if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if (character === "#") {
      const line = text.indexOf("\n", at);
      const next = line === -1 ? text.length : line;
      end(at, next);
      at = next - 1;
    } else if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth--;
    else if (character === ";" && depth <= 0) end(at, at + 1);
  }
  end(text.length, text.length);
  return found;
}
