/** @file Temporary folders of a test file, removed when its tests have ended. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Creates an empty folder whose name contains `name`. To be called outside of tests: it registers an `afterAll` hook. */
export function tmpFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `statelab-${name}-`));
  // Retried, because a killed process may still be writing.
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }), 120_000);
  return folder;
}
