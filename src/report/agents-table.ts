/** @file Episodes of agents as plain text: what each arm comes to, what it was shown, how its cells ended. */

import type { AgentArm, AgentResults } from "../schemas/agents.ts";
import { textTable } from "./text-table.ts";

type Mean = AgentArm["turns"];

const dash = "\u2013";
const withError = ({ mean, error }: Mean, digits: number) =>
  error === null ? mean.toFixed(digits) : `${mean.toFixed(digits)} ± ${error.toFixed(digits)}`;

/** Errors are standard errors over episodes; the worlds' own numbers stand behind `share`. */
export function agentsTable({ world, control, policy, seed, arms, asked }: AgentResults): string {
  const keys = Object.keys(arms[0]?.score ?? {}).filter((key) => key !== "share");
  const shown = keys.filter((key) => arms.some(({ score }) => score[key] !== undefined));
  const table = textTable({
    columns: [
      "runtime",
      "view",
      "episodes",
      "over",
      "share",
      ...shown.map(spaced),
      "turns",
      "tokens: peak",
      "processed",
      "replied",
    ],
    rows: arms.map(({ runtime, view, episodes, over, score, turns, tokens }) => [
      ...[runtime, view, episodes, over],
      withError(score.share, 3),
      ...shown.map((key) => shortMean(score[key])),
      shortMean(turns),
      ...[tokens.peak, tokens.processed, tokens.replied].map(({ mean }) => mean.toFixed(0)),
    ]),
  });
  const errors = arms.map(({ runtime, view, errors: counts, episodes }) => {
    const kinds = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`);
    return `${runtime}, ${view}: of ${episodes} episodes with a cell that did not finish: ${kinds.join(", ") || "none"}`;
  });
  const [smallest] = arms
    .map(({ detectable }) => detectable)
    .filter((each) => each !== null)
    .toSorted((a, b) => b - a);
  return [
    `${world}, ${control}, ${policy}, seed ${seed}; means over episodes, share with its standard error`,
    table,
    ...errors,
    ...lossesIn(asked),
    ...(smallest === undefined
      ? []
      : [
          `a difference of shares of ${smallest.toFixed(3)} between two arms would be found four times of five`,
        ]),
  ].join("\n");
}

/** What of the episodes was not the model's to answer, and what it had no tokens for. */
function lossesIn(asked: AgentResults["asked"]): string[] {
  if (asked === undefined) return [];
  const { replies, outOfTokens, unanswered } = asked;
  const lost = Object.values(unanswered).reduce((sum, count) => sum + count, 0);
  return [
    ...(outOfTokens === 0
      ? []
      : [
          `${outOfTokens} of ${replies} replies ran out of tokens and were run as far as they went; see --max-tokens`,
        ]),
    ...(lost === 0
      ? []
      : [
          `${lost} episodes were lost to the endpoint and are in no figure; the same command asks for them again`,
        ]),
  ];
}

const shortMean = (each: Mean | undefined) =>
  each === undefined ? dash : each.mean.toFixed(Math.abs(each.mean) < 10 ? 2 : 1);

/** takenUnseen: taken unseen. */
const spaced = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
