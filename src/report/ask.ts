/**
 * @file The report of an evaluation, as a page and as text: accuracy by arm, each program as function and as trace, accuracy by steps, failures.
 *
 * The size of the page does not grow with the number of samples: it shows the first failures, samples.jsonl has all samples.
 */

import { formatCount, formatList, integer, percent, percentSign } from "../core/format.ts";
import type { ArmResult, AskResults, SampleRecord } from "../schemas/eval.ts";
import { pairsFigure, stepsFigure } from "./figures/ask.ts";
import {
  card,
  cards,
  command,
  facts,
  list,
  muted,
  paragraph,
  plainTable,
  reportPage,
  section,
} from "./html.ts";
import { percent as percentOrDash, spaced } from "./shares.ts";
import { type Child, element, type Markup } from "./svg.ts";
import { textTable } from "./text-table.ts";

/** Failures shown in the page. */
export const failuresShown = 60;
/** Characters of a prompt or a reply shown in the page; samples.jsonl has the whole. */
const longest = 6_000;

/** One self-contained HTML file. */
export function askReport(results: AskResults, failures: readonly SampleRecord[]): string {
  const { bench, model, endpoint, arms, denominator, left } = results;
  const lost = Object.keys(left).length > 0 || arms.some(({ outOfTokens }) => outOfTokens > 0);
  return reportPage(
    {
      ...{ eyebrow: `eval \u00B7 ${endpoint}`, title: `${model} on ${bench}` },
      lead: element("p", { class: lost ? "caution" : "muted" }, `${denominator}.`),
    },
    section("Accuracy by arm", armTable(results), referenceFacts(results)),
    pairsSection(results),
    stepsSection(arms),
    failuresSection(results, failures.slice(0, failuresShown)),
    settingsSection(results),
  );
}

/** Accuracy of the computed references on the same questions. */
const referenceFacts = ({ references = {} }: AskResults) =>
  facts(Object.entries(references).map(([name, share]) => [spaced(name), percentSign(share)]));

function armTable({ arms }: AskResults): Markup {
  const ks = arms[0]?.passAt.map(({ k }) => k) ?? [];
  const both = arms.some(({ excluding, outOfTokens }) => excluding !== null && outOfTokens > 0);
  return plainTable(
    {
      columns: [
        ...["arm", "programs", ...ks.map((k) => `pass@${k}, %`)],
        ...(both ? ["programs without missing", ...ks.map((k) => `pass@${k}, %`)] : []),
        ...["wrong", "unreadable", "out of tokens", "lost to the endpoint"],
      ],
      rows: arms.map((result) => {
        const { arm, predict, programs, passAt, excluding } = result;
        const { wrong, unreadable, outOfTokens, unanswered } = result;
        return [
          ...[`${arm}, ${predict}`, String(programs), ...passCells(passAt)],
          ...(both
            ? [String(excluding?.programs ?? 0), ...ks.map((_, i) => passCells(excluding?.passAt ?? [])[i])]
            : []),
          ...[wrong, unreadable, outOfTokens, unanswered].map(String),
        ];
      }),
    },
    1,
    "pass@k over programs; small: 95 % confidence interval over programs.",
  );
}

const passCells = (passAt: ArmResult["passAt"]): Child[] =>
  passAt.map(({ value, interval }) =>
    value === null || interval === null
      ? "\u2013"
      : [
          element("data", { value: String(value) }, percent(value)),
          element("small", {}, interval.map(percent).join(" to ")),
        ],
  );

function pairsSection({ pairs }: AskResults): Markup | null {
  const figures = (["output", "input"] as const).flatMap((predict) => {
    const own = pairs.filter((pair) => pair.predict === predict);
    return own.length === 0 ? [] : [pairsFigure(`${predict} prediction`, own)];
  });
  if (figures.length === 0) return null;
  return section(
    "The same programs as functions and as traces",
    cards(
      figures,
      "Each program's accuracy over its samples. Above the diagonal: the trace is easier than the function.",
    ),
  );
}

function stepsSection(arms: readonly ArmResult[]): Markup {
  const known = arms.filter(({ bySteps }) => bySteps.length > 0);
  const heading = "Accuracy by number of steps";
  if (known.length === 0) return section(heading, muted("Steps unknown: run llm eval with --traces."));
  return section(
    heading,
    cards(
      known.map((arm, i) => stepsFigure(`${arm.arm}, ${arm.predict}`, i, arm.bySteps)),
      "Mean accuracy of the programs with that number of steps or commands; bars: 95 % confidence intervals over programs (Korn and Graubard 1998).",
    ),
  );
}

function failuresSection({ arms }: AskResults, failures: readonly SampleRecord[]): Markup {
  const all = arms.reduce(
    (sum, { wrong, unreadable, outOfTokens }) => sum + wrong + unreadable + outOfTokens,
    0,
  );
  if (all === 0) return section("Failures", muted("None."));
  return section(
    "Failures",
    paragraph(
      `${failures.length} of ${formatCount(all, "failure")}. All samples with their prompts: `,
      element("a", { href: "samples.jsonl" }, "samples.jsonl"),
      ".",
    ),
    failures.map(failureCard),
  );
}

