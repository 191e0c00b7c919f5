/** @file A group of runs held against another one: for each test the difference, with the interval that `statelab compare` gives it. */

import type { MeasuredDifference } from "../../src/app/compare/difference.ts";
import type { Versus } from "../../src/app/studio/comparison.ts";
import { groupOf } from "../../src/app/studio/groups.ts";
import type { RunLine } from "../../src/app/studio/runs.ts";
import { signed } from "../../src/core/format.ts";
import { setSettings } from "../address.ts";
import { Wide } from "../parts/scroll-area.tsx";
import { useAsked } from "../parts/use-api.ts";
import { asked } from "../server.ts";

const pointsOf = (share: number) => `${share > 0 ? "+" : ""}${signed(100 * share, 1)}`;
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

export function Against(props: {
  readonly name: string;
  readonly runs: readonly RunLine[];
  readonly other: string | undefined;
}) {
  const { name, runs, other = "" } = props;
  const task = runs.find((run) => groupOf(run.name) === name)?.task;
  const others = new Set(runs.filter((run) => run.task === task).map((run) => groupOf(run.name)));
  others.delete(name);
  if (others.size === 0) return null;
  return (
    <section aria-label="Compared">
      <h3>Is it better than another?</h3>
      <div class="controls">
        <label>
          {name} against{" "}
          <select
            value={others.has(other) ? other : ""}
            onChange={({ currentTarget }) => setSettings({ against: currentTarget.value })}
          >
            <option value="">choose …</option>
            {[...others].map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      </div>
      {others.has(other) && <Compared key={other} names={[other, name]} />}
    </section>
  );
}

function Compared({ names: [first, second] }: { readonly names: readonly [string, string] }) {
  const { said, problem } = useAsked(() => asked<Versus>("versus", { first, second }), `${first} ${second}`);
  if (problem !== undefined) return <p role="alert">{problem}</p>;
  if (said === undefined) return <p class="muted">They are compared …</p>;
  const { comparisons, left } = said;
  return (
    <>
      <Wide label="Differences">
        <table>
          <caption>Right answers, and by how many points of a hundred {second} has more</caption>
          <thead>
            <tr>
              <th scope="col">test</th>
              <th scope="col">{first}</th>
              <th scope="col">{second}</th>
              <th scope="col">difference</th>
              <th scope="col">95 %</th>
            </tr>
          </thead>
          <tbody>
            {comparisons.map(({ test, accuracy }) => (
              <tr key={test}>
                <th scope="row">{test}</th>
                <td>{percent(accuracy.baseline)}</td>
                <td>{percent(accuracy.contender)}</td>
                <td>{pointsOf(accuracy.difference)}</td>
                <td>{intervalOf(accuracy)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      <p class="muted">
        {[...new Set(comparisons.map(({ accuracy, seeds }) => overWhat(accuracy, seeds.length)))].join(" ")}
        {left.length > 0 &&
          ` Left out: ${left.map(({ contender, seeds, tests }) => `${contender}, ${[...seeds.map((seed) => `seed ${seed}`), ...tests].join(", ")}`).join("; ")}.`}
      </p>
    </>
  );
}

function intervalOf({ uncertainty }: MeasuredDifference): string {
  return uncertainty.kind === "none" ? "–" : uncertainty.interval.map(pointsOf).join(" to ");
}

function overWhat({ uncertainty }: MeasuredDifference, seeds: number): string {
  switch (uncertainty.kind) {
    case "seeds":
      return `The interval is over ${seeds} seeds that both have, paired (Student's t).`;
    case "programs":
      return `The interval is over the ${uncertainty.programs} programs that both were asked, of one seed: other seeds may differ by more.`;
    case "none":
      return `No interval: ${uncertainty.reason}.`;
    default:
      return uncertainty satisfies never;
  }
}
