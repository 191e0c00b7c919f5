/**
 * @file Where does a run lose the state? 200 runs of a scripted policy with one fault each, diagnosed from their files alone.
 *
 *     work       so many runs: program, fault, deception, words and kind of file are drawn; Python runs the program, contained
 *     onset      the first step after which the claimed state never again equals the truth, as `statelab diagnose` finds it
 *     baselines  the first step with an error, the last one
 *     replay     the policy resumes from the onset with the right state of the replay: does it end right?
 *
 * Nothing is trained. Where the state is lost follows from what the policy claimed, by the definition, without reading a word of the file.
 *
 * Source: CodeTracer (2026), which locates failures in agents' logs and reports a macro-F1 of up to 48 %, by models and on real runs: another task.
 */

import { locationScore } from "../../src/analysis/onset.ts";
import { diagnosedBy } from "../../src/app/diagnose/diagnose.ts";
import { replayMessages } from "../../src/app/diagnose/replay.ts";
import { type Rng, rngFrom } from "../../src/core/rng.ts";
import { readTranscripts } from "../../src/eval/transcripts/index.ts";
import { openHost, severally } from "../../src/python/sandbox/open.ts";
import { type HistoryRecord, parseHistory } from "../../src/schemas/execution-trace.ts";
import { atLeast } from "../runner/checks.ts";
import {
  defineExperiment,
  type Measurements,
  type Measuring,
  type PlannedWork,
  type Scale,
  type UnreadResult,
} from "../runner/define.ts";
import { defineMeasurement } from "../runner/views.ts";

type State = Readonly<Record<string, number>>;

type Statement =
  | { readonly kind: "assign"; readonly to: string; readonly value: number }
  | {
      readonly kind: "combine";
      readonly to: string;
      readonly left: string;
      readonly sign: "+" | "-";
      readonly right: string | number;
    }
  | { readonly kind: "swap"; readonly one: string; readonly other: string }
  | { readonly kind: "loop"; readonly times: number; readonly body: readonly Statement[] };

interface Program {
  readonly source: string;
  readonly visits: readonly Visit[];
}

/** One run of a line, in the order in which a run comes to them: no branch depends on a state. */
interface Visit {
  readonly line: number;
  readonly time: number;
  readonly text: string;
  readonly writes: readonly string[];
  /** `mistaken`: with the sign of a subtraction read as the other one. */
  apply(state: State, mistaken?: boolean): State;
}

const names = ["a", "b", "c"];

export function drawProgram(rng: Rng): Program {
  const start: Statement[] = names.map((to, i) => ({
    ...{ kind: "assign", to, value: 2 + rng.fork(to).below(40) + 50 * i },
  }));
  const body = Array.from({ length: 2 + rng.fork("length").below(3) }, (_, i) =>
    drawStatement(rng.fork(i), true),
  );
  return written([...start, ...body]);
}

function drawStatement(rng: Rng, mayLoop: boolean): Statement {
  const [one, other] = [names[rng.below(3)], names[rng.below(3)]];
  if (mayLoop && rng.next() < 0.5)
    return {
      kind: "loop",
      times: 2 + rng.below(3),
      body: Array.from({ length: 1 + rng.below(2) }, (_, i) => drawStatement(rng.fork(i), false)),
    };
  if (rng.next() < 0.3 && one !== other) return { kind: "swap", one, other };
  const right = rng.next() < 0.6 ? other : 1 + rng.below(9);
  return {
    kind: "combine",
    to: one,
    left: one,
    sign: rng.next() < 0.6 ? "+" : "-",
    right: right === one ? 7 : right,
  };
}

