/** @file statelab trace: a Python function and a call become the straight-line program that ran, with the state after each line. */

import { basename } from "node:path";
import { traceCall, traceLines } from "../app/trace/call.ts";
import { renderFrames } from "../python/trace/cwm-format.ts";
import { renderAligned, renderTrace, traceFormats } from "../python/trace/render.ts";
import { renderPlace, visible, visibleLines } from "../python/trace/terminal.ts";
import { recordForFile, type TraceRecord } from "../schemas/trace.ts";
import { defineCommand } from "./lib/command.ts";
import { flag, hostOptions } from "./lib/flags.ts";
import { nameOf, programCall } from "./lib/program.ts";
import { paintFor } from "./lib/terminal.ts";

const formats = ["aligned", ...traceFormats, "cwm"] as const;

export const command = defineCommand({
  name: "trace",
  summary: "unroll a Python function into the lines that ran, with the state after each",
  usage: 'trace FILE|- [--call "f(1, 2)"]',
  positionals: { least: 1, most: 1 },
  options: {
    call: flag.text(
      "CALL",
      "the call to trace; without it, the call in the program's last line, or the program as a script",
    ),
    format: flag.choice("FORMAT", formats.join(", "), formats, { default: "aligned" }),
    calls: flag.choice("HOW", "calls of the program's own functions: inline or keep", ["inline", "keep"], {
      default: "inline",
    }),
    anonymous: flag.toggle("functions without their telling names: f, g, h"),
    "max-steps": flag.integer("N", "stop after so many lines", { default: 100000, least: 1 }),
    ...hostOptions,
  },
  examples: [
    'trace examples/count.py --call "count([1, 2, 2])"',
    "trace - < f.py",
    'trace examples/count.py --call "count([3])" --format cwm',
    'trace examples/count.py --call "count([3])" --json',
  ],
  notes:
    "The program runs contained: no files, no network, limits on time and memory. Exit code 0 where the trace is proven,\n" +
    "also one that ends with an exception; 1 where it is refused (what there is of it is printed without an assert, the\n" +
    "reason said), 6 without a sandbox.",

  async run({ positionals: [file], values, json, print, say, signal }) {
    const { format: shown, calls, "max-steps": maximumSteps, timeout: wallSeconds } = values;
    const at = nameOf(file);
    const { source, call } = programCall(file, values.call);
    const { python: host, anonymous } = values;
    const name = file === "-" ? {} : { file: basename(file) };
    const how = { ...name, calls, maximumSteps, anonymous, host, wallSeconds, signal };
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
    if (record.proven) {
      if (shown === "aligned" && !json) print(visible(verdict(record)));
      if (record.reason !== null) say(`statelab: ${at}: proven: ${visible(record.reason)}`);
      return 0;
    }
    say(`statelab: ${at}: refused: ${visible(record.reason ?? "not proven")}`);
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

/** `# proven: CPython 3.14.2 (32 bit, PYTHONHASHSEED=0); environment: seed 0`, a comment below the trace. */
function verdict({ python, environment, compared, kept = [] }: TraceRecord): string {
  const read = Object.entries(environment ?? {}).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const under = read.length === 0 ? "" : `; environment: ${read.join(", ")}`;
  const by = compared === undefined ? "" : `; result compared by ${ways[compared]}`;
  const seed = python.hashSeed === undefined ? "" : `, PYTHONHASHSEED=${python.hashSeed}`;
  return `# proven: CPython ${python.version} (${python.wordBits} bit${seed})${by}${under}${leftOut(kept)}`;
}

const whys = {
  coroutine: "a coroutine",
  generator: "a generator",
  decorator: "it has a decorator",
  expression: "called inside of an expression or by the library",
} as const satisfies Record<NonNullable<TraceRecord["kept"]>[number]["why"], string>;

/** Functions that ran but were not unrolled. */
function leftOut(kept: NonNullable<TraceRecord["kept"]>): string {
  const texts = kept.map(
    ({ function: name, why, calls }) =>
      `${name} (${calls === 1 ? "1 call" : `${calls} calls`}, ${whys[why]})`,
  );
  return texts.length === 0 ? "" : `; not written out: ${texts.join(", ")}`;
}

/** Escapes control characters on a terminal; a file gets the exact bytes. */
function onScreen(text: string): string {
  return process.stdout.isTTY ? visibleLines(text) : text;
}
