/**
 * @file Checks claims against a recorded run: a claim is true if one of the moments it may refer to makes it true.
 *
 *     never so     a value that the variable never has is wrong for any place
 *     line, time   the states before and after that run of the line
 *     line         the same for any run of it, chosen in order to satisfy most claims; a skipped run costs half a claim
 *     round        any moment of that iteration, counted from 0 or from 1, whichever fits better
 *     end          the result, the last value of a variable
 *     none, step   any moment. If there is one step per executed line and no order of moments satisfies all claims, the n-th step is the n-th line
 *
 * If the moment is ambiguous and some moment makes the claim true, it is not wrong.
 */

import { listWrites, MODULE, type Recording } from "../../python/debugger/index.ts";
import { readLiteral } from "../../python/values/literal.ts";
import { pythonLiteral } from "../../python/values/repr.ts";
import type { Claim, ClaimPlace, JudgedClaim, TranscriptStep } from "../../schemas/transcript.ts";
import { sameText } from "./parse-values.ts";
import { type Span, Values } from "./values.ts";

export interface Visit {
  readonly line: number;
  /** How many times the line has run, including this run. */
  readonly time: number;
  readonly activation: number;
  /** The event that begins it, and the one at which it was over. */
  readonly at: number;
  readonly done: number;
}

export interface Held {
  readonly claims: readonly JudgedClaim[];
  readonly aligned: "places" | "order" | "none";
  /** For each claim, the names from which its true value was computed. */
  readonly madeOf: readonly (readonly string[])[];
  /**
   * The values of all claimed names at a step; for a step without a state, those of the last step before it that has
   * one.
   */
  stateAt(step: number): Readonly<Record<string, string>>;
}

/** Every run of a line, from the call on: of a program without one, from its beginning. */
export function lineVisits(run: Recording): Visit[] {
  const times = new Map<number, number>();
  const visits: Visit[] = [];
  const nested = run.events.slice(run.record.began).some(({ event }) => event === "line");
  for (let moment = nested ? run.record.began : 0; moment < run.length; moment++) {
    const { event, line, activation } = run.events[moment];
    if (event !== "line") continue;
    const own = run.momentsOf(activation);
    const done = own.find((each) => each > moment);
    if (done === undefined) continue;
    const time = (times.get(line) ?? 0) + 1;
    times.set(line, time);
    visits.push({ line, time, activation, at: moment, done });
  }
  return visits;
}

export function checkClaims(run: Recording, steps: readonly TranscriptStep[]): Held {
  const text = bare(run.record.source);
  const claiming = steps
    .map((step) => ({ step: step.index, claims: step.claims.filter((claim) => !isQuoted(claim, text)) }))
    .filter(({ claims }) => claims.length > 0);
  const names = new Set(claiming.flatMap(({ claims }) => claims.map(({ name }) => name)));
  const judge = new Judge(run, new Values(run, names), claiming);
  const judged = judge.all();
  return {
    claims: judged.map(({ claim }) => claim),
    madeOf: judged.map(({ claim: { name, moment } }) => {
      if (moment === null) return [];
      if (name !== "return") return madeOf(run, moment, name);
      return run.statementsAt(run.events[run.length - 1].line).flatMap(({ reads }) => reads);
    }),
    aligned: judged.length === 0 ? "none" : judge.isPlaced ? "places" : "order",
    stateAt(step) {
      const moment = judged.findLast(({ claim }) => claim.step <= step && claim.moment !== null)?.claim
        .moment;
      if (moment == null) return {};
      const { activation } = run.stackAt(moment);
      const literals = run.literals(moment);
      return Object.fromEntries(
        [...names].flatMap((name) => {
          const key = run.keyOf(moment, activation, name);
          return key === undefined ? [] : [[name, literals[key]]];
        }),
      );
    },
  };
}

const bare = (text: string) => text.replaceAll(/[^\S\n]+/g, "");
const assignment = ({ name, value }: Claim) => bare(`${name}=${value}`);
const isQuoted = (claim: Claim, source: string) =>
  claim.quoted === true && source.split("\n").includes(assignment(claim));

