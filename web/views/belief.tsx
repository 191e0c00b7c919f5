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
import { Select, Sources } from "../parts/components.tsx";
import { listColumns, SummaryTable } from "../parts/records.tsx";

const ADVERSARY = "ab.a1.ab.a1.ab.a1.ab.a1";
const about: Readonly<Record<FilterName, { readonly title: string; readonly why: string }>> = {
  exact: { title: "Exact", why: "a probability for each order of the values, and a division at each print" },
  sinkhorn: {
    title: "Marginals, scaled",
    why: "a table of variables and values; after a print rows and columns are scaled to 1: not linear",
  },
  "row+column": {
    title: "Marginals, row and column",
    why: "the same table; a print writes a row and clears a column: linear, as a recurrence can",
  },
  row: { title: "Marginals, row", why: "the same; a print writes the row of what is printed, and no more" },
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
      <h1>What can be known when the program does not say what it did?</h1>
      <p class="lead">
        Each swap happens or not, and the text does not tell. What is printed is true. A reader can then hold
        only probabilities. Write lines, and see who keeps them right.
      </p>
      <div class="controls">
        <Select
          label="Variables"
          value={variables}
          options={[2, 3, 4]}
          onChange={(n) => setSettings({ n })}
        />
        <label>
          A swap happens with{" "}
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
          An adversary's program
        </button>
        <button
          type="button"
          onClick={() =>
            write(drawnLines({ variables, probability: percent / 100 }, 2, 6, () => Math.random()))
          }
        >
          One that is drawn
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
              <Shares variables={variables} shares={now.by[name].shares} exact={now.by.exact.shares} />
              <p class="muted">{about[name].why}</p>
            </section>
          ))}
        </div>
      </div>
      <Paid lines={lines} last={moments[lines.length]} />
      <Mass moments={moments} />
      <Sources>
        <p>
          The filters are the lab's own (<code>src/analysis/belief</code>), in 64-bit numbers in this page; a
          test holds the exact one against all outcomes, listed. What each pays on thousands of programs:{" "}
          <code>statelab belief --seed 0</code>.
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
        Maybe swap
        {swaps.map((line) => (
          <button type="button" key={line} onClick={() => add(line)}>
            {line[0]} ⇄ {line[1]}
          </button>
        ))}
      </p>
      <p class="append">
        Print
        {reveals.map((line) => (
          <button type="button" key={line} onClick={() => add(line)} disabled={!isPossible(line)}>
            {line[0]} = {line[1]}
          </button>
        ))}
      </p>
      <p class="append">
        <button type="button" disabled={lines.length === 0} onClick={() => write(lines.slice(0, -1))}>
          Take the last line back
        </button>
      </p>
    </>
  );
}

function Shares(props: {
  readonly variables: number;
  readonly shares: readonly (readonly number[])[];
  readonly exact: readonly (readonly number[])[];
}) {
  const { variables, shares, exact } = props;
  const names = machineVariables(variables);
  return (
    <table class="belief shares">
      <thead>
        <tr>
          <td />
          {names.map((name, value) => (
            <th key={name} scope="col">
              {value + 1}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {names.map((name, i) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {shares[i].map((share, value) => (
              <td key={value} class={Math.abs(share - exact[i][value]) > 0.01 ? "off" : undefined}>
                {(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %
                <meter min={0} max={1} value={share} aria-label={`${name} is ${value + 1}`} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Paid({ lines, last }: { readonly lines: readonly string[]; readonly last: Moment }) {
  const prints = lines.filter((line) => /\d/.test(line));
  if (prints.length === 0) return <p class="muted">Nothing was printed yet, so nothing was paid.</p>;
  const total = (paid: readonly number[]) => paid.reduce((sum, nats) => sum + nats, 0);
  const shown = (nats: number) => (Number.isFinite(nats) ? nats.toFixed(2) : "∞");
  return (
    <section aria-label="Paid">
      <h2>What each pays</h2>
      <p>
        Before a print a filter states a probability for each value, and pays −ln of what it gave to the one
        that came. On average nobody pays less than the exact filter; on one program somebody may.
      </p>
      <SummaryTable
        label="Nats by print"
        first="nats"
        name={([title]) => title}
        rows={filterNames.map((name) => {
          const { paid } = last.by[name];
          return [about[name].title, ...[...paid, total(paid)].map(shown)];
        })}
        columns={listColumns([...prints.map((line) => `${line[0]} = ${line[1]}`), "together"])}
      />
    </section>
  );
}

function Mass({ moments }: { readonly moments: readonly Moment[] }) {
  const { mass, by } = moments[moments.length - 1];
  const prints = by.exact.paid.length;
  if (prints === 0) return null;
  const each = mass / prints;
  return (
    <section aria-label="Mass">
      <h2>Without the division</h2>
      <p>
        The exact filter is linear but for its division. Without it, as a linear recurrence would keep it, its
        numbers sum to the probability of all that was printed: 10<sup>{measured(mass)}</sup> after {prints}{" "}
        {prints === 1 ? "print" : "prints"}.{" "}
        {each < 0
          ? `At this rate ${FORMATS.map(([name, least]) => `${name} begins to lose digits after ${Math.floor(least / each)}`).join(", ")} prints.`
          : "Nothing that was printed was news, so nothing is lost."}
      </p>
    </section>
  );
}
