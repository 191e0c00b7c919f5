/** @file statelab debug: a terminal debugger over a recorded run of a Python function, forwards and backwards. */

import { basename } from "node:path";
import { createInterface } from "node:readline/promises";
import { recordHistory } from "../app/trace/call.ts";
import { modulesBeside } from "../app/trace/modules.ts";
import { fail } from "../core/error.ts";
import {
  commands,
  commandsIn,
  execute,
  firstStop,
  openRecording,
  openSession,
  type Reply,
  renderReply,
  type Session,
} from "../python/debugger/index.ts";
import { renderPlace, visible, visibleLines } from "../python/trace/terminal.ts";
import { type HistoryRecord, parseHistory } from "../schemas/execution-trace.ts";
import { parseJson, writeFileAtomic } from "../storage/index.ts";
import { defineCommand } from "./lib/command.ts";
import { flag, group, hostOptions } from "./lib/flags.ts";
import { callIn, inputOptions, LARGEST_HISTORY, nameOf, readInputs, readProgram } from "./lib/program.ts";

export const command = defineCommand({
  name: "debug",
  summary: "step through a Python run, forwards and backwards",
  usage: 'debug FILE|-|TRACE.json [--call "f(1, 2)"] [OPTIONS]',
  positionals: { least: 1, most: 1 },
  options: {
    ...group("Run", {
      call: flag.text("CALL", "the call to record [the program's last line]"),
      ...inputOptions,
      commands: flag.text("COMMANDS|FILE", "run these commands and exit; separated by ; or lines"),
      save: flag.text("FILE", "save the recorded run; debug FILE opens it again"),
    }),
    ...group("Sandbox", {
      "max-steps": flag.integer("N", "maximum lines, calls and returns", { default: 20000, least: 1 }),
    }),
    ...hostOptions,
  },
  examples: [
    'debug examples/count.py --call "count([1, 2, 2])"',
    'debug examples/count.py --call "count([1, 2, 2])" --commands "break 5; continue; whence counts"',
    'debug examples/sum.py --call "count([1, 2], 2)" --save run.json --commands "end"',
  ],
  notes:
    "The program runs once, in a sandbox, and is recorded. Commands have their pdb names; back, back over, back out and back continue step backwards. whence, changed, writes and aliases find the origin of a value. help lists all commands.\n" +
    "With --json it prints a list of replies, at the prompt one per line. Exit code 1: a command was refused.\n" +
    "More: docs/how-to/debug.md",

  async run({ positionals: [file], values, json, print, say, signal }) {
    const at = nameOf(file);
    const { "max-steps": maximumSteps, timeout: wallSeconds, python: host } = values;
    if (file === "-" && values.commands === undefined)
      fail("debug -", "--commands", "none", "stdin is the program");
    const text = readProgram(file, LARGEST_HISTORY);
    if (text.trim() === "") fail(at, "a Python program or a recorded run", "an empty file");
    let record: HistoryRecord;
    if (text.trimStart().startsWith("{")) {
      const given = (["call", "stdin", "argv"] as const).find((name) => values[name] !== undefined);
      if (given !== undefined) fail(`--${given}`, "a Python program to run", `${at}, a recorded run`);
      record = parseHistory(parseJson(text, at), at);
    } else {
      const program = callIn(text, at, values.call);
      const made = await recordHistory({
        ...program,
        ...(file !== "-" && { file: basename(file) }),
        ...readInputs(file, values),
        ...modulesBeside(file, program.source),
        maximumSteps,
        host,
        wallSeconds,
        signal,
      });
      if ("stopped" in made) {
        if (json) print(JSON.stringify({ kind: "refused", words: made.stopped }));
        say(`statelab: ${at}: refused: ${visible(made.stopped)}`);
        return 1;
      }
      record = made;
    }
    if (record.events.length === 0) {
      if (json) print(JSON.stringify({ kind: "refused", words: record.reason ?? "nothing ran" }));
      say(`statelab: ${at}: refused: ${visible(record.reason ?? "nothing ran")}`);
      if (record.syntax?.place) say(renderPlace(record.syntax.place).replaceAll(/^/gm, "  "));
      return 1;
    }
    if (values.save !== undefined) await writeFileAtomic(values.save, Buffer.from(JSON.stringify(record)));
    let session = openSession(openRecording(record, at));
    const replies: object[] = [];
    const show = (reply: Reply, said?: string) => {
      const named = { ...(said !== undefined && { command: said }), ...reply };
      if (json && values.commands !== undefined) replies.push(named);
      else if (json) print(JSON.stringify(named));
      else {
        const words = visibleLines(renderReply(reply));
        const width = process.stdout.columns ?? Number.POSITIVE_INFINITY; // known of a terminal alone
        if (words !== "") print(reply.kind === "said" ? hung(words, width) : words);
      }
    };
    if (record.reason !== null) say(`statelab: ${at}: ${visible(record.reason)}`);
    if (values.commands !== undefined) {
      let code = 0;
      for (const each of scripted(values.commands)) {
        if (!json) print(`(debug) ${visible(each)}`);
        const { session: after, reply } = execute(session, each);
        show(reply, each);
        if (reply.kind === "quit") break;
        if (reply.kind === "refused") code = 1;
        session = after;
      }
      if (json) print(JSON.stringify(replies));
      return code;
    }
    show(firstStop(session));
    return converse(session, show, signal);
  },
});

/** Lines of two columns, the second of which is wrapped within itself. */
function hung(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => {
      const indent = /^.*?\S {2,}(?=\S)/.exec(line)?.[0].length ?? 0;
      if (line.length <= width || width - indent < 20) return line;
      const rows = [line.slice(0, indent)];
      for (const word of line.slice(indent).split(" ")) {
        const last = rows[rows.length - 1];
        if (last.length + word.length + 1 > width) rows.push(" ".repeat(indent) + word);
        else rows[rows.length - 1] = last.length === indent ? last + word : `${last} ${word}`;
      }
      return rows.join("\n");
    })
    .join("\n");
}

/** The commands of a text, or of the file that it names. */
function scripted(given: string): string[] {
  const isCommand = commandsIn(given).some((each) => {
    const [word] = each.split(/[\s(]/);
    return commands.some(({ name, also }) => name === word || also.includes(word));
  });
  return commandsIn(isCommand || given.trim() === "" ? given : readProgram(given));
}

/** Runs until `quit`, end of input or Ctrl-C. An empty line repeats the last command, as in pdb. */
async function converse(
  begun: Session,
  show: (reply: Reply, said?: string) => void,
  signal: AbortSignal,
): Promise<number> {
  let session = begun;
  let last = "";
  const terminal = createInterface({
    input: process.stdin,
    output: process.stderr,
    completer: (line: string): [string[], string] => {
      const names = commands.map(({ name }) => name).filter((name) => name.startsWith(line));
      return [names, line];
    },
  });
  try {
    terminal.setPrompt("(debug) ");
    if (process.stdin.isTTY) terminal.prompt();
    const stop = () => terminal.close();
    signal.addEventListener("abort", stop, { once: true });
    terminal.on("SIGINT", stop);
    for await (const line of terminal) {
      for (const each of commandsIn(line.trim() === "" ? last : line)) {
        const { session: after, reply } = execute(session, each);
        show(reply, each);
        if (reply.kind === "quit") return 0;
        session = after;
      }
      if (line.trim() !== "") last = line;
      if (process.stdin.isTTY) terminal.prompt();
    }
    return 0;
  } finally {
    terminal.close();
  }
}
