/**
 * @file A diagnosis as plain text: the tree of steps, what each claims, where the state is lost.
 *
 *     lost at step 6, behind step 4: total = 7, true 6 (the first error is at step 2, recovered at 4)
 *       |- 2 ! total = 5 (true 4)
 *       |- 4   total = 6
 *       6 ONSET total = 7 (true 6)
 */

import type { Diagnosis, JudgedClaim, TranscriptStep } from "../schemas/transcript.ts";

const LONGEST = 120;

/** A sentence: where it fails, or why that is not known. */
export function onsetWords({ onset, claims, truth, baselines, recovered }: Diagnosis): string {
  if (truth === "none") return "nothing is known to hold its claims against";
  const told = claims.filter(({ verdict }) => verdict === "right" || verdict === "wrong").length;
  if (told === 0) return "it claims nothing that could be held against the truth";
  const first = baselines.firstError;
  const back = recovered.length === 0 ? "" : `, right again at step ${recovered.at(-1)}`;
  if (onset === null)
    return first === null
      ? `no failure: ${told === 1 ? "its one claim holds" : `all ${told} claims hold`}`
      : `no failure in the end: the first error is at step ${first}${back}`;
  const behind = onset.after === null ? "from the first claim on" : `it was right at step ${onset.after}`;
  const wrong = claims.filter(({ step, verdict }) => step === onset.step && verdict === "wrong");
  const earlier = first === onset.step ? "" : `; the first error, at step ${first}, was mended${back}`;
  return `lost at step ${onset.step} (${behind}): ${wrong.map(claimWords).join(", ")}${earlier}`;
}

/** `total = 7, true 6` */
export function claimWords({ name, value, truth, verdict }: JudgedClaim): string {
  const said = `${name} = ${cut(value)}`;
  if (verdict === "wrong") return `${said} (true: ${truth === null ? "there is no such state" : cut(truth)})`;
  return verdict === "right" ? said : `${said} (${verdict})`;
}

/** Lines: the tree, a step a line, exploring ones set in beneath the state that they look at. */
export function diagnosisText(diagnosis: Diagnosis): string {
  const { transcript, onset, chain, truth, aligned } = diagnosis;
  const { name, format, steps } = transcript;
  const counts = (["changes", "explores"] as const).map(
    (effect) =>
      `${steps.filter((step) => step.effect === effect).length} ${effect === "changes" ? "change" : "explore"}`,
  );
  const against = truth === "none" ? "" : `; held against the ${truth}, by ${aligned}`;
  return [
    `${name === "" ? "transcript" : name} (${format}): ${steps.length} steps, of which ${counts.join(", ")} the state${against}`,
    onsetWords(diagnosis),
    ...steps.map((step) => stepLine(step, diagnosis)),
    ...chain
      .filter(({ step }) => step !== onset?.step)
      .map(({ step, names, from }) =>
        from.length === 0
          ? `then step ${step}: ${names.join(", ")}, a mistake of its own`
          : `then step ${step}: ${names.join(", ")}, made of ${from.join(", ")}`,
      ),
  ].join("\n");
}

function stepLine(step: TranscriptStep, { claims, onset, truth }: Diagnosis): string {
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
  const who = step.role === "called" ? `called ${step.tool}` : step.role;
  return `${mark} ${String(step.index).padStart(3)} ${indent}${who}: ${words}`;
}

const cut = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text);
