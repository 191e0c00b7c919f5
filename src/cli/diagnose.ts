/** @file statelab diagnose: a transcript of a model or an agent, where it loses the state, and the replay from there. */

import { diagnosedBy, diagnoseTranscripts, openTranscripts } from "../app/diagnose/diagnose.ts";
import { replayMessages } from "../app/diagnose/replay.ts";
import { recordHistory } from "../app/trace/call.ts";
import { fail } from "../core/error.ts";
import { visible, visibleLines } from "../python/trace/terminal.ts";
import { diagnosisReport, diagnosisText, onsetWords } from "../report/diagnosis.ts";
import { type HistoryRecord, parseHistory } from "../schemas/execution-trace.ts";
import type { Diagnosis } from "../schemas/transcript.ts";
import { parseJson, writeFileAtomic } from "../storage/index.ts";
import { defineCommand } from "./lib/command.ts";
import { flag, group, hostOptions } from "./lib/flags.ts";
import { callIn, nameOf, readProgram } from "./lib/program.ts";

const LARGEST_HISTORY = 2 ** 28;
/** Transcripts that are printed whole. */
const PRINTED = 3;

export const command = defineCommand({
  name: "diagnose",
  summary: "find where a transcript loses the state",
  usage: 'diagnose TRANSCRIPT|DIR|- [--program FILE --call "f(1, 2)"] [OPTIONS]',
  positionals: { least: 1, most: 1 },
  options: {
    ...group("Program", {
      program: flag.text("FILE", "its program, or a run saved by statelab debug"),
      call: flag.text("CALL", "the call [the program's last line]"),
      only: flag.text("NAME", "diagnose the transcript with this name"),
    }),
    ...group("Results", {
      report: flag.text("FILE", "write an HTML page"),
      replay: flag.text("FILE", "write the chat up to the first error, with the true state"),
    }),
    ...hostOptions,
  },
  examples: [
    'diagnose chat.json --program examples/sum.py --call "count([1, 2, 3], 3)"',
    "diagnose runs/agent-lock-tracking --report lock.html",
    "diagnose notes.md --program run.json --replay again.json",
  ],
  notes:
    "TRANSCRIPT is a folder of llm eval or agent, an OpenAI message list, an Inspect log, or Markdown. It loses the state at the first step after which its stated state differs from the true one to the end.\n" +
    "With --json it prints one object per transcript. Exit codes: 1 a transcript loses the state, 3 unreadable transcript.\n" +
    "More: docs/how-to/diagnose.md",

  async run({ positionals: [path], values, json, print, say, signal }) {
    const { timeout: wallSeconds, python: host } = values;
    if (values.call !== undefined && values.program === undefined)
      fail("--call", "--program FILE that has the function", "none");
    if (path === "-" && values.program === "-") fail("--program", "a file", "-, which is the transcript");
    const all = openTranscripts(path);
    const chosen =
      values.only === undefined ? all : all.filter(({ transcript }) => transcript.name === values.only);
    if (chosen.length === 0) {
      const [first] = all;
      fail(
        "--only",
        `the name of a transcript, such as ${first?.transcript.name ?? ""}`,
        values.only ?? "none",
      );
    }
    if (values.replay !== undefined && chosen.length > 1)
      fail("--replay", "one transcript", `${chosen.length}`, "Choose one with --only NAME");
    const record = async (source: string, call: string): Promise<HistoryRecord | undefined> => {
      const made = await recordHistory({ source, call, host, wallSeconds, signal });
      return "stopped" in made ? undefined : made;
    };
    const known =
      values.program === undefined ? undefined : await historyOf(values.program, values.call, record);
    const found: Diagnosis[] = [];
    for (const read of chosen) {
      if (signal.aborted) break;
      found.push(
        known === undefined ? await diagnoseTranscripts(read, record) : diagnosedBy(read.transcript, known),
      );
    }
    if (values.report !== undefined)
      await writeFileAtomic(values.report, diagnosisReport(nameOf(path), found));
    if (values.replay !== undefined) {
      const replay = replayMessages(found[0]);
      if (replay === null) say("statelab: no replay: the state is not lost");
      else await writeFileAtomic(values.replay, `${JSON.stringify(replay, null, 2)}\n`);
    }
    if (json) for (const each of found) print(JSON.stringify(each));
    else {
      for (const each of found.slice(0, PRINTED)) print(visibleLines(diagnosisText(each)));
      for (const each of found.slice(PRINTED)) print(visible(`${each.transcript.name}: ${onsetWords(each)}`));
      if (found.every(({ truth }) => truth === "none"))
        say("statelab: true state unknown; give --program FILE --call CALL");
    }
    return found.some(({ onset }) => onset !== null) ? 1 : 0;
  },
});

async function historyOf(
  file: string,
  call: string | undefined,
  record: (source: string, call: string) => Promise<HistoryRecord | undefined>,
): Promise<HistoryRecord> {
  const at = nameOf(file);
  const text = readProgram(file, LARGEST_HISTORY);
  if (text.trimStart().startsWith("{")) {
    if (call !== undefined) fail("--call", "a Python program to call", `${at}, a recorded run`);
    return parseHistory(parseJson(text, at), at);
  }
  const program = callIn(text, at, call);
  const made = await record(program.source, program.call);
  if (made === undefined || made.events.length === 0)
    return fail(at, "a program that runs", made?.reason ?? "one that was stopped", "Raise --timeout");
  return made;
}
