/**
 * @file The report of an asking: accuracy by arm, each program as function and as trace, accuracy by steps, failures to read.
 *
 * Its size does not grow with the number of samples: the first failures stand in it, all samples in samples.jsonl.
 */

import { counted, integer, listed, percent, percentSign } from "../core/format.ts";
import type { ArmResult, AskResults, SampleRecord } from "../schemas/eval.ts";
import { pairsFigure, stepsFigure } from "./figures/ask.ts";
import { page, section } from "./html.ts";
import { spaced } from "./shares.ts";
import { type Child, element, type Markup } from "./svg.ts";

/** Failures that stand in the page. */
export const failuresShown = 60;
/** Characters of a prompt or a reply that stand in the page; the whole is in samples.jsonl. */
const longest = 6_000;

/** One self-contained HTML file. */
export function askReport(results: AskResults, failures: readonly SampleRecord[]): string {
  const { bench, model, endpoint, arms } = results;
  const best = arms.flatMap(({ arm, predict, passAt: [first] }) =>
    first?.value == null ? [] : [`${percentSign(first.value)} (${arm}, ${predict})`],
  );
  const title = `${model} on ${bench}`;
  const lead = best.length === 0 ? "Nothing was answered." : `Right: ${listed(best)}.`;
  return page({
    title: `${title} \u00B7 Statelab`,
    description: lead,
    body: [
      element(
        "main",
        {},
        element(
          "header",
          {},
          element("p", { class: "eyebrow" }, `Statelab \u00B7 ask \u00B7 ${endpoint}`),
          element("h1", {}, title),
          element("p", { class: "lead" }, lead),
          denominatorWords(results),
        ),
        section(
          "Accuracy by arm",
          element("div", { class: "card flow" }, armTable(results)),
          referenceWords(results),
        ),
        pairsSection(results),
        stepsSection(arms),
        failuresSection(results, failures.slice(0, failuresShown)),
        settingsSection(results),
      ),
    ],
  });
}

/** What the figures are of is said at the top, as a caution where something is missing. */
function denominatorWords({ denominator, arms, left }: AskResults): Markup {
  const lost = Object.keys(left).length > 0 || arms.some(({ outOfTokens }) => outOfTokens > 0);
  return element("p", { class: lost ? "caution" : "muted" }, `${denominator}.`);
}

/** What can be known of the same questions, where it was computed. */
function referenceWords({ references = {} }: AskResults): Markup | null {
  const known = Object.entries(references).map(([name, share]) => `${spaced(name)} ${percentSign(share)}`);
  return known.length === 0 ? null : element("p", {}, `Computed for the same questions: ${listed(known)}.`);
}

function armTable({ arms }: AskResults): Markup {
  const ks = arms[0]?.passAt.map(({ k }) => k) ?? [];
  const both = isBoth(arms);
  const heads = [
    ...["programs", ...ks.map((k) => `pass@${k}, %`)],
    ...(both ? ["programs without missing", ...ks.map((k) => `pass@${k}, %`)] : []),
    ...["wrong", "unreadable", "out of tokens", "lost to the endpoint"],
  ];
  const headings = heads.map((name) => element("th", { scope: "col" }, name));
  return element(
    "table",
    { class: "all" },
    element("caption", {}, "pass@k over programs; small: 95 %, over programs."),
    element("thead", {}, element("tr", {}, element("th", { scope: "col", class: "word" }, "arm"), headings)),
    element(
      "tbody",
      {},
      arms.map((arm) => armRow(arm, both)),
    ),
  );
}

/** Whether there are figures with and without missing answers, and a difference between them. */
const isBoth = (arms: readonly ArmResult[]) =>
  arms.some(({ excluding, outOfTokens }) => excluding !== null && outOfTokens > 0);

function armRow(result: ArmResult, both: boolean): Markup {
  const { arm, predict, programs, passAt, excluding, wrong, unreadable, outOfTokens, unanswered } = result;
  const counts = [wrong, unreadable, outOfTokens, unanswered].map((count) =>
    element("td", {}, String(count)),
  );
  const name = element("th", { scope: "row" }, `${arm}, ${predict}`);
  const without = both
    ? [element("td", {}, String(excluding?.programs ?? 0)), passCells(excluding?.passAt ?? [])]
    : [];
  return element("tr", {}, name, element("td", {}, String(programs)), passCells(passAt), without, counts);
}

function passCells(passAt: ArmResult["passAt"]): Markup[] {
  return passAt.map(({ value, interval }) =>
    value === null || interval === null
      ? element("td", {}, "\u2013")
      : element(
          "td",
          {},
          element("data", { value: String(value) }, percent(value)),
          element("small", {}, interval.map(percent).join(" to ")),
        ),
  );
}

function pairsSection({ pairs }: AskResults): Markup | null {
  const figures = (["output", "input"] as const).flatMap((predict) => {
    const own = pairs.filter((pair) => pair.predict === predict);
    return own.length === 0
      ? []
      : [element("div", { class: "card" }, pairsFigure(`${predict} prediction`, own))];
  });
  if (figures.length === 0) return null;
  return section(
    "The same programs as functions and as traces",
    element(
      "p",
      {},
      "Each program's accuracy over its samples. Above the diagonal: the trace is easier than the function.",
    ),
    element("div", { class: "grid" }, figures),
  );
}