interface Claiming {
  readonly step: number;
  readonly claims: readonly Claim[];
}
/** A visit; `never`: the line does not run (so often); undefined: nothing tells which. */
type Place = Visit | "never" | undefined;
type Verdict = JudgedClaim["verdict"];
interface Judged {
  readonly claim: JudgedClaim;
  readonly place: ClaimPlace | null;
}
/** Moments, the last one too. */
type Range = readonly [from: number, to: number];

class Judge {
  readonly isPlaced: boolean;
  readonly #run: Recording;
  readonly #values: Values;
  readonly #claiming: readonly Claiming[];
  readonly #visits: readonly Visit[];
  readonly #rounds: (claim: Claim) => readonly Range[];
  /** Set if each step is one executed line. */
  readonly #exact: readonly Place[] | undefined;
  readonly #chosen: readonly Place[];
  /** Whether claims about a run of a line refer to the states before or after it, if not to both. */
  readonly #side: "at" | "done" | undefined;

  constructor(run: Recording, values: Values, claiming: readonly Claiming[]) {
    this.#run = run;
    this.#values = values;
    this.#claiming = claiming;
    this.#visits = lineVisits(run);
    this.isPlaced = claiming.some(({ claims }) => claims.some(({ place }) => place !== null && !place.end));
    this.#chosen = placed((claim, visit) => this.#isAround(claim, visit), this.#visits, claiming);
    this.#side = this.#chooseSide();
    this.#rounds = this.#chooseRounds();
    this.#exact = this.#chooseExact();
  }

  all(): Judged[] {
    const found: Judged[] = [];
    let frontier = this.#run.record.began;
    for (const [i, { step, claims }] of this.#claiming.entries()) {
      for (const [k, claim] of claims.entries()) {
        const { verdict, truth, moment } =
          claim.name === "return"
            ? this.#result(i, k, claim)
            : this.#isSum(claim)
              ? this.#result(i, k, { ...claim, of: "" })
              : this.#variable(i, claim, frontier);
        if (verdict === "right" && moment !== null && !claim.place?.end)
          frontier = Math.max(frontier, moment);
        const { name, value } = claim;
        found.push({ claim: { step, name, value, truth, verdict, moment }, place: claim.place });
      }
    }
    return found;
  }