function failureCard({ sample, prompt, replies, extracted, expected, verdict, words }: SampleRecord): Markup {
  const outcome: readonly (readonly [string, Child])[] = [
    ["Extracted", extracted === null ? "nothing" : element("code", {}, cut(extracted))],
    ["Expected", element("code", {}, cut(expected))],
    ["Verdict", words === "" ? verdict : `${verdict}: ${words}`],
  ];
  return card(
    element("h3", {}, sample),
    facts(outcome),
    muted("Prompt"),
    command(cut(prompt)),
    muted(replies.length === 1 ? "Reply" : `Last of ${replies.length} replies`),
    command(cut(replies.at(-1)!)), // the schema requires one
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
  const settings: readonly (readonly [string, string])[] = [
    ["Benchmark", `${results.bench} ${JSON.stringify(params)}`],
    ["Protocol", `${protocol}, ${style}`],
    ["Scoring", scoring],
    [
      "Samples",
      `${samples} per program, temperature ${parameters.temperature}, at most ${parameters.maximumTokens} tokens`,
    ],
    ["Missing answers", missingWords[results.missing]],
    ["Model reported by the server", countsOf(results.servedModels) || "none"],
    ["Finish reasons", countsOf(results.finishes) || "none"],
    ["Changed request parameters", formatList(results.adapted) || "none"],
    ["Tokens", tokensOf(results)],
    ...(results.speed === null ? [] : [["Speed", speedWords(results.speed)] as const]),
    ["Seed", String(seed)],
    ["Data", data ?? "generated by the benchmark"],
    ["Traces", traces ?? "none"],
    ["Prompt", prompt ?? "the benchmark's default"],
    ["Worked examples", shots === null ? "the benchmark's default" : String(shots)],
  ];
  const reasons = new Map<string, number>();
  for (const { reason } of excluded) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const left = [...reasons].toSorted(([, a], [, b]) => b - a).slice(0, 20);
  return section(
    "Settings",
    facts(settings),
    left.length === 0
      ? null
      : [
          paragraph(
            `${formatCount(excluded.length, "question")} excluded (listed in results.json), by reason:`,
          ),
          list(left.map(([reason, count]) => `${count}: ${reason}`)),
        ],
  );
}

const missingWords = {
  both: "counted as wrong, and excluded in separate columns",
  wrong: "counted as wrong",
  excluded: "excluded with their programs",
} as const;

function tokensOf({ tokens: { prompt, reply, counted: known }, cost }: AskResults): string {
  if (known === 0) return "not counted by the server";
  const paid =
    cost === null ? "" : `; ${cost.total.toFixed(4)} at ${cost.input} and ${cost.output} per million`;
  return `${formatCount(prompt, "token")} in prompts, ${integer(reply)} in replies, counted by the server for ${formatCount(known, "answer")}${paid}`;
}

const countsOf = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `${name} (${count})`)
    .join(", ");

function cut(text: string): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest / 2)}\n\u2026 ${text.length - longest} characters omitted \u2026\n${text.slice(-longest / 2)}`;
}

/** `first token after 0.21 s (95th percentile 0.80 s), then 41 tokens/s (5th percentile 12), over 800 replies` */
export function speedWords({
  replies,
  firstToken,
  tokensPerSecond,
}: NonNullable<AskResults["speed"]>): string {
  const rate =
    tokensPerSecond === null
      ? ""
      : `, then ${digits(tokensPerSecond.median)} tokens/s (5th percentile ${digits(tokensPerSecond.p5)})`;
  return `first token after ${digits(firstToken.median)} s (95th percentile ${digits(firstToken.p95)} s)${rate}, over ${replies} ${replies === 1 ? "reply" : "replies"}`;
}

const digits = (value: number) => String(Number(value.toPrecision(2)));

/** The same as text, below its denominator. */
export function askTable({
  arms: rows,
  references = {},
  denominator,
}: Pick<AskResults, "arms" | "references" | "denominator">): string {
  const share = (value: number | null | undefined) => (value == null ? "\u2013" : percent(value));
  const ks = rows[0]?.passAt.map(({ k }) => k) ?? [];
  // Columns appear only if they have a count.
  const missing = rows.some(({ outOfTokens }) => outOfTokens > 0);
  const both = missing && rows.some(({ excluding }) => excluding !== null);
  const lost = rows.some(({ unanswered }) => unanswered > 0);
  const table = textTable({
    columns: [
      ...["arm", "predict", "programs", "answers", ...ks.map((k) => `pass@${k} %`), "95 %"],
      ...(both ? ["without missing: programs", ...ks.map((k) => `pass@${k} %`)] : []),
      "unreadable",
      ...(missing ? ["out of tokens"] : []),
      ...(lost ? ["lost to the endpoint"] : []),
    ],
    rows: rows.map(
      ({ arm, predict, programs, answers, passAt, excluding, unreadable, outOfTokens, unanswered }) => [
        ...[arm, predict, programs, answers],
        ...passAt.map(({ value }) => share(value)),
        passAt[0]?.interval?.map(share).join(" to ") ?? "\u2013",
        ...(both
          ? [excluding?.programs ?? "\u2013", ...ks.map((_, i) => share(excluding?.passAt[i]?.value))]
          : []),
        unreadable,
        ...(missing ? [outOfTokens] : []),
        ...(lost ? [unanswered] : []),
      ],
    ),
  });
  const known = Object.entries(references).map(([name, right]) => `${spaced(name)} ${percentOrDash(right)}`);
  const whole = `${denominator}\n${table}`;
  return known.length === 0
    ? whole
    : `${whole}\nreference predictors on the same questions: ${known.join(", ")}`;
}
