/** @file Storage: atomic files, logs, locks, checkpoints, run folders. */

export { syncFolder, writeFileAtomic } from "./atomic.ts";
export { openStream, type StoredBlock, type Stream } from "./batch-queue.ts";
export {
  type Checkpoint,
  type CheckpointContent,
  checkpointAt,
  latestCheckpoint,
  readCheckpoint,
  saveCheckpoint,
} from "./checkpoint.ts";
export { makeFolder, writing } from "./folder.ts";
export { checkFolder, lockFolder } from "./foreign-folder.ts";
export {
  type Chain,
  chain,
  type Ledger,
  noLine,
  openLedger,
  readLedger,
  type Seal,
} from "./hash-chained-log.ts";
export {
  type Claim,
  claimVariable,
  forceUnlockVariable,
  leaseFromEnvironment,
  others,
  type Standing,
} from "./lease.ts";
export {
  type Lock,
  LockLostError,
  livingOwner,
  mayReplace,
  type Owner,
  ownerAt,
  takeLock,
} from "./lock.ts";
export { appendLine, type Log, type OpenLogOptions, openLog, readLog } from "./log.ts";
export { parseJson, readInput, readRecord, sha256 } from "./record.ts";
export { experimentFiles, runFiles, searchFiles, sweepFiles } from "./run-files.ts";
export {
  type CreateRunOptions,
  createRun,
  type LockedRun,
  lockRun,
  type OpenRun,
  openRun,
  readConfig,
  writeConfig,
} from "./run-folder.ts";
