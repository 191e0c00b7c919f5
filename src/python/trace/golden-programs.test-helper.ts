/** @file The programs of golden/trace, one construct each: a file a family, a document a program, with the trace that it should give. */

import { readdirSync, readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";

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
