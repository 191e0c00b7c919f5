/**
 * @file The report of episodes: what each arm is worth beside its ceiling, what it was shown and processed, how its cells ended, how
 * the context grew, and episodes step by step.
 *
 * Its size does not grow with the number of episodes: a few of each arm stand in it, all of them in ledger.jsonl.
 */

import type { Line } from "../analysis/figures.ts";
import { counted, integer } from "../core/format.ts";
import { mean } from "../core/statistics.ts";
import type { AgentArm, AgentResults, EpisodeBegin, EpisodeEnd, EpisodeTurn } from "../schemas/agents.ts";
import { linesFigure } from "./figures/lines.ts";
import { page, section } from "./html.ts";
import { spaced } from "./shares.ts";
import { type Child, element, type Markup } from "./svg.ts";

export interface ReportedEpisode {
  readonly begin: EpisodeBegin;
  readonly turns: readonly EpisodeTurn[];
  readonly end: EpisodeEnd;
}

/** Episodes of each arm that stand in the page: the first ones, and the first in which a cell did not finish. */
const shownEach = 1;
/** Characters of a cell or of what it printed. */
const longest = 3_000;

/** One self-contained HTML file. */
export function agentsReport(results: AgentResults, episodes: readonly ReportedEpisode[]): string {
  const { world, control, policy, arms, asked } = results;
  const who = asked === undefined ? policy : `${asked.model} (${policy})`;
  const lead = arms.map(({ runtime, view, score }) => `${runtime}, ${view}: ${withError(score.share, 3)}`);
  const title = `${who} in ${world}`;
  return page({
    title: `${title} \u00B7 Statelab`,
    description: lead.join("; "),
    body: [
      element(
        "main",
        {},
        element(
          "header",
          {},
          element("p", { class: "eyebrow" }, `Statelab \u00B7 agent \u00B7 ${control}, seed ${results.seed}`),
          element("h1", {}, title),
          element("p", { class: "lead" }, `Of the best that could be: ${lead.join("; ")}.`),
          missingWords(results),
        ),
        section(
          "What each arm is worth",
          element("div", { class: "card flow" }, worthTable(arms)),
          element("div", { class: "card flow below" }, tokensTable(arms)),
        ),
        section("How cells ended", element("div", { class: "card flow" }, errorTable(arms))),
        contextSection(arms, episodes),
        section("Step by step", chosen(episodes).map(episodeCard)),
        askedSection(results),
      ),
    ],
  });
}

type Mean = AgentArm["turns"];
const withError = ({ mean: middle, error }: Mean, digits: number) =>
  error === null ? middle.toFixed(digits) : `${middle.toFixed(digits)} \u00B1 ${error.toFixed(digits)}`;
const armOf = ({ runtime, view }: Pick<AgentArm, "runtime" | "view">) => `${runtime}, ${view}`;

/** What is in no figure is said at the top. */
function missingWords({ asked }: AgentResults): Markup | null {
  const lost = Object.entries(asked?.unanswered ?? {});
  const { replies = 0, outOfTokens = 0 } = asked ?? {};
  if (lost.length === 0 && outOfTokens === 0) return null;
  const words = lost.map(([arm, count]) => `${counted(count, "episode")} of ${arm}`).join(", ");
  return element("p", { class: "caution" }, [
    ...(lost.length === 0 ? [] : [`Not answered to their end by the endpoint, and in no figure: ${words}. `]),
    ...(outOfTokens === 0
      ? []
      : [
          `Out of tokens, and run as far as they went: ${outOfTokens} of ${counted(replies, "reply", "replies")}.`,
        ]),
  ]);
}

function table(heads: readonly string[], rows: readonly (readonly string[])[], caption: string): Markup {
  return element(
    "table",
    { class: "all" },
    element("caption", {}, caption),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        heads.map((head, i) => element("th", { scope: "col", ...(i === 0 && { class: "word" }) }, head)),
      ),
    ),
    element(
      "tbody",
      {},
      rows.map(([first, ...rest]) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, first),
          rest.map((cell) => element("td", {}, cell)),
        ),
      ),
    ),
  );
}

function worthTable(arms: readonly AgentArm[]): Markup {
  const keys = [...new Set(arms.flatMap(({ score }) => Object.keys(score)))].filter((key) => key !== "share");
  return table(
    ["arm", "episodes", "over", "share of the best", ...keys.map(spaced)],
    arms.map((arm) => [
      ...[armOf(arm), String(arm.episodes), String(arm.over), withError(arm.score.share, 3)],
      ...keys.map((key) => (arm.score[key] === undefined ? "\u2013" : short(arm.score[key]))),
    ]),
    "Means over episodes; share with its standard error. Of the ceiling: what a bounded inspection can expect, where the world knows it.",
  );
}

