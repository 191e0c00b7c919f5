/**
 * @file The report of episodes, as a page and as text: score and ceiling of each condition, tokens, how its cells ended, context over time.
 *
 * The size of the page does not grow with the number of episodes: it shows a few of each arm, ledger.jsonl has all.
 */

import type { Line } from "../analysis/figures.ts";
import { formatCount, integer } from "../core/format.ts";
import { mean } from "../core/statistics.ts";
import type { AgentArm, AgentResults, EpisodeBegin, EpisodeEnd, EpisodeTurn } from "../schemas/agents.ts";
import { linesFigure } from "./figures/lines.ts";
import { card, command, facts, muted, plainTable, reportPage, section } from "./html.ts";
import { spaced } from "./shares.ts";
import { element, type Markup } from "./svg.ts";
import { textTable } from "./text-table.ts";

export interface ReportedEpisode {
  readonly begin: EpisodeBegin;
  readonly turns: readonly EpisodeTurn[];
  readonly end: EpisodeEnd;
}

/** Episodes shown per arm: the first ones, and the first in which a cell did not finish. */
const shownEach = 1;
/** Characters of a cell or of its output. */
const longest = 3_000;

/** One self-contained HTML file. */
export function agentsReport(results: AgentResults, episodes: readonly ReportedEpisode[]): string {
  const { world, control, policy, arms, asked, seed } = results;
  const who = asked === undefined ? policy : `${asked.model} (${policy})`;
  return reportPage(
    { eyebrow: `agent \u00B7 ${control}, seed ${seed}`, title: `${who} in ${world}` },
    missingSection(results),
    section("Scores", worthTable(arms), tokensTable(arms)),
    section("Failed cells", errorTable(arms)),
    contextSection(arms, episodes),
    section("Step by step", chosen(episodes).map(episodeCard)),
    askedSection(results),
  );
}

type Mean = AgentArm["turns"];
const withError = ({ mean: middle, error }: Mean, digits: number) =>
  error === null ? middle.toFixed(digits) : `${middle.toFixed(digits)} \u00B1 ${error.toFixed(digits)}`;
const armOf = ({ runtime, view }: Pick<AgentArm, "runtime" | "view">) => `${runtime}, ${view}`;

/** Episodes and replies that the tables do not count in full. */
function missingSection({ asked, arms }: AgentResults): Markup | null {
  const { replies = 0, outOfTokens = 0, unanswered = {} } = asked ?? {};
  const rows = [
    ...Object.entries(unanswered).map(([arm, count]) => {
      const of = arms.find((each) => armOf(each) === arm)?.episodes ?? 0;
      return [`${arm}: episodes lost to the endpoint, excluded`, String(count), String(count + of)];
    }),
    ...(outOfTokens === 0
      ? []
      : [["replies out of tokens, run as received", String(outOfTokens), String(replies)]]),
  ];
  return rows.length === 0 ? null : section("Missing", plainTable({ columns: ["", "count", "of"], rows }));
}

function worthTable(arms: readonly AgentArm[]): Markup {
  const keys = [...new Set(arms.flatMap(({ score }) => Object.keys(score)))].filter((key) => key !== "share");
  return plainTable(
    {
      columns: ["condition", "episodes", "finished", "share of the optimum", ...keys.map(spaced)],
      rows: arms.map((arm) => [
        ...[armOf(arm), String(arm.episodes), String(arm.over), withError(arm.score.share, 3)],
        ...keys.map((key) => (arm.score[key] === undefined ? "\u2013" : short(arm.score[key]))),
      ]),
    },
    1,
    "Means over episodes; share ± standard error. Ceiling: the expected value of a bounded inspection, if the environment computes it.",
  );
}

const short = ({ mean: middle }: Mean) => middle.toFixed(Math.abs(middle) < 10 ? 3 : 1);

const tokensTable = (arms: readonly AgentArm[]) =>
  plainTable(
    {
      columns: ["condition", "turns", "tool calls", "longest prompt", "processed", "written"],
      rows: arms.map((arm) => [
        ...[armOf(arm), short(arm.turns), short(arm.calls)],
        ...[arm.tokens.peak, arm.tokens.processed, arm.tokens.replied].map(({ mean: middle }) =>
          integer(Math.round(middle)),
        ),
      ]),
    },
    1,
    "A token is a run of letters and digits, or another character. Processed: the sum of an episode's prompts.",
  );

function errorTable(arms: readonly AgentArm[]): Markup {
  const kinds = [...new Set(arms.flatMap(({ errors }) => Object.keys(errors)))].toSorted();
  return plainTable(
    {
      columns: ["condition", "episodes", ...kinds],
      rows: arms.map((arm) => [
        ...[armOf(arm), String(arm.episodes)],
        ...kinds.map((kind) => String(arm.errors[kind] ?? 0)),
      ]),
    },
    1,
    "Episodes with at least one cell that raised this exception or exceeded this limit.",
  );
}

/** The mean prompt of each turn, as a share of the longest of these means, over episodes that reached that turn. */
function contextSection(arms: readonly AgentArm[], episodes: readonly ReportedEpisode[]): Markup {
  const lines = arms.map((arm) => {
    const own = episodes.filter(({ begin }) => begin.runtime === arm.runtime && begin.view === arm.view);
    const turns = Math.max(0, ...own.map(({ turns: each }) => each.length));
    const at = (turn: number) => mean(own.flatMap(({ turns: each }) => each[turn]?.shown ?? []));
    return { arm, points: Array.from({ length: turns }, (_, turn) => [turn + 1, at(turn)] as const) };
  });
  const most = Math.max(1, ...lines.flatMap(({ points }) => points.map(([, shown]) => shown)));
  const drawn: Line[] = lines.map(({ arm, points }, index) => ({
    ...{ label: armOf(arm), index },
    seeds: [{ seed: 0, points: points.map(([turn, shown]) => [turn, shown / most] as const) }],
  }));
  return section(
    "Context over time",
    card(
      linesFigure({
        kind: "lines",
        title: `Tokens shown, of ${integer(Math.round(most))}`,
        xLabel: "turn",
        scale: "linear",
        chance: 0,
        lines: drawn,
      }),
    ),
    muted("The mean prompt of each turn, over the episodes that reached it."),
  );
}

