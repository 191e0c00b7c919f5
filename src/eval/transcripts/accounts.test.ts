/** @file The accounts of golden/transcripts: each is true of its program, and false with one piece exchanged; `claim` is then the first false one. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { openRecording } from "../../python/debugger/index.ts";
import { hasPython, runPython } from "../../python/trace/python.test-helper.ts";
import { parseHistory } from "../../schemas/execution-trace.ts";
import { checkClaims } from "./check-claims.ts";
import { readTranscripts } from "./index.ts";

interface Program {
  readonly name: string;
  readonly source: string;
  readonly call: string;
  readonly accounts: readonly Record<"text" | "from" | "to" | "claim", string>[];
}
const file = new URL("../../../golden/transcripts/accounts.yaml", import.meta.url);
const programs = parseAllDocuments(readFileSync(file, "utf8")).map((document): Program => document.toJS());
const histories = hasPython
  ? runPython(programs.map(({ source, call }) => ({ operation: "history", source, call })))
  : [];
const accounts = programs.flatMap(({ accounts: own }, i) =>
  own.map((each) => ({ ...each, history: histories[i] })),
);

function diagnosed(history: unknown, text: string) {
  const [{ transcript }] = readTranscripts(JSON.stringify([{ role: "assistant", content: text }]), "x");
  const { claims } = checkClaims(openRecording(parseHistory(history, "x")), transcript.steps);
  const wrong = claims.filter(({ verdict }) => verdict === "wrong");
  return {
    right: claims.filter(({ verdict }) => verdict === "right").length,
    wrong: wrong.map(({ name, value }) => `${name} = ${value}`),
    truth: wrong[0]?.truth ?? "",
    told: claims.map(({ name, value, verdict, truth }) => `${name} = ${value} ${verdict} ${truth}`),
  };
}

test.skipIf(!hasPython)("none of 54 true accounts is called false (skipped without python3)", () => {
  expect(accounts).toHaveLength(54);
  for (const { text, history } of accounts) {
    const found = diagnosed(history, text);
    expect([text, found.wrong, found.told]).toEqual([text, [], found.told]);
    expect(found.right, text).toBeGreaterThan(0);
  }
});

test.skipIf(!hasPython)("one error in each is found where it is (skipped without python3)", () => {
  const missed: unknown[] = [];
  let corrected = 0;
  for (const { text, from, to, claim, history } of accounts) {
    expect(text.split(from).length, `${from} in ${text}`).toBe(2);
    const changed = text.replace(from, () => to);
    const found = diagnosed(history, changed);
    if (found.wrong[0] !== claim) missed.push([text, claim, found.told]);
    if (from.includes(found.truth)) corrected++;
  }
  expect(missed).toEqual([]);
  expect(corrected).toBeGreaterThanOrEqual(51); // the others have the value of another moment
});