const short = ({ mean: middle }: Mean) => middle.toFixed(Math.abs(middle) < 10 ? 3 : 1);

const tokensTable = (arms: readonly AgentArm[]) =>
  table(
    ["arm", "turns", "calls of tools", "longest prompt", "processed", "written"],
    arms.map((arm) => [
      ...[armOf(arm), short(arm.turns), short(arm.calls)],
      ...[arm.tokens.peak, arm.tokens.processed, arm.tokens.replied].map(({ mean: middle }) =>
        integer(Math.round(middle)),
      ),
    ]),
    "Tokens: runs of letters and digits, and other characters. Processed: all prompts of an episode together.",
  );

function errorTable(arms: readonly AgentArm[]): Markup {
  const kinds = [...new Set(arms.flatMap(({ errors }) => Object.keys(errors)))].toSorted();
  return table(
    ["arm", "episodes", ...kinds],
    arms.map((arm) => [
      ...[armOf(arm), String(arm.episodes)],
      ...kinds.map((kind) => String(arm.errors[kind] ?? 0)),
    ]),
    kinds.length === 0
      ? "Every cell finished."
      : "Episodes in which a cell ended so at least once, by Python's name for it or by the limit that it passed.",
  );
}

/** The mean prompt of each turn, as a share of the longest of these means, over episodes that came to that turn. */
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
    element(
      "div",
      { class: "card" },
      linesFigure({
        kind: "lines",
        title: `Tokens shown, of ${integer(Math.round(most))}`,
        xLabel: "turn",
        scale: "linear",
        chance: 0,
        lines: drawn,
      }),
    ),
    element("p", { class: "muted" }, "The mean prompt of each turn, over the episodes that came to it."),
  );
}

/** Of each arm the first, and the first with a cell that did not finish. */
function chosen(episodes: readonly ReportedEpisode[]): ReportedEpisode[] {
  const names = [...new Set(episodes.map(({ begin }) => armOf(begin)))];
  return names.flatMap((name) => {
    const own = episodes.filter(({ begin }) => armOf(begin) === name);
    const failed = own.slice(shownEach).find(({ end }) => Object.keys(end.errors).length > 0);
    const first = own.slice(0, shownEach);
    const told = first.some(({ end }) => Object.keys(end.errors).length > 0);
    return [...first, ...(failed === undefined || told ? [] : [failed])];
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
      `${armOf(begin)}, episode ${begin.index}: ${counted(turns.length, "turn")}, ${score.join(", ")}`,
    ),
    turns.map((turn) =>
      element(
        "div",
        { class: "card below" },
        element(
          "h3",
          {},
          `Turn ${turn.turn + 1}: ${turn.shown} tokens shown, ${counted(turn.calls.length, "call")}`,
        ),
        block(turn.replies[turn.replies.length - 1]),
        turn.replies.length === 1
          ? null
          : element(
              "p",
              { class: "muted" },
              `${turn.replies.length} replies were asked for; this is the last.`,
            ),
        block(outcomeOf(turn)),
      ),
    ),
  );
}

const block = (text: string): Child => element("pre", { class: "command" }, element("code", {}, cut(text)));
const cut = (text: string) =>
  text.length > longest ? `${text.slice(0, longest)} ... (${text.length} characters)` : text;

function outcomeOf({ end, calls, refused }: EpisodeTurn): string {
  const answers = calls.map(({ name, arguments: given, answer }) => {
    const said = "error" in answer ? `${answer.error}: ${answer.message}` : JSON.stringify(answer.value);
    return `${name}(${given.map((each) => JSON.stringify(each)).join(", ")}) -> ${said}`;
  });
  const ended = end.end === "finished" ? "finished" : `${end.exception}: ${end.message}`;
  const more = refused === 0 ? [] : [`${counted(refused, "call")} refused`];
  return [...answers, ...more, ...(end.output === "" ? [] : [end.output.trimEnd()]), ended].join("\n");
}

function askedSection({ asked }: AgentResults): Markup | null {
  if (asked === undefined) return null;
  const counts = (of: Readonly<Record<string, number>>) =>
    Object.entries(of)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ");
  const facts = [
    ["Endpoint", `${asked.endpoint}, ${asked.protocol}`],
    ["Model, as the server gave it", counts(asked.servedModels) || "not said"],
    ["Replies", `${asked.replies}, ended by ${counts(asked.finishes) || "nothing"}`],
    ["Out of tokens", `${asked.outOfTokens}, run as far as they went`],
    [
      "Tokens, as the server counted them",
      `${integer(asked.tokens.prompt)} of prompts, ${integer(asked.tokens.reply)} of replies (${asked.tokens.counted} replies counted)`,
    ],
  ];
  return section(
    "Who was asked",
    element(
      "dl",
      { class: "facts" },
      facts.map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
    ),
  );
}
