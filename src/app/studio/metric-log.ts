/**
 * @file The step log of a run, up to a million lines: read once, then only appended lines.
 *
 *     {"step":1,"loss":1.09,"accuracy":0.4,"runningAccuracy":0.35,"stage":1,...}          a line as the trainer writes it
 *
 * Numbers of such a line are read by position, four times faster than JSON.parse; other lines are parsed as JSON. If the file was
 * replaced or truncated, it is read again from the start.
 */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { fail, Words } from "../../core/error.ts";

export interface Step {
  readonly step: number;
  readonly loss: number;
  readonly runningAccuracy: number;
  readonly stage: number;
}

/** Columns of the steps, in the order of their lines. A loss that is no number is NaN. */
export interface Steps {
  readonly step: Float64Array;
  readonly loss: Float64Array;
  readonly runningAccuracy: Float64Array;
  /** From 0. */
  readonly stage: Float64Array;
}

/** Logs that are kept, the last ones that were asked for: a million lines are 32 MB. */
const MOST_LOGS = 4;
const CHUNK = 4 * 2 ** 20;
/** Two million steps. Reading more stops the server for seconds, and one line of it may be too long for a string. */
const MOST_BYTES = 500 * 2 ** 20;
const FIRST_ROOM = 1024;

interface Log {
  readonly inode: number;
  /** Bytes up to the last newline that was read. */
  read: number;
  count: number;
  columns: readonly [
    step: Float64Array,
    loss: Float64Array,
    runningAccuracy: Float64Array,
    stage: Float64Array,
  ];
}

/** Reads logs by their paths; undefined where there is none. Errors: LabError for one above 500 MB. What it gives is read at once, not kept: it is overwritten by the next growth. */
export function metricLogs(): (path: string) => Steps | undefined {
  const logs = new Map<string, Log>();
  return (path) => {
    let file: number;
    try {
      file = openSync(path, "r");
    } catch {
      logs.delete(path);
      return undefined;
    }
    try {
      const { ino: inode, size } = fstatSync(file);
      if (size > MOST_BYTES)
        fail(path, "a log of at most 500 MB", new Words(`${Math.ceil(size / 2 ** 20)} MB`));
      const known = logs.get(path);
      const log = known !== undefined && known.inode === inode && known.read <= size ? known : fresh(inode);
      grow(log, file, size);
      logs.delete(path);
      logs.set(path, log); // the newest is last
      const [oldest] = logs.keys();
      if (logs.size > MOST_LOGS && oldest !== undefined) logs.delete(oldest);
      const [step, loss, runningAccuracy, stage] = log.columns.map((column) => column.subarray(0, log.count));
      return { step, loss, runningAccuracy, stage };
    } finally {
      closeSync(file);
    }
  };
}

const fresh = (inode: number): Log => ({ inode, read: 0, count: 0, columns: rooms(FIRST_ROOM) });
const rooms = (length: number): Log["columns"] => [
  new Float64Array(length),
  new Float64Array(length),
  new Float64Array(length),
  new Float64Array(length),
];

/** Reads whole lines up to `size`; what follows the last newline is half a line. */
function grow(log: Log, file: number, size: number): void {
  let bytes = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(0, size - log.read)));
  while (log.read < size) {
    const got = readSync(file, bytes, 0, Math.min(bytes.length, size - log.read), log.read);
    const end = bytes.subarray(0, got).lastIndexOf(10) + 1;
    if (end === 0) {
      if (got < bytes.length || log.read + got >= size) return;
      bytes = Buffer.allocUnsafe(2 * bytes.length); // a line longer than the chunk
      continue;
    }
    addLines(log, bytes.toString("latin1", 0, end));
    log.read += end;
  }
}

function addLines(log: Log, text: string): void {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const step = byPlace(text, from, end) ?? parsed(text.slice(from, end));
    if (step !== undefined) add(log, step);
    from = end + 1;
  }
}

function add(log: Log, { step, loss, runningAccuracy, stage }: Step): void {
  if (log.count === log.columns[0].length) {
    const larger = rooms(2 * log.count);
    for (const [i, column] of log.columns.entries()) larger[i].set(column);
    log.columns = larger;
  }
  const [steps, losses, shares, stages] = log.columns;
  steps[log.count] = step;
  losses[log.count] = Number(loss ?? Number.NaN); // null: it was no number
  shares[log.count] = Number(runningAccuracy ?? Number.NaN);
  stages[log.count] = stage;
  log.count++;
}

const [STEP, LOSS, RUNNING, STAGE] = ['{"step":', ',"loss":', ',"runningAccuracy":', ',"stage":'];
/** One number precedes the running share. */
const NEAR = 60;

/** Of a line as the trainer writes it; undefined of any other. */
function byPlace(text: string, from: number, end: number): Step | undefined {
  if (text.charCodeAt(end - 1) !== 125 || !text.startsWith(STEP, from)) return undefined; // 125: }
  const loss = text.indexOf(LOSS, from + STEP.length);
  if (loss === -1 || loss - from > STEP.length + 20) return undefined;
  const afterLoss = text.indexOf(",", loss + LOSS.length);
  const running = text.indexOf(RUNNING, afterLoss);
  if (running === -1 || running - afterLoss > NEAR) return undefined;
  const stage = text.indexOf(STAGE, running + RUNNING.length);
  if (stage === -1 || stage - running > NEAR || stage > end) return undefined;
  const afterStage = text.indexOf(",", stage + STAGE.length);
  const stageEnd = afterStage === -1 || afterStage > end - 1 ? end - 1 : afterStage;
  const found = {
    step: Number(text.slice(from + STEP.length, loss)),
    loss: Number(text.slice(loss + LOSS.length, afterLoss)),
    runningAccuracy: Number(text.slice(running + RUNNING.length, stage)),
    stage: Number(text.slice(stage + STAGE.length, stageEnd)),
  };
  const sum = found.step + found.loss + found.runningAccuracy + found.stage;
  return Number.isNaN(sum) ? undefined : found; // null means a value that is not a number
}

/** A damaged line is passed over: the page is for looking, `train --resume` and `evaluate` are for refusing. */
export function parsed(line: string): Step | undefined {
  try {
    const record = JSON.parse(line) as Partial<Step> | null;
    return typeof record?.step === "number" && typeof record.stage === "number"
      ? (record as Step)
      : undefined;
  } catch {
    return undefined;
  }
}
