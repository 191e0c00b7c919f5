/** @file statelab trace: a Python function and a call become the straight-line program that ran, with the state after each line. */

import { basename } from "node:path";
import { recordHistory, traceCall, traceLines } from "../app/trace/call.ts";
import { modulesBeside } from "../app/trace/modules.ts";
import { recordingPage } from "../app/trace/page.ts";
import { renderFrames } from "../python/trace/cwm-format.ts";
import { renderAligned, renderTrace, traceFormats } from "../python/trace/render.ts";
import { renderPlace, visible, visibleLines } from "../python/trace/terminal.ts";
import { recordForFile, type TraceRecord } from "../schemas/trace.ts";
import { writeFileAtomic } from "../storage/index.ts";
import { defineCommand } from "./lib/command.ts";
import { flag, group, hostOptions } from "./lib/flags.ts";
import { inputOptions, nameOf, programCall, readInputs } from "./lib/program.ts";
import { paintFor } from "./lib/terminal.ts";

const formats = ["aligned", ...traceFormats, "cwm"] as const;

export const command = defineCommand({
  name: "trace",
  summary: "unroll a Python call into the lines that ran",
  usage: 'trace FILE|- [--call "f(1, 2)"] [OPTIONS]',
  positionals: { least: 1, most: 1 },
  options: {
    ...group("Trace", {
      call: flag.text("CALL", "the call to trace [the program's last line]"),
      ...inputOptions,
      format: flag.choice("FORMAT", formats.join(", "), formats, { default: "aligned" }),
      calls: flag.choice("HOW", "inline or keep calls of the program's functions", ["inline", "keep"], {
        default: "inline",
      }),
      html: flag.text("FILE", "write the run as a page: code, objects, step slider"),
      anonymous: flag.toggle("rename functions to f, g, h"),
    }),
    ...group("Sandbox", {
      "max-steps": flag.integer("N", "maximum lines", { default: 100000, least: 1 }),
    }),
    ...hostOptions,
  },
  examples: [
    'trace examples/count.py --call "count([1, 2, 2])"',
    'trace examples/count.py --call "count([3])" --format states',
    "trace - < f.py",
  ],
  notes:
    "The program runs in a sandbox without files or network. The trace is verified by execution. A program whose last line is no call is traced as a script.\n" +
    "Exit codes: 0 verified, 1 refused with a reason, 6 no sandbox.\n" +
    "More: docs/concepts/code-traces.md",

  async run({ positionals: [file], values, json, print, say, signal }) {
    const { format: shown, calls, "max-steps": maximumSteps, timeout: wallSeconds } = values;
    const at = nameOf(file);
    const { source, call } = programCall(file, values.call);
    const { python: host, anonymous } = values;
    const name = file === "-" ? {} : { file: basename(file) };
    const inputs = { ...readInputs(file, values), ...modulesBeside(file, source) };
    const how = { ...name, ...inputs, calls, maximumSteps, anonymous, host, wallSeconds, signal };
    const words = values.argv === undefined ? "" : ` ${values.argv}`;
    const given = values.stdin === undefined ? words : `${words} < ${values.stdin}`;
    const record = await traceCall({ source, call, ...how });
    if (json) print(onScreen(JSON.stringify(recordForFile(record), null, 2)));
    else if (record.lines.length > 0 || shown === "jsonl") {
      const text =
        shown === "aligned"
          ? renderAligned(record, { paint: paintFor(process.stdout) })
          : shown === "cwm"
            ? onScreen(renderFrames(await traceLines({ source: record.source, call: record.call, ...how })))
            : onScreen(renderTrace(record, shown));
      print(text.replace(/\n$/, ""));
    }
    let code = 0;
    if (values.html !== undefined) {
      const run = await recordHistory({ source, call, ...name, ...inputs, host, wallSeconds, signal });
      const lead = `python3 ${at}${given}${call === "None" ? "" : `, then ${call}`}`;
      if ("events" in run && run.events.length > 0)
        await writeFileAtomic(values.html, Buffer.from(recordingPage(run, at, lead)));
      else {
        const reason = "stopped" in run ? run.stopped : (run.reason ?? "nothing ran");
        say(`statelab: ${at}: --html: no page, for there is no recording: ${visible(reason)}`);
        code = 1;
      }
    }
    if (record.proven) {
      if (shown === "aligned" && !json) print(visible(verdict(record, given)));
      if (record.reason !== null) say(`statelab: ${at}: verified: ${visible(record.reason)}`);
      return code;
    }
    say(`statelab: ${at}: refused: ${visible(record.reason ?? "not verified")}`);
    if (record.syntax?.place) say(renderPlace(record.syntax.place).replaceAll(/^/gm, "  "));
    return 1;
  },
});

const ways = {
  data: "its data without its class",
  repr: "its repr",
  fields: "its fields",
  each: "the fields of each",
  list: "its values",
  name: "its name",
} as const satisfies Record<NonNullable<TraceRecord["compared"]>, string>;

/** `# verified: CPython 3.14.2 (32 bit, PYTHONHASHSEED=0); environment: seed 0`, a comment below the trace. */
function verdict({ python, environment, compared, kept = [] }: TraceRecord, given: string): string {
  const run = given === "" ? "" : `; run as: python3 FILE${given}`;
  const read = Object.entries(environment ?? {}).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const under = read.length === 0 ? "" : `; environment: ${read.join(", ")}`;
  const by = compared === undefined ? "" : `; result compared by ${ways[compared]}`;
  const seed = python.hashSeed === undefined ? "" : `, PYTHONHASHSEED=${python.hashSeed}`;
  return `# verified: CPython ${python.version} (${python.wordBits} bit${seed})${by}${run}${under}${leftOut(kept)}`;
}

const whys = {
  coroutine: "a coroutine",
  generator: "a generator",
  decorator: "it has a decorator",
  expression: "called inside an expression or by the library",
} as const satisfies Record<NonNullable<TraceRecord["kept"]>[number]["why"], string>;

/** Functions that ran but were not unrolled. */
function leftOut(kept: NonNullable<TraceRecord["kept"]>): string {
  const texts = kept.map(
    ({ function: name, why, calls }) =>
      `${name} (${calls === 1 ? "1 call" : `${calls} calls`}, ${whys[why]})`,
  );
  return texts.length === 0 ? "" : `; kept as calls: ${texts.join(", ")}`;
}

/** Escapes control characters on a terminal; a file gets the exact bytes. */
function onScreen(text: string): string {
  return process.stdout.isTTY ? visibleLines(text) : text;
}