  /** "The final sum is 8", of no variable: the result, where nothing in the run is 8. */
  #isSum({ name, value, place }: Claim): boolean {
    if (!/^(?:sum|total|value)$/i.test(name) || !place?.end || this.#values.of(name).length > 0) return false;
    const moments = Array.from({ length: Math.min(this.#run.length, 2_000) }, (_, i) => i);
    return !moments.some((moment) =>
      Object.values(this.#run.literals(moment)).some((each) => sameText(value, each) === true),
    );
  }

  #variable(i: number, claim: Claim, frontier: number) {
    const { name, place } = claim;
    const spans = this.#values.of(name);
    if (spans.length === 0) return said("unknown");
    const fits = spans.filter((span) => sameText(claim.value, span.text));
    const isReadable = spans.some((span) => sameText(claim.value, span.text) !== undefined);
    if (fits.length === 0 && !isReadable) {
      const isOpaque = spans.every(({ text }) => readLiteral(text) === undefined);
      return said(isOpaque ? "unknown" : "unreadable");
    }
    const guess = this.#guess(i, claim, spans, frontier);
    if (fits.length === 0)
      return this.#values.isSure(name) && !this.#isRestated(claim) ? at("wrong", guess) : said("unknown");
    const exact = this.#exact?.[i];
    const found = this.#ranges(i, claim);
    if (found !== undefined) {
      const right = fitsIn(fits, found.ranges);
      if (right !== undefined) return at("right", right);
      if (found.strict) return this.#isRestated(claim) ? said("unknown") : at("wrong", guess);
      return said("unknown");
    }
    if (exact !== undefined && !place?.end) {
      if (exact === "never") return said("wrong");
      const right = fitsIn(fits, [[exact.done, exact.done]], { activation: exact.activation });
      if (right !== undefined) return at("right", right);
      const n = this.#visits.indexOf(exact);
      const [before, after] = [this.#visits[n - 1], this.#visits[n + 1]];
      const near = fitsIn(fits, [[before?.at ?? exact.at, after?.done ?? exact.done]]);
      return near === undefined ? at("wrong", guess) : said("unknown");
    }
    const later = fitsIn(fits, [[frontier, this.#run.length - 1]], { earliest: true });
    return later === undefined ? said("unknown") : at("right", later);
  }

  /** The moments to which a claim with a place may refer; `strict`: no others. Undefined without a place. */
  #ranges(
    i: number,
    claim: Claim,
  ): { readonly ranges: readonly Range[]; readonly strict: boolean } | undefined {
    const { place, name, inherited = false } = claim;
    if (place === null) return undefined;
    const strict = !inherited;
    if (place.end) {
      const last = this.#last(name);
      return last && { ranges: [[last.to - 1, last.to - 1]], strict };
    }
    if (place.moment !== undefined) return { ranges: [[place.moment, place.moment]], strict };
    if (place.iteration !== undefined) {
      const ranges = this.#rounds(claim);
      return ranges.length === 0 ? undefined : { ranges, strict };
    }
    if (place.line === undefined) return undefined;
    if (place.time !== undefined) {
      const visit = this.#visits.find(({ line, time }) => line === place.line && time === place.time);
      if (visit === undefined) return { ranges: [], strict };
      return {
        ranges: [this.#side === undefined ? around(visit) : [visit[this.#side], visit[this.#side]]],
        strict,
      };
    }
    const chosen = this.#chosen[i];
    const here = chosen === undefined || chosen === "never" ? [] : [around(chosen)];
    if (claim.cell || here.length === 0) {
      // rows refer only to the states around a run of their line
      const all = this.#visits.filter(({ line }) => line === place.line).map(around);
      if (all.length === 0) return undefined;
      const fits = this.#values.of(name).filter((span) => sameText(claim.value, span.text));
      if (fitsIn(fits, all) === undefined) return { ranges: [], strict: strict && claim.cell === true };
    }
    if (
      fitsIn(
        this.#values.of(name).filter((span) => sameText(claim.value, span.text)),
        here,
      ) !== undefined
    )
      return { ranges: here, strict };
    return this.#between(i, here, strict);
  }

  /** A step between two located steps can only refer to the moments between them. */
  #between(i: number, here: readonly Range[], strict: boolean) {
    const [before, after] = [this.#settled(i - 1), this.#settled(i + 1)];
    const isLast = i + 1 >= this.#claiming.length;
    if (before === undefined || (after === undefined && !isLast)) return { ranges: here, strict: false };
    const to = after === undefined ? this.#run.length - 1 : after[1];
    return { ranges: [[before[0], to] as const], strict };
  }

  /** The moments of a step with a line at which all its claims are true. */
  #settled(i: number): Range | undefined {
    const chosen = this.#chosen[i];
    if (chosen === undefined || chosen === "never") return undefined;
    const { claims } = this.#claiming[i];
    return claims.every((claim) => claim.name === "return" || this.#isAround(claim, chosen))
      ? around(chosen)
      : undefined;
  }

  #isAround(claim: Claim, visit: Visit): boolean {
    const fits = this.#values.of(claim.name).filter((span) => sameText(claim.value, span.text));
    return fitsIn(fits, [around(visit)], { activation: visit.activation }) !== undefined;
  }

  #last(name: string): Span | undefined {
    const { began } = this.#run.record;
    const { activation } = this.#run.events[Math.min(began, this.#run.length - 1)];
    const spans = this.#values.of(name);
    return (
      spans.findLast((span) => span.activation === activation) ??
      spans.findLast((span) => span.activation === MODULE)
    );
  }

  /** The moment whose value is reported next to a wrong claim. */
  #guess(i: number, claim: Claim, spans: readonly Span[], frontier: number): Guess {
    const { place, name } = claim;
    const chosen = this.#exact?.[i] ?? this.#chosen[i];
    if (place?.end) return guessOf(this.#last(name) ?? spans.at(-1));
    const time = this.#visits.find((visit) => visit.line === place?.line && visit.time === place?.time);
    const visit = time ?? (chosen === "never" ? undefined : chosen);
    const moment = place?.moment ?? visit?.done;
    const there = spans.findLast(
      (span) =>
        moment !== undefined &&
        span.from <= moment &&
        moment < span.to &&
        (visit === undefined || span.activation === visit.activation || span.activation === MODULE),
    );
    if (there !== undefined && moment !== undefined) return { moment, truth: there.text };
    const round = place?.iteration === undefined ? undefined : this.#rounds(claim)[0];
    const later =
      round === undefined
        ? spans.find((span) => span.from > frontier)
        : spans.findLast((span) => span.from <= round[1] && span.to > round[0]);
    return guessOf(later ?? spans.at(-1));
  }

  /** The program's text says so somewhere: what is quoted may not have run. */
  #isRestated(claim: Claim): boolean {
    return !claim.cell && bare(this.#run.record.source).includes(assignment(claim)) && !claim.place?.end;
  }

  /** An account that has an error is held to the side of the lines that it keeps to. */
  #chooseSide() {
    const claims = this.#claiming.flatMap(({ claims }) =>
      claims.filter(({ place, inherited }) => place?.time !== undefined && !inherited),
    );
    const missed = (side: "at" | "done" | undefined) =>
      claims.filter((claim) => {
        const visit = this.#visits.find(
          ({ line, time }) => line === claim.place?.line && time === claim.place.time,
        );
        const fits = this.#values.of(claim.name).filter((span) => sameText(claim.value, span.text));
        if (visit === undefined || this.#values.of(claim.name).length === 0) return false;
        return fitsIn(fits, [side === undefined ? around(visit) : [visit[side], visit[side]]]) === undefined;
      }).length;
    if (missed(undefined) === 0) return undefined;
    const [before, after] = [missed("at"), missed("done")];
    if (Math.min(before, after) > claims.length / 2) return undefined;
    return before === after ? undefined : before < after ? "at" : "done";
  }

  #chooseRounds() {
    const claims = this.#claiming.flatMap(({ claims }) =>
      claims.filter(({ place }) => place?.iteration !== undefined),
    );
    if (claims.length === 0) return () => [];
    const loops = loopsOf(this.#run);
    const rangesOf = ({ place }: Claim, base: 0 | 1) => {
      const index = (place?.iteration ?? 0) - (place?.ordinal ? 1 : base);
      return loops.flatMap(({ rounds }) => {
        const round = rounds[index];
        return round === undefined ? [] : [place?.after ? ([round[1], round[1] + 1] as const) : round];
      });
    };
    const misses = ([0, 1] as const).map(
      (base) =>
        claims.filter((claim) => {
          const fits = this.#values.of(claim.name).filter((span) => sameText(claim.value, span.text));
          return fits.length > 0 && fitsIn(fits, rangesOf(claim, base)) === undefined;
        }).length,
    );
    const hasZero = claims.some(({ place }) => place?.iteration === 0);
    const bases = hasZero
      ? [0 as const]
      : misses[0] === misses[1]
        ? ([1, 0] as const)
        : misses[0] < misses[1]
          ? ([0] as const)
          : ([1] as const);
    const columns = this.#columns(
      claims.filter(({ cell }) => cell),
      hasZero ? [0] : [1, 0],
      rangesOf,
    );
    return (claim: Claim) =>
      (claim.cell && columns?.(claim)) || bases.flatMap((base) => rangesOf(claim, base));
  }

  /**
   * If the columns of a table with rounds consistently show the states before or after them, all cells are checked
   * that way.
   */
  #columns(
    cells: readonly Claim[],
    bases: readonly (0 | 1)[],
    rangesOf: (claim: Claim, base: 0 | 1) => readonly Range[],
  ) {
    const names = [...new Set(cells.map(({ name }) => name))];
    const readings = bases.map((base) => {
      let misses = 0;
      const sides = new Map<string, (claim: Claim) => readonly Range[]>();
      for (const name of names) {
        const own = cells.filter((claim) => claim.name === name);
        const options = [
          (claim: Claim) => rangesOf(claim, base).map(([, to]): Range => [to, to]),
          (claim: Claim) => rangesOf(claim, base).map(([from]): Range => [from, from + 1]),
        ].map((side) => ({
          side,
          misses: own.filter((claim) => {
            const fits = this.#values.of(name).filter((span) => sameText(claim.value, span.text));
            return this.#values.of(name).length > 0 && fitsIn(fits, side(claim)) === undefined;
          }).length,
        }));
        const [best] = options.toSorted((a, b) => a.misses - b.misses);
        misses += best.misses;
        sides.set(name, best.side);
      }
      return { misses, sides };
    });
    const [best] = readings.toSorted((a, b) => a.misses - b.misses);
    return best.misses > cells.length / 4 ? undefined : (claim: Claim) => best.sides.get(claim.name)?.(claim);
  }

