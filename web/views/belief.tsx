/**
 * @file Belief: a program whose swaps may not have happened, and what four filters hold to be likely after each line.
 *
 *     #/belief?lines=ab.a1.bc&p=50&n=3&at=2
 */

import { useMemo } from "preact/hooks";
import { measured } from "../../src/core/format.ts";
import type { ViewProps } from "../address.ts";
import { setSettings, whole } from "../address.ts";
import {
  drawnLines,
  type FilterName,
  filterNames,
  followed,
  IMPOSSIBLE,
  type Moment,
  machineLines,
  machineVariables,
} from "../belief/belief-trace.ts";
import { Chart, type Point } from "../parts/chart.tsx";
import { Select, Shares, Sources } from "../parts/components.tsx";

const ADVERSARY = "ab.a1.ab.a1.ab.a1.ab.a1";
const about: Readonly<Record<FilterName, { readonly title: string; readonly why: string }>> = {
  exact: { title: "Exact", why: "One probability per order of the values, normalized at each reveal." },
  sinkhorn: {
    title: "Marginals, scaled",
    why: "A table of variables by values; a reveal rescales rows and columns to 1. Not linear.",
  },
  "row+column": {
    title: "Marginals, row and column",
    why: "The same table; a reveal sets a row and clears a column. Linear, like a recurrence.",
  },
  row: { title: "Marginals, row", why: "The same table; a reveal sets one row and nothing else." },
};
/** The least number that keeps all its digits, by logarithms to base 10. */
const FORMATS = [
  ["float16", -14 * Math.log10(2)],
  ["float32", -126 * Math.log10(2)],
] as const;

export function View({ settings }: ViewProps) {
  const variables = whole(settings.n, 2, 4, 3);
  const percent = whole(settings.p, 0, 100, 50);
  const text = settings.lines ?? ADVERSARY;
  const { lines, moments } = useMemo(
    () => followed({ variables, probability: percent / 100, lines: text.split(".") }),
    [variables, percent, text],
  );
  const at = whole(settings.at, 0, lines.length, lines.length);
  const setAt = (next: number) => setSettings({ at: next === lines.length ? undefined : String(next) });
  const now = moments[Math.min(at, lines.length)];
  const write = (next: readonly string[]) => setSettings({ lines: next.join("."), at: undefined });
  return (
    <>
      <p class="lead">
        Each swap happens with a given probability, and the text does not show whether it did. Add lines and
        compare four filters. Orange: more than 1 % from the exact filter.
      </p>
      <div class="controls">
        <Select
          label="Variables"
          value={variables}
          options={[2, 3, 4]}
          onChange={(n) => setSettings({ n })}
        />
        <label>
          Swap probability{" "}
          <input
            type="range"
            min={0}
            max={100}
            step={5}
            value={percent}
            onInput={({ currentTarget }) => setSettings({ p: currentTarget.value })}
          />{" "}
          {percent} %
        </label>
        <button type="button" onClick={() => write(ADVERSARY.split("."))}>
          Adversarial program
        </button>
        <button
          type="button"
          onClick={() =>
            write(drawnLines({ variables, probability: percent / 100 }, 2, 6, () => Math.random()))
          }
        >
          Random program
        </button>
      </div>
      <div class="game">
        <section class="card" aria-label="The program">
          <Program variables={variables} lines={lines} percent={percent} at={at} choose={setAt} />
          <Writing variables={variables} last={moments[lines.length]} lines={lines} write={write} />
        </section>
        <div class="models">
          {filterNames.map((name) => (
            <section class="card" key={name} aria-label={about[name].title}>
              <h2>{about[name].title}</h2>
              <Shares
                names={machineVariables(variables)}
                shares={now.by[name].shares}
                exact={now.by.exact.shares}
              />
              <p class="muted">{about[name].why}</p>
            </section>
          ))}
        </div>
      </div>
      <Paid last={moments[lines.length]} />
      <Mass moments={moments} />
      <Sources>
        <p>
          The filters are those of <code>src/analysis/belief</code>. <code>statelab belief --seed 0</code>{" "}
          measures their loss on random programs.
        </p>
      </Sources>
    </>
  );
}

