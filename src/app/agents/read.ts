/** @file The files of a folder of episodes, and its ledger read back: its episodes, line by line. */

import { join } from "node:path";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { EpisodeBegin, EpisodeEnd, EpisodeRecord, EpisodeTurn } from "../../schemas/agents.ts";

/** `ledger.jsonl` is everything; `results.json` and the page follow from it. What a model has answered is in `answers.jsonl`. */
export const agentFiles = (folder: string) => ({
  config: join(folder, "config.json"),
  ledger: join(folder, "ledger.jsonl"),
  answers: join(folder, "answers.jsonl"),
  results: join(folder, "results.json"),
  report: join(folder, "report.html"),
  ownPolicy: join(folder, "own", "policy.mjs"),
});

export interface ReadEpisode {
  readonly begin: EpisodeBegin;
  readonly turns: readonly EpisodeTurn[];
  readonly end: EpisodeEnd;
  /** Of `begin`, counted from 1 as editors do. */
  readonly line: number;
}

const byKind = { begin: EpisodeBegin, turn: EpisodeTurn, end: EpisodeEnd } as const;

/** @throws LabError (corrupt) naming the line that is out of place or not as its schema says. */
export function readEpisodes(records: readonly unknown[], path: string): ReadEpisode[] {
  const episodes: ReadEpisode[] = [];
  let open: { begin: EpisodeBegin; turns: EpisodeTurn[]; line: number } | undefined;
  for (const [i, value] of records.entries()) {
    const at = `${path}, line ${i + 1}`;
    const record = recordOf(value, at);
    const outOfPlace = () =>
      fail(
        at,
        open === undefined ? "the beginning of an episode" : "a turn or the end of an episode",
        record.kind,
        undefined,
        "corrupt",
      );
    switch (record.kind) {
      case "begin":
        if (open !== undefined) outOfPlace();
        open = { begin: record, turns: [], line: i + 1 };
        break;
      case "turn":
        (open ?? outOfPlace()).turns.push(record);
        break;
      case "end": {
        const { begin, turns, line } = open ?? outOfPlace();
        episodes.push({ begin, turns, end: record, line });
        open = undefined;
        break;
      }
      default:
        record satisfies never;
    }
  }
  // What is open at the end was under way when its writer was killed.
  return episodes;
}

function recordOf(value: unknown, at: string): EpisodeRecord {
  const { kind } = (value ?? {}) as { kind?: keyof typeof byKind }; // looked up at once
  const schema = kind !== undefined && Object.hasOwn(byKind, kind) ? byKind[kind] : EpisodeRecord;
  return parseWith<EpisodeRecord>(schema, value, at);
}