  /** Assigns each step to the line with its number, or to the n-th: only if no order of moments satisfies all claims. */
  #chooseExact(): readonly Place[] | undefined {
    const steps = this.#claiming.map(({ claims }) =>
      claims.filter(({ place, name }) => !place?.end && name !== "return"),
    );
    const numbers = steps.map((claims) => claims[0]?.place?.step);
    const own = steps.flat();
    if (own.length === 0) return undefined;
    const isNumbered = own.every(({ place, inherited }) => place?.step !== undefined && !inherited);
    // the line that returns changes nothing, and may be left out
    const returns = /^\s*return\b/.test(this.#run.lines[(this.#visits.at(-1)?.line ?? 0) - 1] ?? "") ? 1 : 0;
    const left = this.#visits.length - steps.filter((claims) => claims.length > 0).length;
    const isOrdered = own.every(({ place }) => place === null) && (left === 0 || left === returns);
    if (!isNumbered && !isOrdered) return undefined;
    let n = 0;
    const exact = steps.map((claims, i): Place => {
      if (claims.length === 0) return undefined;
      return this.#visits[isNumbered ? (numbers[i] ?? 0) - 1 : n++] ?? "never";
    });
    const holds = steps.map(
      (claims, i) =>
        claims.length > 0 &&
        claims.every((claim) => {
          const visit = exact[i];
          if (visit === undefined || visit === "never") return false;
          const fits = this.#values.of(claim.name).filter((span) => sameText(claim.value, span.text));
          return fitsIn(fits, [[visit.done, visit.done]], { activation: visit.activation }) !== undefined;
        }),
    );
    const first = steps.findIndex((claims) => claims.length > 0);
    const isSupported =
      holds[first] && holds.filter(Boolean).length >= Math.min(3, n || Number.POSITIVE_INFINITY);
    return isSupported && !this.#isInOrder(steps) ? exact : undefined;
  }

  /** Whether there are ascending moments at which all claims are true. */
  #isInOrder(steps: readonly (readonly Claim[])[]): boolean {
    let frontier = 0;
    for (const claims of steps) {
      const times: number[] = [];
      for (const claim of claims) {
        const spans = this.#values.of(claim.name);
        if (spans.length === 0) continue;
        const fits = spans.filter((span) => sameText(claim.value, span.text));
        const time = fitsIn(fits, [[frontier, this.#run.length - 1]], { earliest: true });
        if (time === undefined) return false;
        times.push(time.moment);
      }
      if (times.length > 0) frontier = Math.min(...times);
    }
    return true;
  }

  #result(i: number, k: number, claim: Claim) {
    const { record } = this.#run;
    const { of = "final", value } = claim;
    const raised = record.reason?.startsWith("the call raises") ?? false;
    if (record.reason !== null && !raised) return said("unknown");
    const moment = this.#run.length - 1;
    const truth = raised ? (record.reason ?? "") : pythonLiteral(record.result);
    const same = raised ? false : sameText(value, truth);
    if (same === true) return { verdict: "right" as Verdict, truth, moment };
    if (same === undefined) return said(readLiteral(truth) === undefined ? "unknown" : "unreadable");
    const wrong = { verdict: "wrong" as Verdict, truth, moment };
    const [, name = "", given] = /^([A-Za-z_][\w.]*)(\([\s\S]*\))?$/.exec(of) ?? [];
    const returns = this.#values.returns;
    const inner = returns.filter((each) => sameText(value, each.text) === true);
    if (of === "final") return wrong;
    if (of !== "" && of !== "the function") {
      const own = returns.filter((each) => each.function === name);
      if (given !== undefined && bare(of) === bare(record.call)) return wrong;
      if (own.length === 0 || own.some((each) => inner.includes(each))) return said("unknown");
      // calls other than the recorded one are unknown, unless made during the run
      return given !== undefined &&
        own.length === 1 &&
        !/^\(\s*(?:[A-Za-z_]\w*|\.\.\.)?(?:\s*,\s*[A-Za-z_]\w*)*\s*\)$/.test(given)
        ? said("unknown")
        : wrong;
    }
    if (inner.length > 0 || record.output.includes(value)) return said("unknown");
    if (of === "the function") return wrong;
    // "the result is 3" may refer to a part if more claims follow
    const isFollowed =
      this.#claiming[i].claims.slice(k + 1).some(({ name: each }) => each !== "return") ||
      this.#claiming.slice(i + 1).some(({ claims }) => claims.some(({ name: each }) => each !== "return"));
    const isVariable = ["result", "answer", "output"].some((each) =>
      this.#values.of(each).some((span) => sameText(value, span.text) === true),
    );
    return isFollowed || isVariable ? said("unknown") : wrong;
  }
}