/** The first episode of each arm, and the first with a cell that did not finish. */
function chosen(episodes: readonly ReportedEpisode[]): ReportedEpisode[] {
  const names = [...new Set(episodes.map(({ begin }) => armOf(begin)))];
  return names.flatMap((name) => {
    const own = episodes.filter(({ begin }) => armOf(begin) === name);
    const failed = own.slice(shownEach).find(({ end }) => Object.keys(end.errors).length > 0);
    const first = own.slice(0, shownEach);
    const hasFailed = first.some(({ end }) => Object.keys(end.errors).length > 0);
    return [...first, ...(failed === undefined || hasFailed ? [] : [failed])];
  });
}

function episodeCard({ begin, turns, end }: ReportedEpisode): Markup {
  const score = Object.entries(end.score).map(([key, value]) => `${spaced(key)} ${Number(value.toFixed(3))}`);
  return element(
    "details",
    {},
    element(
      "summary",
      {},
      `${armOf(begin)}, episode ${begin.index}: ${formatCount(turns.length, "turn")}, ${score.join(", ")}`,
    ),
    turns.map((turn) =>
      element(
        "div",
        { class: "card below" },
        element(
          "h3",
          {},
          `Turn ${turn.turn + 1}: ${turn.shown} tokens shown, ${formatCount(turn.calls.length, "call")}`,
        ),
        command(cut(turn.replies[turn.replies.length - 1])),
        turn.replies.length === 1 ? null : muted(`The last of ${turn.replies.length} replies.`),
        command(cut(outcomeOf(turn))),
      ),
    ),
  );
}

const cut = (text: string) =>
  text.length > longest ? `${text.slice(0, longest)} ... (${text.length} characters)` : text;

function outcomeOf({ end, calls, refused }: EpisodeTurn): string {
  const answers = calls.map(({ name, arguments: given, answer }) => {
    const said = "error" in answer ? `${answer.error}: ${answer.message}` : JSON.stringify(answer.value);
    return `${name}(${given.map((each) => JSON.stringify(each)).join(", ")}) -> ${said}`;
  });
  const ended = end.end === "finished" ? "finished" : `${end.exception}: ${end.message}`;
  const more = refused === 0 ? [] : [`${formatCount(refused, "call")} refused`];
  return [...answers, ...more, ...(end.output === "" ? [] : [end.output.trimEnd()]), ended].join("\n");
}

function askedSection({ asked }: AgentResults): Markup | null {
  if (asked === undefined) return null;
  const counts = (of: Readonly<Record<string, number>>) =>
    Object.entries(of)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ");
  const entries: [string, string][] = [
    ["Endpoint", `${asked.endpoint}, ${asked.protocol}`],
    ["Model reported by the server", counts(asked.servedModels) || "none"],
    ["Replies", `${asked.replies}; finish reasons: ${counts(asked.finishes) || "none"}`],
    ["Out of tokens", `${asked.outOfTokens}, run as received`],
    [
      "Tokens counted by the server",
      `${integer(asked.tokens.prompt)} in prompts, ${integer(asked.tokens.reply)} in replies (${asked.tokens.counted} replies counted)`,
    ],
  ];
  return section("Model and endpoint", facts(entries));
}

/** The same as text. Errors are standard errors over episodes. */
export function agentsTable({ world, control, policy, seed, arms, asked }: AgentResults): string {
  const keys = Object.keys(arms[0]?.score ?? {}).filter((key) => key !== "share");
  const shown = keys.filter((key) => arms.some(({ score }) => score[key] !== undefined));
  const table = textTable({
    columns: [
      "runtime",
      "view",
      "episodes",
      "finished",
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
    return `${runtime}, ${view}: episodes with a failed cell, of ${episodes}: ${kinds.join(", ") || "none"}`;
  });
  const [smallest] = arms
    .map(({ detectable }) => detectable)
    .filter((each) => each !== null)
    .toSorted((a, b) => b - a);
  return [
    `${world}, ${control}, ${policy}, seed ${seed}; means over episodes; share ± standard error`,
    table,
    ...errors,
    ...lossesIn(asked),
    ...(smallest === undefined
      ? []
      : [`detectable difference in share between two conditions (power 80 %): ${smallest.toFixed(3)}`]),
  ].join("\n");
}

/** Replies cut at the token limit, episodes lost to the endpoint. */
function lossesIn(asked: AgentResults["asked"]): string[] {
  if (asked === undefined) return [];
  const { replies, outOfTokens, unanswered } = asked;
  const lost = Object.values(unanswered).reduce((sum, count) => sum + count, 0);
  return [
    ...(outOfTokens === 0
      ? []
      : [
          `${outOfTokens} of ${replies} replies ran out of tokens and were run as received; see --max-tokens`,
        ]),
    ...(lost === 0
      ? []
      : [
          `${lost} episodes were lost to the endpoint and are excluded; run the same command again to request them`,
        ]),
  ];
}

const shortMean = (each: Mean | undefined) =>
  each === undefined ? "\u2013" : each.mean.toFixed(Math.abs(each.mean) < 10 ? 2 : 1);
