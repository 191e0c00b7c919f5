/** @file What the store offers: atomic files, logs, locks, checkpoints, run folders. */

export { syncFolder, writeFileAtomic } from "./atomic.ts";
export { type Chain, chain } from "./chain.ts";
export {
  type Checkpoint,
  type CheckpointContent,
  checkpointAt,
  latestCheckpoint,
  readCheckpoint,
  saveCheckpoint,
} from "./checkpoint.ts";
export { type Claim, claimVariable, others, type Standing, standingOf, takeOverVariable } from "./claim.ts";
export { makeFolder } from "./folder.ts";
export { checkFolder, lockFolder } from "./foreign-folder.ts";
export { type Ledger, noLine, openLedger, readLedger, type Seal } from "./ledger.ts";
export { type Lock, livingOwner, mayReplace, type Owner, ownerAt, Superseded, takeLock } from "./lock.ts";
export { appendLine, type Log, type OpenLogOptions, openLog, readLog } from "./log.ts";
export { parseJson, readInput, readRecord } from "./record.ts";
export { writing } from "./refusal.ts";
export { experimentFiles, runFiles, searchFiles, sweepFiles } from "./run-files.ts";
export {
  type CreateRunOptions,
  createRun,
  type HeldRun,
  holdRun,
  type OpenRun,
  openRun,
  readConfig,
  writeConfig,
} from "./run-folder.ts";
export { sha256 } from "./sha256.ts";
export { openStream, type StoredBlock, type Stream } from "./stream.ts";