function written(statements: readonly Statement[]): Program {
  const lines = ["def f():"];
  const visits: Visit[] = [];
  const times = new Map<number, number>();
  const visit = (line: number, statement: Statement, value?: number) => {
    const time = (times.get(line) ?? 0) + 1;
    times.set(line, time);
    const writes = writesOf(statement);
    visits.push({
      ...{ line, time, text: lines[line - 1].trim(), writes },
      apply: (state, mistaken = false) => applied(statement, state, mistaken, value),
    });
  };
  const place = (statement: Statement, indent: string): ((round: number) => void) => {
    lines.push(`${indent}${textOf(statement)}`);
    const line = lines.length;
    if (statement.kind !== "loop") return () => visit(line, statement);
    const inner = statement.body.map((each) => place(each, `${indent}    `));
    return () => {
      for (let round = 0; round < statement.times; round++) {
        visit(line, statement, round);
        for (const each of inner) each(round);
      }
      visit(line, statement); // where the loop ends
    };
  };
  const all = statements.map((statement) => place(statement, "    "));
  lines.push("    return a");
  for (const each of all) each(0);
  return { source: `${lines.join("\n")}\n`, visits };
}

function textOf(statement: Statement): string {
  switch (statement.kind) {
    case "assign":
      return `${statement.to} = ${statement.value}`;
    case "combine":
      return `${statement.to} = ${statement.left} ${statement.sign} ${statement.right}`;
    case "swap":
      return `${statement.one}, ${statement.other} = ${statement.other}, ${statement.one}`;
    case "loop":
      return `for i in range(${statement.times}):`;
    default:
      return statement satisfies never;
  }
}

function writesOf(statement: Statement): string[] {
  switch (statement.kind) {
    case "assign":
    case "combine":
      return [statement.to];
    case "swap":
      return [statement.one, statement.other];
    case "loop":
      return ["i"];
    default:
      return statement satisfies never;
  }
}

function applied(statement: Statement, state: State, mistaken: boolean, round?: number): State {
  switch (statement.kind) {
    case "assign":
      return { ...state, [statement.to]: statement.value };
    case "combine": {
      const { to, left, sign, right } = statement;
      const second = typeof right === "number" ? right : state[right];
      return { ...state, [to]: sign === "+" || mistaken ? state[left] + second : state[left] - second };
    }
    case "swap":
      return { ...state, [statement.one]: state[statement.other], [statement.other]: state[statement.one] };
    case "loop":
      return round === undefined ? state : { ...state, i: round };
    default:
      return statement satisfies never;
  }
}

const deceptions = ["plain", "mended", "slip", "flicker", "gaps", "reader"] as const;
type Deception = (typeof deceptions)[number];

/** What is said after one visit: names and values. */
interface Saying {
  readonly visit: number;
  readonly claims: State;
}

interface ScriptedRun {
  readonly deception: Deception;
  readonly sayings: readonly Saying[];
  /** The policy's own state after each visit. */
  readonly carried: readonly State[];
  readonly truth: readonly State[];
  /** An index of `sayings`; null where the state is not lost. */
  readonly lostAt: number | null;
}

function scriptedRun(program: Program, deception: Deception, isGapless: boolean, rng: Rng): ScriptedRun {
  const { visits } = program;
  const truth = carriedBy(program, {}, 0, () => false).map(({ state }) => state);
  const at = 3 + rng.fork("at").below(Math.max(1, visits.length - 5));
  const wrong = visits[at].writes[0] ?? "a";
  const off = 1 + rng.fork("off").below(7);
  const mends = at + 1 + rng.fork("mends").below(3);
  const carried: State[] = [];
  for (const [i, visit] of visits.entries()) {
    let state = visit.apply(carried[i - 1] ?? {}, deception === "reader");
    if (i === at && deception !== "reader") state = { ...state, [wrong]: (state[wrong] ?? 0) + off };
    if (deception === "mended" && i === Math.min(mends, visits.length - 1)) state = truth[i];
    carried.push(state);
  }
  const sayings = visits.flatMap((visit, i): Saying[] => {
    const each = rng.fork("say").fork(i);
    const isGap =
      !isGapless && i > 0 && i < visits.length - 1 && each.next() < (deception === "gaps" ? 0.45 : 0.1);
    if (isGap) return [];
    const state = said(i);
    const names = Object.keys(state).filter(
      (name) => visit.writes.includes(name) || i === visits.length - 1 || each.fork(name).next() < 0.6,
    );
    return names.length === 0
      ? []
      : [{ visit: i, claims: Object.fromEntries(names.map((name) => [name, state[name]])) }];
  });
  function said(i: number): State {
    if (deception === "slip" && i === at - 2) return { ...carried[i], a: carried[i].a + off + 1 };
    if (deception === "slip" && i === at - 1) return carried[i];
    if (deception === "flicker" && (i === at + 2 || i === at + 3) && i < visits.length - 1) return truth[i];
    return carried[i];
  }
  return { deception, sayings, carried, truth, lostAt: lostAt(sayings, truth) };
}

