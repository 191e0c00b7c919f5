/** @file Reads a trace that comes out of the frame or out of a file: neither is trusted. Loaded when the first one comes, for its schema is large. */

import { config } from "zod";
import { parseTrace, type TraceRecord } from "../../src/schemas/trace.ts";

config({ jitless: true }); // the page's policy lets no code be made of text

/** @throws LabError where it is no trace. */
export function readTrace(value: unknown, name: string): TraceRecord {
  return parseTrace(value, name);
}

/** A record, a row of a traced benchmark, or the first line of many. @throws Error in a sentence. */
export function readTraceFile(text: string, name: string): TraceRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    try {
      value = JSON.parse(text.slice(0, text.indexOf("\n")));
    } catch {
      throw new Error(`${name}: expected a trace as JSON; statelab trace FILE --json writes one`);
    }
  }
  const row = value as { readonly trace?: unknown } | null;
  return parseTrace(row?.trace ?? value, name);
}
