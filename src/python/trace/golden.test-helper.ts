/** @file How a trace is written in golden/trace: source line, "*" for a helper, the code, and what the line changed. */

import type { TraceRecord } from "../../schemas/trace.ts";
import { changes } from "./render.ts";

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
