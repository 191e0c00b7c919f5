/** @file What the store offers: atomic files, logs, locks, checkpoints, run folders. */

export { syncFolder, writeFileAtomic } from "./atomic.ts";
export {
  type Checkpoint,
  type CheckpointContent,
  checkpointAt,
  latestCheckpoint,
  readCheckpoint,
  saveCheckpoint,
} from "./checkpoint.ts";
export { makeFolder } from "./folder.ts";
export { type Ledger, noLine, openLedger, readLedger, type Seal } from "./ledger.ts";
export { type Lock, ownerAt, takeLock } from "./lock.ts";
export { type Log, type OpenLogOptions, openLog, readLog } from "./log.ts";
export { parseJson, readInput, readRecord } from "./record.ts";
export { experimentFiles, runFiles, searchFiles, sweepFiles } from "./run-files.ts";
export {
  type CreateRunOptions,
  createRun,
  type OpenRun,
  openRun,
  readConfig,
  writeConfig,
} from "./run-folder.ts";