interface Guess {
  readonly moment: number | null;
  readonly truth: string | null;
}
const guessOf = (span: Span | undefined): Guess => ({
  moment: span?.from ?? null,
  truth: span?.text ?? null,
});
const said = (verdict: Verdict) => ({ verdict, truth: null, moment: null });
const at = (verdict: Verdict, { moment, truth }: Guess) => ({ verdict, truth, moment });
const around = (visit: Visit): Range => [visit.at, visit.done];

/** The last moment of a range that a span covers, `earliest` the first; of several ranges the earliest such. */
function fitsIn(
  spans: readonly Span[],
  ranges: readonly Range[],
  { activation, earliest = false }: { readonly activation?: number; readonly earliest?: boolean } = {},
): { moment: number; truth: string } | undefined {
  let best: { moment: number; truth: string } | undefined;
  for (const [from, to] of ranges)
    for (const span of spans) {
      if (activation !== undefined && span.activation !== activation && span.activation !== MODULE) continue;
      const [first, last] = [Math.max(from, span.from), Math.min(to, span.to - 1)];
      const moment = earliest ? first : last;
      if (first <= last && (best === undefined || moment < best.moment)) best = { moment, truth: span.text };
    }
  return best;
}

interface Loop {
  readonly rounds: readonly Range[];
}

