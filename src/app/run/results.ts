/**
 * @file tested.jsonl of a run: every test that was asked, so that none is asked twice. `evaluate`, sweeps and experiments
 * write it, by the one function below.
 */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { jsonText } from "../../core/json.ts";
import { parseWith } from "../../core/settings.ts";
import { TestedRecord } from "../../schemas/test-result.ts";
import { readLog, runFiles, writeFileAtomic } from "../../storage/index.ts";

/** In the order in which they were asked. Errors: LabError naming the line that is damaged. */
export function readTested(folder: string): TestedRecord[] {
  const path = join(folder, runFiles.tested);
  if (!existsSync(path)) return [];
  return readLog(path).map((line, i) => parseWith(TestedRecord, line, `${path}, line ${i + 1}`));
}

/**
 * Adds a line. The file is replaced as a whole: `evaluate` may ask while a sweep does, and of two that write at once one
 * line may be lost, which is asked again, but none is ever half.
 */
export async function keepTested(folder: string, record: TestedRecord): Promise<void> {
  const path = join(folder, runFiles.tested);
  const before = existsSync(path) ? await readFile(path, "utf8") : "";
  await writeFileAtomic(path, `${before}${jsonText(record, path)}\n`);
}

/** What is asked, and of which weights. */
export interface AskedTest {
  readonly step: number;
  readonly change: Readonly<Record<string, unknown>>;
  readonly wanted: number;
}

/** What was answered to the very same question. The order of a change's keys counts: programs are drawn by its text. */
export function answerTo(
  known: readonly TestedRecord[],
  { step, change, wanted }: AskedTest,
): TestedRecord | undefined {
  const text = JSON.stringify(change);
  return known.findLast(
    (test) => test.step === step && test.wanted === wanted && JSON.stringify(test.change) === text,
  );
}

/** For people and documents: without the single answers, and of each computed solver its accuracy. */
export interface TestSummary
  extends Pick<
    TestedRecord,
    "change" | "wanted" | "programs" | "reveals" | "accuracy" | "accuracyLast" | "nats"
  > {
  readonly accuracyByReveal: readonly number[];
  readonly references: Readonly<Record<string, number>>;
}

export function summaryOf(test: TestedRecord): TestSummary {
  const { change, programs, reveals, accuracy, accuracyLast, accuracyByReveal, references, nats, wanted } =
    test;
  return {
    ...{ change, programs, reveals, accuracy, accuracyLast, accuracyByReveal },
    references: Object.fromEntries(
      Object.entries(references).map(([name, shares]) => [name, shares.accuracy]),
    ),
    ...(nats && { nats }),
    wanted,
  };
}