/** Runs the policy from a given state after a visit. The fault is removed, but a `reader` repeats its mistake. */
export function carriedBy(
  { visits }: Program,
  start: State,
  from: number,
  isMistaken: () => boolean,
): { readonly state: State }[] {
  const states: { state: State }[] = [];
  let state = start;
  for (const visit of visits.slice(from)) {
    state = visit.apply(state, isMistaken());
    states.push({ state });
  }
  return states;
}

/** The first saying from which on the last word on some name is always wrong. */
function lostAt(sayings: readonly Saying[], truth: readonly State[]): number | null {
  const isRight = (index: number) => {
    const last = new Map<string, boolean>();
    for (const { visit, claims } of sayings.slice(0, index + 1))
      for (const [name, value] of Object.entries(claims)) last.set(name, truth[visit][name] === value);
    return [...last.values()].every(Boolean);
  };
  const right = sayings.map((_, i) => isRight(i));
  const first = right.lastIndexOf(true) + 1;
  return first < sayings.length ? first : null;
}

const styles = ["prose", "list", "table", "call", "comments", "order"] as const;
type Style = (typeof styles)[number];
const files = ["openai", "exchange", "inspect", "markdown", "react"] as const;
type FileKind = (typeof files)[number];

/** Styles that name no place need a word after each visit. */
const isGapless = (style: Style) => style === "comments" || style === "order";

function transcriptText(
  program: Program,
  sayings: readonly Saying[],
  style: Style,
  file: FileKind,
  rng: Rng,
): string {
  const question = `What does f() give?\n\n${program.source}`;
  const kept = style === "call" && file !== "openai" && file !== "inspect" ? "list" : style;
  const said =
    kept === "table"
      ? [table(program, sayings)]
      : sayings.map((each, i) => words(program, each, kept, rng.fork(i)));
  const looks = rng.fork("looks").next() < 0.5;
  switch (file) {
    case "openai":
    case "exchange": {
      const messages = [
        { role: "system", content: "Answer in steps." },
        { role: "user", content: question },
        ...(looks ? openaiCall("read_file", { path: "f.py" }) : []),
        ...(kept === "call"
          ? said.flatMap((text) => openaiCall("report_state", JSON.parse(text) as object))
          : said.map((content) => ({ role: "assistant", content }))),
      ];
      if (file === "openai") return JSON.stringify(messages);
      const last = messages.at(-1)!; // there is a question
      return JSON.stringify({ messages: messages.slice(0, -1), choices: [{ index: 0, message: last }] });
    }
    case "inspect": {
      const call = (name: string, given: unknown) => [
        { role: "assistant", content: "", tool_calls: [{ id: "c", function: name, arguments: given }] },
        { role: "tool", content: "ok", function: name, tool_call_id: "c" },
      ];
      const messages = [
        { role: "user", content: question },
        ...(looks ? call("bash", { cmd: "cat f.py | head" }) : []),
        ...(kept === "call"
          ? said.flatMap((text) => call("report_state", JSON.parse(text)))
          : said.map((text) => ({ role: "assistant", content: [{ type: "text", text }] }))),
      ];
      return JSON.stringify({
        version: 2,
        status: "success",
        eval: { task: "t" },
        samples: [{ id: 1, epoch: 1, messages }],
      });
    }
    case "markdown":
      return ["## User", question, ...said.flatMap((text) => ["## Assistant", text])].join("\n\n");
    case "react":
      return [
        `Question: ${question}`,
        "Action: read_file[f.py]",
        "Observation: as above",
        ...said.map((text) => `Thought: ${text}`),
      ].join("\n");
    default:
      return file satisfies never;
  }
}