/** The iterations of each loop, per entry and over all entries; and the loops in order. */
function loopsOf(run: Recording): Loop[] {
  const heads = new Map<number, number>(); // the last line of the body
  for (const [i, line] of run.lines.entries()) {
    const indent = /^(\s*)(?:async\s+for|for|while)\b/.exec(line)?.[1].length;
    if (indent === undefined) continue;
    let last = i + 1;
    for (let at = i + 1; at < run.lines.length; at++) {
      const text = run.lines[at];
      if (text.trim() !== "" && text.search(/\S/) <= indent && !/^\s*[)\]}]/.test(text)) break;
      if (text.trim() !== "") last = at + 1;
    }
    heads.set(i + 1, last);
  }
  const entries: { activation: number; head: number; starts: number[]; end: number }[] = [];
  const open = new Map<string, (typeof entries)[number]>();
  for (const [moment, { event, line, activation }] of run.events.entries()) {
    for (const [key, entry] of open) {
      if (entry.activation !== activation) continue;
      const inside = line >= entry.head && line <= (heads.get(entry.head) ?? 0);
      entry.end = moment;
      if (!inside || event === "return") open.delete(key);
    }
    if (event !== "line" || !heads.has(line)) continue;
    const key = `${activation} ${line}`;
    const entry = open.get(key);
    if (entry === undefined) {
      const made = { activation, head: line, starts: [moment], end: moment };
      open.set(key, made);
      entries.push(made);
    } else entry.starts.push(moment);
  }
  for (const entry of open.values()) entry.end = run.length - 1;
  const roundsOf = ({ starts, end }: (typeof entries)[number]) =>
    starts.map((start, i): Range => [start, starts[i + 1] ?? end]);
  const together = new Map<string, Range[]>();
  for (const entry of entries) {
    const key = `${entry.activation} ${entry.head}`;
    together.set(key, [...(together.get(key) ?? []), ...roundsOf(entry)]);
  }
  return [
    ...entries.map((entry) => ({ rounds: roundsOf(entry) })),
    ...[...together.values()].map((rounds) => ({ rounds })),
    { rounds: entries.map(({ starts, end }): Range => [starts[0], end]) },
  ];
}