function stepsSection(arms: readonly ArmResult[]): Markup {
  const known = arms.filter(({ bySteps }) => bySteps.length > 0);
  const heading = "Accuracy by number of steps";
  if (known.length === 0)
    return section(heading, element("p", { class: "muted" }, "The steps are not known: ask with --traces."));
  return section(
    heading,
    element(
      "p",
      {},
      "Mean accuracy of the programs with so many steps or commands; the bars are Wilson's 95 % interval.",
    ),
    element(
      "div",
      { class: "grid" },
      known.map((arm, i) =>
        element("div", { class: "card" }, stepsFigure(`${arm.arm}, ${arm.predict}`, i, arm.bySteps)),
      ),
    ),
  );
}

function failuresSection({ arms }: AskResults, failures: readonly SampleRecord[]): Markup {
  const all = arms.reduce(
    (sum, { wrong, unreadable, outOfTokens }) => sum + wrong + unreadable + outOfTokens,
    0,
  );
  if (all === 0) return section("Failures", element("p", { class: "muted" }, "There is none."));
  return section(
    "Failures",
    element(
      "p",
      {},
      `${failures.length} of ${counted(all, "failure")}. Every sample, with its whole prompt, is in `,
      element("a", { href: "samples.jsonl" }, "samples.jsonl"),
      ".",
    ),
    failures.map(failureCard),
  );
}

function failureCard({ sample, prompt, replies, extracted, expected, verdict, words }: SampleRecord): Markup {
  const facts: readonly (readonly [string, Child])[] = [
    ["Extracted", extracted === null ? "nothing" : element("code", {}, cut(extracted))],
    ["Expected", element("code", {}, cut(expected))],
    ["Verdict", words === "" ? verdict : `${verdict}: ${words}`],
  ];
  return element(
    "div",
    { class: "card" },
    element("h3", {}, sample),
    element(
      "dl",
      { class: "facts" },
      facts.map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
    ),
    element("p", { class: "muted" }, "Prompt"),
    element("pre", { class: "command" }, element("code", {}, cut(prompt))),
    element("p", { class: "muted" }, replies.length === 1 ? "Reply" : `Last of ${replies.length} replies`),
    element("pre", { class: "command" }, element("code", {}, cut(replies.at(-1)!))), // the schema asks for one
  );
}

function settingsSection(results: AskResults): Markup {
  const {
    protocol,
    style,
    scoring,
    samples,
    parameters,
    seed,
    data,
    traces,
    shots,
    prompt,
    params,
    excluded,
  } = results;
  const facts: readonly (readonly [string, string])[] = [
    ["Bench", `${results.bench} ${JSON.stringify(params)}`],
    ["Protocol", `${protocol}, ${style}`],
    ["Scoring", scoring],
    [
      "Samples",
      `${samples} a program, temperature ${parameters.temperature}, at most ${parameters.maximumTokens} tokens`,
    ],
    ["Missing answers", missingWords[results.missing]],
    ["Model, as the server gave it", countsOf(results.servedModels) || "not said"],
    ["Replies ended by", countsOf(results.finishes) || "nothing"],
    ["Requests were sent with", listed(results.adapted) || "what was ordered"],
    ["Tokens", tokensOf(results)],
    ...(results.speed === null ? [] : [["Speed", speedWords(results.speed)] as const]),
    ["Seed", String(seed)],
    ["Data", data ?? "made by the bench"],
    ["Traces", traces ?? "none"],
    ["Prompt", prompt ?? "the bench's own words"],
    ["Worked examples", shots === null ? "the bench's own" : String(shots)],
  ];
  const reasons = new Map<string, number>();
  for (const { reason } of excluded) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const left = [...reasons].toSorted(([, a], [, b]) => b - a).slice(0, 20);
  return section(
    "How it was asked",
    element(
      "dl",
      { class: "facts" },
      facts.map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
    ),
    left.length === 0
      ? null
      : [
          element(
            "p",
            {},
            `Not asked: ${counted(excluded.length, "question")}, each with its reason in results.json. The reasons:`,
          ),
          element(
            "ul",
            {},
            left.map(([reason, count]) => element("li", {}, `${count}: ${reason}`)),
          ),
        ],
  );
}

const missingWords = {
  both: "counted as wrong, and beside it excluded",
  wrong: "counted as wrong",
  excluded: "excluded with their programs",
} as const;

function tokensOf({ tokens: { prompt, reply, counted: known }, cost }: AskResults): string {
  if (known === 0) return "not counted by the server";
  const paid =
    cost === null ? "" : `; ${cost.total.toFixed(4)} at ${cost.input} and ${cost.output} per million`;
  return `${counted(prompt, "token")} of prompts, ${integer(reply)} of replies, as the server counted them in ${counted(known, "answer")}${paid}`;
}

const countsOf = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `${name} (${count})`)
    .join(", ");

function cut(text: string): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest / 2)}\n\u2026 ${text.length - longest} characters left out \u2026\n${text.slice(-longest / 2)}`;
}

/** `first token after 0.21 s (95th percentile 0.80 s), then 41 tokens a second (5th percentile 12), over 800 replies` */
export function speedWords({
  replies,
  firstToken,
  tokensPerSecond,
}: NonNullable<AskResults["speed"]>): string {
  const rate =
    tokensPerSecond === null
      ? ""
      : `, then ${digits(tokensPerSecond.median)} tokens a second (5th percentile ${digits(tokensPerSecond.p5)})`;
  return `first token after ${digits(firstToken.median)} s (95th percentile ${digits(firstToken.p95)} s)${rate}, over ${replies} ${replies === 1 ? "reply" : "replies"}`;
}

const digits = (value: number) => String(Number(value.toPrecision(2)));
