/**
 * @file Debug sessions of agents. Each is a recording in a folder, which `statelab debug FILE` opens, and a position in it.
 *
 *     count-1.json    the first recorded call of count
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LabError } from "../../core/error.ts";
import { openRecording, openSession, type Recording, type Session } from "../../python/debugger/index.ts";
import { type HistoryRecord, parseHistory } from "../../schemas/execution-trace.ts";
import { makeFolder, parseJson, writeFileAtomic } from "../../storage/index.ts";

/** Recordings in memory; the others are read again. */
const MOST_OPEN = 4;
const MOST_FILES = 1000;

export class Recordings {
  readonly #folder: string;
  readonly #runs = new Map<string, Recording>();
  readonly #positions = new Map<string, Omit<Session, "run">>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  file(name: string): string {
    return join(this.#folder, `${name}.json`);
  }

  /** Writes a recording and returns the name of its session. */
  async add(record: HistoryRecord): Promise<string> {
    const run = openRecording(record); // refuses an empty one
    await makeFolder(this.#folder);
    if (readdirSync(this.#folder).length >= MOST_FILES)
      throw new LabError(`${this.#folder}: there are ${MOST_FILES} recordings. Delete some`);
    const [word = "script"] = /^[A-Za-z_]\w{0,39}/.exec(record.call) ?? [];
    const name = claimed(record.call === "None" ? "script" : word, (each) => this.file(each));
    await writeFileAtomic(this.file(name), Buffer.from(JSON.stringify(record)));
    this.#keep(name, run);
    return name;
  }

  /** The session at its last position. @throws LabError for an unknown name */
  open(name: string): Session {
    const file = this.file(name);
    if (!/^[\w-]{1,60}$/.test(name) || !existsSync(file))
      throw new LabError(
        `session: there is no session ${JSON.stringify(name.slice(0, 60))}. Open the program with debug_open`,
      );
    const run =
      this.#runs.get(name) ??
      openRecording(parseHistory(parseJson(readFileSync(file, "utf8"), file), file), file);
    this.#keep(name, run);
    return { ...openSession(run), ...this.#positions.get(name) };
  }

  moveTo(name: string, { run: _, ...position }: Session): void {
    this.#positions.set(name, position);
  }

  #keep(name: string, run: Recording): void {
    this.#runs.delete(name);
    this.#runs.set(name, run);
    for (const oldest of [...this.#runs.keys()].slice(0, -MOST_OPEN)) this.#runs.delete(oldest);
  }
}

/** Creates the first `WORD-N` without a file: another server may use the folder, too. */
function claimed(word: string, fileOf: (name: string) => string): string {
  for (let n = 1; ; n++) {
    const name = `${word}-${n}`;
    try {
      writeFileSync(fileOf(name), "", { flag: "wx" });
      return name;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // fs errors carry a code
    }
  }
}
