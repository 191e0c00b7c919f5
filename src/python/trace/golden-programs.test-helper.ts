/**
 * @file The programs of golden/trace, one construct each, and the format of their traces: source line, "*" for a helper, the code, and
 * what the line changed. One file per family, one YAML document per program.
 */

import { readdirSync, readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { parseTrace, type TraceRecord } from "../../schemas/trace.ts";
import { runPython } from "./python.test-helper.ts";
import { changes } from "./render.ts";

export interface GoldenProgram {
  readonly name: string;
  /** `# call:` is the call that is traced, `# exchange:` one that takes the same path. */
  readonly source: string;
  readonly call: string;
  readonly exchange: string | undefined;
  /** As `goldenText` writes it. */
  readonly trace: string;
}

const folder = new URL("../../../golden/trace/", import.meta.url);

/** All of them, by name. */
export const goldenPrograms: readonly GoldenProgram[] = readdirSync(folder)
  .flatMap((file) => parseAllDocuments(readFileSync(new URL(file, folder), "utf8")))
  .map((document): GoldenProgram => {
    const { name, source, trace } = document.toJS();
    const note = (kind: string) => new RegExp(`^# ${kind}: (.*?)\\r?$`, "m").exec(source)?.[1];
    return { name, source, trace, call: note("call")!, exchange: note("exchange") }; // every program has a call
  })
  .sort((a, b) => (a.name < b.name ? -1 : 1));

/** A record as `trace` of a program there. */
export function goldenText({ lines, reason }: TraceRecord): string {
  const rows = lines.map(({ code, line, helper, state }, i) => {
    const { set, gone } = changes(lines[i - 1]?.state ?? null, state);
    const changed = [
      ...set.map(([name, value]) => `${name} = ${value}`),
      ...gone.map((name) => `${name} gone`),
    ];
    const place = `${line ?? "-"}${helper ? "*" : " "}`.padStart(4);
    return `${place}  ${code.replaceAll("\n", "\n      ")}${changed.length > 0 ? `    # ${changed.join("; ")}` : ""}\n`;
  });
  return `${rows.join("")}${reason === null ? "" : `${reason}\n`}`;
}

/** The records that the native Python makes. */
export function traces(requests: readonly { source: string; call: string }[], calls: "inline" | "keep") {
  const common = { operation: "trace", options: { calls } };
  const asked = requests.map(({ source, call }) => ({ ...common, source, call }));
  return runPython(asked).map((answer, i) => parseTrace(answer, asked[i].call));
}

/** Of programs whose call raises. */
export const raises = (name: string) => name.startsWith("raise-uncaught");
