/** @file Diagnoses of transcripts as a page: the sentence, the tree of steps with the onset marked, the chain behind it. */

import type { Diagnosis, TranscriptStep } from "../schemas/transcript.ts";
import { claimWords, onsetWords } from "./diagnosis-text.ts";
import { page, section } from "./html.ts";
import { element, type Markup } from "./svg.ts";

/** Transcripts that stand in the page whole; of the others the sentence alone. */
const SHOWN = 50;
const LONGEST = 2_000;

/** One self-contained HTML file. */
export function diagnosisReport(file: string, diagnoses: readonly Diagnosis[]): string {
  const lost = diagnoses.filter(({ onset }) => onset !== null).length;
  const known = diagnoses.filter(({ truth }) => truth !== "none").length;
  const lead =
    diagnoses.length === 1
      ? `${capital(onsetWords(diagnoses[0]))}.`
      : `${lost} of ${known} transcripts whose truth is known lose the state; ${diagnoses.length} were read.`;
  return page({
    title: `${file} \u00B7 Statelab`,
    description: lead,
    body: [
      element(
        "main",
        {},
        element(
          "header",
          {},
          element("p", { class: "eyebrow" }, "Statelab \u00B7 diagnose"),
          element("h1", {}, file),
          element("p", { class: "lead" }, lead),
        ),
        diagnoses.slice(0, SHOWN).map(transcriptSection),
        diagnoses.length > SHOWN
          ? section(
              "Others",
              element(
                "ul",
                {},
                diagnoses
                  .slice(SHOWN)
                  .map((each) => element("li", {}, `${nameOf(each)}: ${onsetWords(each)}`)),
              ),
            )
          : null,
      ),
    ],
  });
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const nameOf = ({ transcript }: Diagnosis) => (transcript.name === "" ? "Transcript" : transcript.name);

function transcriptSection(diagnosis: Diagnosis): Markup {
  const { transcript, chain, onset } = diagnosis;
  const head = ["step", "effect", "who", "what it claims, or says"];
  const behind = chain.filter(({ step }) => step !== onset?.step);
  return section(
    nameOf(diagnosis),
    element("p", {}, `${capital(onsetWords(diagnosis))}.`),
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
            head.map((name) => element("th", { scope: "col", class: "word" }, name)),
          ),
        ),
        element(
          "tbody",
          {},
          transcript.steps.map((step) => stepRow(step, diagnosis)),
        ),
      ),
    ),
    behind.length === 0
      ? null
      : element(
          "ul",
          {},
          behind.map(({ step, names, from }) =>
            element(
              "li",
              {},
              `Step ${step}: ${names.join(", ")} ${from.length === 0 ? "(a mistake of its own)" : `made of ${from.join(", ")}`}`,
            ),
          ),
        ),
  );
}

function stepRow(step: TranscriptStep, { claims, onset }: Diagnosis): Markup {
  const own = claims.filter((claim) => claim.step === step.index);
  const isOnset = onset?.step === step.index;
  const depth = step.effect === "changes" ? "" : "\u2003";
  const who = step.role === "called" ? `called ${step.tool}` : step.role;
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
    element("td", { class: "word" }, `${depth}${who}`),
    element("td", { class: "word", style: "white-space:pre-wrap" }, own.length > 0 ? words : text),
  );
}
