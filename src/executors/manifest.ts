/**
 * @file The manifest of a submission: written once, and read by every task.
 *
 *     HOME/submissions/3f2a91c04be67d10/manifest.jsonl        sha256sum manifest.jsonl = 3f2a91c04be67d10...
 *
 * Its folder bears its checksum, so that a manifest that was changed is no manifest of that folder any more.
 */

import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fail } from "../core/error.ts";
import { jsonText } from "../core/json.ts";
import { parseWith } from "../core/settings.ts";
import { ManifestHeader, ManifestTask, Release, Ticket } from "../schemas/submission.ts";
import { appendLine, parseJson, readInput, readLog, sha256, writeFileAtomic } from "../storage/index.ts";
import type { Submission } from "./executor.ts";

export const submissionFiles = {
  /** A folder in that of a sweep, with a folder for each submission. */
  all: "submissions",
  manifest: "manifest.jsonl",
  tickets: "tickets.jsonl",
  releases: "releases.jsonl",
  /** A folder, with a file for each task. */
  tasks: "tasks",
  /** A folder: what tasks print. */
  logs: "logs",
  /** There when its end was told to the user. */
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

/** Errors: LabError of kind "corrupt" where the manifest is not that of its folder. */
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

/** One task. Errors: LabError for an index that the manifest does not have. */
export function readTask(folder: string, index: number): { submission: Submission; task: ManifestTask } {
  const { submission, lines, at } = opened(folder);
  if (index < 0 || index >= submission.header.tasks)
    fail(at, `a task from 0 to ${submission.header.tasks - 1}`, index);
  return { submission, task: taskOf(lines, at, index) };
}

/** All tasks, by their index. */
export function readTasks(folder: string): ManifestTask[] {
  const { submission, lines, at } = opened(folder);
  return Array.from({ length: submission.header.tasks }, (_, index) => taskOf(lines, at, index));
}

function taskOf(lines: readonly string[], at: string, index: number): ManifestTask {
  const where = `${at}, line ${index + 2}`;
  return parseWith(ManifestTask, parseJson(lines[index + 1], where), where);
}

/** The submissions of a folder, the oldest first. */
export function submissionsOf(home: string): Submission[] {
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

/** Of jobs that the engine held and that were let go on. */
export function keepRelease({ folder }: Submission, release: Release): void {
  appendLine(join(folder, submissionFiles.releases), release);
}

export function releasesOf({ folder }: Submission): Release[] {
  const path = join(folder, submissionFiles.releases);
  return existsSync(path) ? readLog(path, Release) : [];
}

export function ticketsOf({ folder }: Submission): Ticket[] {
  const path = join(folder, submissionFiles.tickets);
  return existsSync(path) ? readLog(path, Ticket) : [];
}