const openaiCall = (name: string, given: object) => [
  {
    ...{ role: "assistant", content: null as string | null },
    tool_calls: [{ id: "c", type: "function", function: { name, arguments: JSON.stringify(given) } }],
  },
  { role: "tool", content: "ok" },
];

function words(
  { visits }: Program,
  { visit, claims }: Saying,
  style: Exclude<Style, "table">,
  rng: Rng,
): string {
  const { line, time, text } = visits[visit];
  const pairs = Object.entries(claims);
  switch (style) {
    case "prose": {
      const place = [
        `After line ${line} (time ${time})`,
        `Line ${line}, ${ordinal(time)} time`,
        `Having run line ${line} (the ${ordinal(time)} time)`,
      ][rng.below(3)];
      const all = pairs.map(([name, value], i) =>
        rng.fork(name).next() < 0.5
          ? `\`${name}\` is now ${number(value, rng.fork(i))}`
          : `${name} = ${number(value, rng.fork(i))}`,
      );
      const [aside] = [
        [
          "",
          ` Is ${pairs[0][0]} = ${pairs[0][1] + 3}?`,
          ` If ${pairs[0][0]} = ${pairs[0][1] + 1}, we would have noticed.`,
          " Then on.",
        ][rng.fork("aside").below(4)],
      ];
      return `${place}: ${all.join(", ")}.${aside}`;
    }
    case "list":
      return [
        `**Step ${visit + 1}** (\`${text}\`)`,
        ...pairs.map(([name, value]) => `- ${name}: ${value}`),
      ].join("\n");
    case "call":
      return JSON.stringify({ line, time, state: claims });
    case "comments":
      return `\`\`\`python\n${text}  # ${pairs.map(([name, value]) => `${name} = ${value}`).join("; ")}\n\`\`\``;
    case "order":
      return `# ${pairs.map(([name, value]) => `${name}=${value}`).join(" ")}`;
    default:
      return style satisfies never;
  }
}

function table({ visits }: Program, sayings: readonly Saying[]): string {
  const names = ["a", "b", "c", "i"];
  const rows = sayings.map(({ visit, claims }) => {
    const { line, time } = visits[visit];
    return `| ${[line, time, ...names.map((name) => claims[name] ?? "-")].join(" | ")} |`;
  });
  return [`| line | time | ${names.join(" | ")} |`, `|${"---|".repeat(names.length + 2)}`, ...rows].join(
    "\n",
  );
}

/** As Python reads it, too. */
function number(value: number, rng: Rng): string {
  const forms = [
    String(value),
    `${value}.0`,
    value < 0 ? String(value) : `0x${value.toString(16)}`,
    `(${value})`,
    String(value),
  ];
  return forms[rng.below(forms.length)];
}

const ordinal = (n: number) => `${n}${n === 1 ? "st" : n === 2 ? "nd" : n === 3 ? "rd" : "th"}`;

/** What the policy takes from a replay: the values of the last words that were put there. */
function stateGiven(content: string): State {
  const last = content.split("\n").at(-1) ?? "";
  return Object.fromEntries(
    [...last.matchAll(/(\w+) = (-?\d+)/g)].map(([, name, value]) => [name, Number(value)]),
  );
}

interface Case {
  readonly program: Program;
  readonly run: ScriptedRun;
  readonly style: Style;
  readonly file: FileKind;
  readonly text: string;
}

/** One run in twenty is of a policy that makes its mistake again. */
const shares: Readonly<Record<Deception, number>> = {
  ...{ plain: 6, mended: 3, slip: 4, flicker: 3, gaps: 3, reader: 1 },
};

export function drawCase(index: number, seed: number): Case {
  const rng = rngFrom(seed).fork("failure-onset").fork(index);
  const program = drawProgram(rng.fork("program"));
  const style = styles[rng.fork("style").below(styles.length)];
  const file = files[rng.fork("file").below(files.length)];
  const run = scriptedRun(program, drawDeception(rng.fork("deception")), isGapless(style), rng.fork("run"));
  return {
    program,
    run,
    style,
    file,
    text: transcriptText(program, run.sayings, style, file, rng.fork("words")),
  };
}

