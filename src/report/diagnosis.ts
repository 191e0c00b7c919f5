/**
 * @file Diagnoses of transcripts, as a page and as text: the tree of steps, the claims of each, the onset marked, the chain of errors.
 *
 *     state lost at step 6 (correct at step 4): total = 7 (true: 6)
 *       2 ! total = 5 (true: 4)
 *       4   total = 6
 *       6 X total = 7 (true: 6)
 */

import { formatCount } from "../core/format.ts";
import type { Diagnosis, JudgedClaim, TranscriptStep } from "../schemas/transcript.ts";
import { facts, list, paragraph, reportPage, section } from "./html.ts";
import { element, type Markup } from "./svg.ts";

/** Transcripts shown in full; the others have one line. */
const SHOWN = 50;
const LONGEST = 2_000;

/** One self-contained HTML file. */
export function diagnosisReport(file: string, diagnoses: readonly Diagnosis[]): string {
  const rows = [
    ["transcripts", diagnoses.length],
    ["with a known true state", diagnoses.filter(({ truth }) => truth !== "none").length],
    ["that lose the state", diagnoses.filter(({ onset }) => onset !== null).length],
  ];
  return reportPage(
    {
      eyebrow: "diagnose",
      title: file,
      lead: facts(rows.map(([name, count]) => [String(name), String(count)])),
    },
    diagnoses.slice(0, SHOWN).map(transcriptSection),
    diagnoses.length > SHOWN
      ? section("Others", list(diagnoses.slice(SHOWN).map((each) => `${nameOf(each)}: ${onsetWords(each)}`)))
      : null,
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const nameOf = ({ transcript }: Diagnosis) => (transcript.name === "" ? "Transcript" : transcript.name);

function transcriptSection(diagnosis: Diagnosis): Markup {
  const { transcript, chain, onset } = diagnosis;
  const later = chain.filter(({ step }) => step !== onset?.step);
  return section(
    nameOf(diagnosis),
    paragraph(`${capital(onsetWords(diagnosis))}.`),
    element(
      "div",
      { class: "card flow" },
      element(
        "table",
        { class: "all" },
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ["step", "effect", "role", "claim, or text"].map((name) =>
              element("th", { scope: "col", class: "word" }, name),
            ),
          ),
        ),
        element(
          "tbody",
          {},
          transcript.steps.map((step) => stepRow(step, diagnosis)),
        ),
      ),
    ),
    later.length === 0
      ? null
      : list(later.map(({ step, names, from }) => `Step ${step}: ${names.join(", ")}, ${causeWords(from)}`)),
  );
}

function stepRow(step: TranscriptStep, { claims, onset }: Diagnosis): Markup {
  const own = claims.filter((claim) => claim.step === step.index);
  const isOnset = onset?.step === step.index;
  const depth = step.effect === "changes" ? "" : "\u2003";
  const words = own.map((claim, i) => [
    i === 0 ? "" : ", ",
    claim.verdict === "wrong" ? element("mark", {}, claimWords(claim)) : claimWords(claim),
  ]);
  const text = step.text.length > LONGEST ? `${step.text.slice(0, LONGEST)}\u2026` : step.text;
  return element(
    "tr",
    {},
    element(
      "th",
      { scope: "row" },
      isOnset ? element("mark", {}, `${step.index}, onset`) : String(step.index),
    ),
    element("td", { class: "word" }, step.effect === "neither" ? "" : step.effect),
    element("td", { class: "word" }, `${depth}${roleWords(step)}`),
    element("td", { class: "word", style: "white-space:pre-wrap" }, own.length > 0 ? words : text),
  );
}

const LINE = 120;

/** The step of the failure, or why it is not known. */
export function onsetWords({ onset, claims, truth, baselines, recovered }: Diagnosis): string {
  if (truth === "none") return "the true state is unknown";
  const judged = claims.filter(({ verdict }) => verdict === "right" || verdict === "wrong").length;
  if (judged === 0) return "no claim can be checked";
  const first = baselines.firstError;
  const back = recovered.length === 0 ? "" : `, corrected at step ${recovered.at(-1)}`;
  if (onset === null)
    return first === null
      ? `state kept: ${judged === 1 ? "its one claim is correct" : `all ${judged} claims are correct`}`
      : `state kept at the end; first error at step ${first}${back}`;
  const behind = onset.after === null ? "wrong from the first claim" : `correct at step ${onset.after}`;
  const wrong = claims.filter(({ step, verdict }) => step === onset.step && verdict === "wrong");
  const earlier = first === onset.step ? "" : `; first error at step ${first}${back}`;
  return `state lost at step ${onset.step} (${behind}): ${wrong.map(claimWords).join(", ")}${earlier}`;
}

/** `total = 7, true 6` */
export function claimWords({ name, value, truth, verdict }: JudgedClaim): string {
  const said = `${name} = ${cut(value)}`;
  if (verdict === "wrong") return `${said} (true: ${truth === null ? "no such state" : cut(truth)})`;
  return verdict === "right" ? said : `${said} (${verdict})`;
}

/** The tree of steps, one per line; steps that only read the state are indented. */
export function diagnosisText(diagnosis: Diagnosis): string {
  const { transcript, onset, chain, truth, aligned } = diagnosis;
  const { name, format, steps } = transcript;
  const count = (effect: TranscriptStep["effect"], noun: string) =>
    formatCount(steps.filter((step) => step.effect === effect).length, noun);
  const against =
    truth === "none" ? "" : `; compared with the ${truth === "world" ? "environment" : truth}, by ${aligned}`;
  return [
    `${name === "" ? "transcript" : name} (${format}): ${formatCount(steps.length, "step")}: ${count("changes", "change")}, ${count("explores", "read")}${against}`,
    onsetWords(diagnosis),
    ...steps.map((step) => textLine(step, diagnosis)),
    ...chain
      .filter(({ step }) => step !== onset?.step)
      .map(({ step, names, from }) => `then step ${step}: ${names.join(", ")}, ${causeWords(from)}`),
  ].join("\n");
}

const roles = { asked: "prompt", said: "model", answered: "result" } as const;
const roleWords = ({ role, tool }: TranscriptStep) => (role === "called" ? `call ${tool}` : roles[role]);

const causeWords = (from: readonly string[]) =>
  from.length === 0 ? "a new error" : `computed from ${from.join(", ")}`;

function textLine(step: TranscriptStep, { claims, onset, truth }: Diagnosis): string {
  const own = claims.filter((claim) => claim.step === step.index);
  const isWrong = own.some(({ verdict }) => verdict === "wrong");
  const mark = onset?.step === step.index ? "X" : isWrong ? "!" : " ";
  const indent = step.effect === "changes" ? "" : "  ";
  const words =
    own.length > 0
      ? own.map(claimWords).join(", ")
      : truth === "none" && step.claims.length > 0
        ? step.claims.map(({ name, value }) => `${name} = ${cut(value)}`).join(", ")
        : cut(step.text.replaceAll(/\s+/g, " ").trim());
  return `${mark} ${String(step.index).padStart(3)} ${indent}${roleWords(step)}: ${words}`;
}

const cut = (text: string) => (text.length > LINE ? `${text.slice(0, LINE - 3)}...` : text);
