/**
 * @file The manifest of a submission: written once, and read by every task.
 *
 *     HOME/submissions/3f2a91c04be67d10/manifest.jsonl        sha256sum manifest.jsonl = 3f2a91c04be67d10...
 *
 * The folder's name is the manifest's checksum, so a changed manifest is detected.
 */

import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fail, LabError } from "../core/error.ts";
import { shellWord } from "../core/format.ts";
import { jsonText } from "../core/json.ts";
import { parseWith } from "../core/settings.ts";
import { ManifestHeader, ManifestTask, Release, Ticket } from "../schemas/submission.ts";
import { appendLine, parseJson, readInput, readLog, sha256, writeFileAtomic } from "../storage/index.ts";
import type { Submission } from "./executor.ts";

export const submissionFiles = {
  /** A folder in a sweep's folder, with a folder for each submission. */
  all: "submissions",
  manifest: "manifest.jsonl",
  tickets: "tickets.jsonl",
  releases: "releases.jsonl",
  /** A folder, with a file for each task. */
  tasks: "tasks",
  /** A folder: output of the tasks. */
  logs: "logs",
  /** Exists once the user has seen the result. */
  collected: "collected",
} as const;

const nameDigits = 16;

export interface ToSubmit extends Omit<ManifestHeader, "version" | "tasks"> {
  readonly work: readonly Omit<ManifestTask, "index">[];
}

/** Writes the manifest of new tasks in `home`. */
export async function writeManifest(home: string, { work, ...about }: ToSubmit): Promise<Submission> {
  const header: ManifestHeader = { version: 1, ...about, tasks: work.length };
  const lines = [header, ...work.map((task, index) => ({ index, ...task }))];
  const text = lines.map((line) => `${jsonText(line, submissionFiles.manifest)}\n`).join("");
  const name = digestOf(text);
  const folder = resolve(home, submissionFiles.all, name);
  await writeFileAtomic(join(folder, submissionFiles.manifest), text);
  return { folder, name, home: resolve(home), header };
}

const digestOf = (bytes: string | Uint8Array) => sha256(bytes).slice(0, nameDigits);

/** Errors: LabError of kind "corrupt" if the manifest does not match its folder. */
export function openSubmission(folder: string): Submission {
  return opened(folder).submission;
}

function opened(path: string): { submission: Submission; lines: readonly string[]; at: string } {
  const folder = resolve(path);
  const at = join(folder, submissionFiles.manifest);
  if (!existsSync(at)) fail(path, `the folder of a submission (with a ${submissionFiles.manifest})`, "none");
  const bytes = readInput(at);
  const name = digestOf(bytes);
  if (name !== basename(folder))
    fail(at, `a text whose SHA-256 begins with ${basename(folder)}`, name, "It was changed", "corrupt");
  const lines = bytes.toString("utf8").split("\n").slice(0, -1);
  const header = parseWith(ManifestHeader, parseJson(lines[0], at), at);
  return { submission: { folder, name, home: dirname(dirname(folder)), header }, lines, at };
}

/** One task. Errors: LabError for an index outside of the manifest. */
export function readTask(folder: string, index: number): { submission: Submission; task: ManifestTask } {
  const { submission, lines, at } = opened(folder);
  if (index < 0 || index >= submission.header.tasks)
    fail(at, `a task from 0 to ${submission.header.tasks - 1}`, index);
  return { submission, task: taskOf(lines, at, index) };
}

/** All tasks, by index. */
export function readTasks(folder: string): ManifestTask[] {
  const { submission, lines, at } = opened(folder);
  return Array.from({ length: submission.header.tasks }, (_, index) => taskOf(lines, at, index));
}

function taskOf(lines: readonly string[], at: string, index: number): ManifestTask {
  const where = `${at}, line ${index + 2}`;
  try {
    return parseWith(ManifestTask, parseJson(lines[index + 1], where), where);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    // It is as it was written, by its checksum.
    const hint = `Another version of statelab submitted it; when none of it runs, delete ${shellWord(dirname(at))}`;
    throw new LabError(`${error.message}. ${hint}`, error.kind);
  }
}

/** The submissions of a folder, oldest first. */
export function listSubmissions(home: string): Submission[] {
  const parent = join(home, submissionFiles.all);
  if (!existsSync(parent)) return [];
  return readdirSync(parent)
    .filter((name) => existsSync(join(parent, name, submissionFiles.manifest)))
    .map((name) => openSubmission(join(parent, name)))
    .sort((a, b) => (a.header.created < b.header.created ? -1 : 1));
}

export function keepTicket({ folder }: Submission, ticket: Ticket): void {
  appendLine(join(folder, submissionFiles.tickets), ticket);
}

/** Jobs that the scheduler put on hold and that were released. */
export function keepRelease({ folder }: Submission, release: Release): void {
  appendLine(join(folder, submissionFiles.releases), release);
}

export function readReleases({ folder }: Submission): Release[] {
  const path = join(folder, submissionFiles.releases);
  return existsSync(path) ? readLog(path, Release) : [];
}

export function readTickets({ folder }: Submission): Ticket[] {
  const path = join(folder, submissionFiles.tickets);
  return existsSync(path) ? readLog(path, Ticket) : [];
}