function drawDeception(rng: Rng): Deception {
  const all = deceptions.flatMap((each) => Array.from({ length: shares[each] }, () => each));
  return all[rng.below(all.length)];
}

interface CaseFound {
  /** Steps of the file; null: nowhere. */
  readonly truth: number | null;
  readonly onset: number | null;
  readonly firstError: number | null;
  readonly lastError: number | null;
  /** Whether the policy, given the replay, ends in the right state; null where there is none. */
  readonly recovered: boolean | null;
}

/** `history`: of `f()`, by Python. */
export function diagnosedCase({ program, run, text }: Case, history: HistoryRecord): CaseFound {
  const [{ transcript }] = readTranscripts(text, "a scripted run");
  const found = diagnosedBy(transcript, history);
  // Each saying is a step of the file, in their order: it is found by counting, whatever was read in it.
  const said = transcript.steps
    .filter(({ role, text: words }) => isSaying(role, words))
    .map(({ index }) => index);
  return {
    truth: run.lostAt === null ? null : (said[run.lostAt] ?? -1),
    onset: found.onset?.step ?? null,
    firstError: found.baselines.firstError,
    lastError: found.baselines.lastError,
    recovered:
      found.onset === null
        ? null
        : recovers(program, run, said.indexOf(found.onset.step), replayMessages(found)!), // there is an onset
  };
}

const isSaying = (role: string, words: string) =>
  (role === "said" || role === "called") && !/f\.py/.test(words) && words.trim() !== "";

function recovers(
  program: Program,
  { sayings, carried, truth, deception }: ScriptedRun,
  saying: number,
  replay: NonNullable<ReturnType<typeof replayMessages>>,
): boolean {
  if (saying < 0) return false;
  const { visit } = sayings[saying];
  const given = stateGiven(replay.at(-2)?.content ?? "");
  // Variables that the replay does not name keep their values.
  const start = { ...carried[visit], ...given };
  const after = carriedBy(program, start, visit + 1, () => deception === "reader");
  const last = after.at(-1)?.state ?? start;
  return Object.entries(truth.at(-1) ?? {}).every(([name, value]) => last[name] === value);
}

interface Settings {
  readonly runs: number;
}

const settings: Record<Scale, Settings> = {
  smoke: { runs: 12 },
  laptop: { runs: 200 },
  paper: { runs: 2_000 },
};

const methods = {
  onset: {
    label: "onset",
    summary: "the first step after which the claimed state never again equals the truth",
  },
  firstError: { label: "first error", summary: "the first step with a claim that is wrong" },
  lastError: { label: "last error", summary: "the last step with a claim that is wrong" },
} as const;
type Method = keyof typeof methods;

const located = defineMeasurement({
  id: "located",
  label: "where the state is lost",
  at: { runs: "runs" },
  values: {
    f1: "F1",
    precision: "precision",
    recall: "recall",
    runs: "runs",
    lost: "of which lose the state",
  },
});
const replayed = defineMeasurement({
  id: "replayed",
  label: "replay from the onset",
  at: { runs: "runs" },
  values: {
    replayed: "replayed",
    recovered: "share that recovers",
    oneOff: "of those whose fault is made once",
  },
});

/** Programs that are run by one request. */
const TOGETHER = 20;

async function* measureWork({ seed, options }: PlannedWork): Measuring {
  const { runs } = options as unknown as Settings; // from `plan` below
  const cases = Array.from({ length: runs }, (_, i) => drawCase(i, seed));
  const found: CaseFound[] = [];
  const host = await openHost("embedded", { atMost: 1 });
  try {
    for (let from = 0; from < runs; from += TOGETHER) {
      yield { done: from, of: runs };
      const some = cases.slice(from, from + TOGETHER);
      const requests = some.map(({ program }) => ({
        operation: "history",
        source: program.source,
        call: "f()",
      }));
      const answers = await severally(host, requests, {});
      for (const [i, answer] of answers.entries()) {
        if ("stopped" in answer) throw new Error(`a scripted program did not end: ${answer.stopped}`);
        found.push(diagnosedCase(some[i], parseHistory(answer.value, "lab.history")));
      }
    }
  } finally {
    await host.close();
  }
  return rowsOf(
    found,
    cases.map(({ run }) => run.deception),
  );
}