/** One more true claim is worth two skipped visits. */
const PASSED_OVER = 0.5;

/** The optimal assignment by dynamic programming over the visits in order; exact places are fixed. */
function placed(holds: Holds, visits: readonly Visit[], claiming: readonly Claiming[]): Place[] {
  const chosen: Place[] = claiming.map(() => undefined);
  let open: number[] = [];
  let from = -1;
  const settle = (to: number) => {
    const found = between(
      holds,
      visits,
      open.map((i) => claiming[i]),
      from,
      to,
    );
    for (const [i, place] of found.entries()) chosen[open[i]] = place;
    open = [];
  };
  for (const [i, { claims }] of claiming.entries()) {
    const place = placeOf(claims);
    if (place === undefined) continue;
    if (place.time !== undefined) {
      const at = visits.findIndex(({ line, time }) => line === place.line && time === place.time);
      settle(at === -1 ? visits.length : at);
      chosen[i] = at === -1 ? "never" : visits[at];
      if (at !== -1) from = at;
    } else open.push(i);
  }
  settle(visits.length);
  return chosen;
}

const placeOf = (claims: readonly Claim[]): ClaimPlace | undefined =>
  claims.find(({ place }) => place?.line !== undefined)?.place ?? undefined;

/**
 * For steps that name only a line: visits after `from` and up to `to`, in ascending order:
 *
 *     worth[i][k] = true claims + max over j of (worth[i-1][j] - visits of the line between / 2)
 */
function between(
  holdsAt: Holds,
  visits: readonly Visit[],
  claiming: readonly Claiming[],
  from: number,
  to: number,
): Place[] {
  const most = Math.max(20, Math.min(400, Math.floor(MOST_LOOKS / (claiming.length + 1))));
  const chosen: Place[] = claiming.map(() => "never");
  const reached: { step: number; options: number[]; worth: number[]; before: number[] }[] = [];
  for (const [step, { claims }] of claiming.entries()) {
    const { line } = placeOf(claims) ?? {};
    const options = visits
      .flatMap((visit, at) => (visit.line === line && at > from && at <= to ? [at] : []))
      .slice(0, most);
    const previous = reached.at(-1);
    let [next, passed] = [0, 0];
    let best =
      previous === undefined ? { worth: 0, from: -1 } : { worth: Number.NEGATIVE_INFINITY, from: -1 };
    const worth: number[] = [];
    const before: number[] = [];
    for (const [k, at] of options.entries()) {
      for (
        ;
        previous !== undefined && next < previous.options.length && previous.options[next] < at;
        next++
      ) {
        while (passed < options.length && options[passed] <= previous.options[next]) passed++;
        const here = previous.worth[next] + PASSED_OVER * passed;
        if (here > best.worth) best = { worth: here, from: next };
      }
      const holds = claims.filter((claim) => holdsAt(claim, visits[at])).length;
      worth.push(best.worth + holds - PASSED_OVER * k);
      before.push(best.from);
    }
    if (worth.some((each) => each > Number.NEGATIVE_INFINITY)) reached.push({ step, options, worth, before });
  }
  let choice = -1;
  for (const { step, options, worth, before } of reached.toReversed()) {
    if (choice < 0) choice = worth.indexOf(Math.max(...worth));
    chosen[step] = visits[options[choice]];
    choice = before[choice];
  }
  return chosen;
}

/** Claims held against visits, in all. */
const MOST_LOOKS = 1_000_000;

type Holds = (claim: Claim, visit: Visit) => boolean;

/** The names from which the value was computed when last written. */
function madeOf(run: Recording, moment: number, name: string): string[] {
  const key = run.keyOf(moment, run.stackAt(moment).activation, name);
  const write =
    key === undefined ? undefined : listWrites(run, key).findLast((each) => each.moment <= moment);
  return write === undefined
    ? []
    : run
        .statementsAt(write.line)
        .flatMap(({ assigns, reads }) => assigns.find(([bound]) => bound === name)?.[1] ?? reads);
}