/** `a, b, c = 1, 2, 3` */
function begun(variables: number): string {
  const names = machineVariables(variables);
  return `${names.join(", ")} = ${names.map((_, i) => i + 1).join(", ")}`;
}

function written(line: string, percent: number): string {
  const [first, second] = line;
  return /\d/.test(second)
    ? `print(${first})  # ${second}`
    : `if random() < ${percent / 100}: ${first}, ${second} = ${second}, ${first}`;
}

function Program(props: {
  readonly variables: number;
  readonly lines: readonly string[];
  readonly percent: number;
  readonly at: number;
  readonly choose: (at: number) => void;
}) {
  const { variables, lines, percent, at, choose } = props;
  return (
    <ol class="program" start={0}>
      {["", ...lines].map((line, i) => (
        <li key={`${i} ${line}`}>
          <button type="button" aria-pressed={i === at ? "true" : "false"} onClick={() => choose(i)}>
            {line === "" ? begun(variables) : written(line, percent)}
          </button>
        </li>
      ))}
    </ol>
  );
}

function Writing(props: {
  readonly variables: number;
  readonly last: Moment;
  readonly lines: readonly string[];
  readonly write: (lines: readonly string[]) => void;
}) {
  const { variables, last, lines, write } = props;
  const { swaps, reveals } = machineLines(variables);
  const isPossible = (line: string) => {
    const at = reveals.indexOf(line);
    return last.by.exact.shares[Math.floor(at / variables)][at % variables] > IMPOSSIBLE;
  };
  const add = (line: string) => write([...lines, line]);
  return (
    <>
      <p class="append">
        Hidden swap{" "}
        {swaps.map((line) => (
          <button type="button" key={line} onClick={() => add(line)}>
            {line[0]} ⇄ {line[1]}
          </button>
        ))}
      </p>
      <p class="append">
        Reveal{" "}
        {reveals.map((line) => (
          <button type="button" key={line} onClick={() => add(line)} disabled={!isPossible(line)}>
            {line[0]} = {line[1]}
          </button>
        ))}
      </p>
      <p class="append">
        <button type="button" disabled={lines.length === 0} onClick={() => write(lines.slice(0, -1))}>
          Remove the last line
        </button>
      </p>
    </>
  );
}

function Paid({ last }: { readonly last: Moment }) {
  if (last.by.exact.paid.length === 0) return <p class="muted">No reveals yet, so no loss.</p>;
  return (
    <section aria-label="Loss of each filter">
      <Chart
        title="Loss so far, in nats"
        unit="reveal"
        from={0}
        format={(nats) => (Number.isFinite(nats) ? nats.toFixed(2) : "∞")}
        series={filterNames.map((name) => {
          let sum = 0;
          const totals = last.by[name].paid.map((nats, i): Point => {
            sum += nats;
            return [i + 1, sum, sum, sum];
          });
          return { name: about[name].title, points: [[0, 0, 0, 0], ...totals] };
        })}
      />
      <p class="muted">
        The loss is −ln of the probability that the filter gave to the revealed value. No filter beats the
        exact one on average; on a single program one can.
      </p>
    </section>
  );
}

function Mass({ moments }: { readonly moments: readonly Moment[] }) {
  const { mass, by } = moments[moments.length - 1];
  const prints = by.exact.paid.length;
  if (prints === 0) return null;
  const each = mass / prints;
  return (
    <section aria-label="Precision">
      <h2>Without normalization</h2>
      <p>
        The unnormalized exact filter is linear, and its sum is the probability of all reveals: 10
        <sup>{measured(mass)}</sup> after {prints} {prints === 1 ? "reveal" : "reveals"}.{" "}
        {each < 0
          ? `At this rate ${FORMATS.map(([name, least]) => `${name} loses digits after ${Math.floor(least / each)}`).join(", ")} reveals.`
          : "Every reveal was certain, so nothing is lost."}
      </p>
    </section>
  );
}