function rowsOf(found: readonly CaseFound[], kinds: readonly (typeof deceptions)[number][]): Measurements {
  const rowsAt = (runs: string, some: readonly CaseFound[], oneOff: readonly CaseFound[]) => {
    const scores = (Object.keys(methods) as Method[]).map((model) => {
      const values = locationScore(some.map((each) => ({ truth: each.truth, said: each[model] })));
      const lost = some.filter(({ truth }) => truth !== null).length;
      return located.row({ model, at: { runs }, values: { ...values, runs: some.length, lost } });
    });
    const again = some.filter(({ recovered }) => recovered !== null);
    if (again.length === 0) return scores;
    const once = oneOff.filter(({ recovered }) => recovered !== null);
    return [
      ...scores,
      replayed.row({
        model: "onset",
        at: { runs },
        values: {
          replayed: again.length,
          recovered: shareOf(again),
          ...(once.length > 0 && { oneOff: shareOf(once) }),
        },
      }),
    ];
  };
  const of = (kind: string) => found.filter((_, i) => kinds[i] === kind);
  const notReaders = found.filter((_, i) => kinds[i] !== "reader");
  return [
    ...rowsAt("all", found, notReaders),
    ...deceptions.flatMap((kind) =>
      of(kind).length === 0 ? [] : rowsAt(kind, of(kind), kind === "reader" ? [] : of(kind)),
    ),
  ];
}

const shareOf = (some: readonly CaseFound[]) =>
  some.filter(({ recovered }) => recovered).length / some.length;

const scores = (result: UnreadResult, model: Method) =>
  located.of(result, { model, at: { runs: "all" } }).map(({ values }) => values.f1);

export const failureOnset = defineExperiment<Settings>({
  name: "failure-onset",
  question: "From the words of a run alone, and the program's true states: at which step is the state lost?",
  about: "where transcripts lose the state, and whether a replay from there recovers (trains nothing)",
  publishedIn: "our own",
  models: methods,
  settings,
  published: [
    {
      source: "own expectation",
      statement: "The onset is found in scripted runs with one fault each, whatever they do to deceive",
      published: 0.95,
      here: "F1 of the step; 0.95 is what was asked for at the least",
      unit: "number",
      measure: (result) => scores(result, "onset"),
    },
    {
      source: "own expectation",
      statement: "The first error is not the onset: runs recover",
      here: "F1 of the step of the first error",
      unit: "number",
      measure: (result) => scores(result, "firstError"),
    },
    {
      source: "own expectation",
      statement: "A replay from the onset with the right state recovers nine runs of ten",
      published: 0.9,
      here: "share of the replayed runs that end in the right state; one in twenty is of a policy that makes its mistake again",
      unit: "number",
      measure: (result) => replayed.of(result, { at: { runs: "all" } }).map(({ values }) => values.recovered),
    },
  ],
  measurements: [located, replayed],
  measureWork,

  plan: ({ runs }, seeds) => ({
    runs: [],
    work: seeds.map((seed) => ({ setting: "", model: "", seed, options: { runs } })),
  }),

  checks: (result) => [
    ...atLeast("F1 of the onset", scores(result, "onset"), 0.95, "number"),
    ...atLeast(
      "share of the replays that recover",
      replayed.of(result, { at: { runs: "all" } }).map(({ values }) => values.recovered),
      0.9,
      "number",
    ),
  ],

  report: () => ({
    lead: "Scripted runs in five kinds of file, each with one fault; some mend it, misspeak before it, are right again for a while or fall silent. One policy misreads every subtraction, so that a replay does not help it.",
    views: [],
  }),
});
