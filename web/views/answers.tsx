/**
 * @file Answers of language models below the folder that the studio was opened on: what became of each sample, and one of them whole, with the
 * first line that departs from the truth.
 *
 *     #/answers?asking=gpt&verdict=wrong&arm=free&predict=output&steps=8-8&sample=free/output/s5_8_0/0
 */

import type { AskingLine, SampleList } from "../../src/app/studio/evals.ts";
import { percentSign } from "../../src/core/format.ts";
import { visibleLines } from "../../src/python/trace/escape-control.ts";
import type { ArmResult, SampleRecord } from "../../src/schemas/eval.ts";
import { setSettings, whole } from "../address.ts";
import { Sample, words } from "../answers/sample.tsx";
import { Wide } from "../parts/scroll-area.tsx";
import { useAsked } from "../parts/use-api.ts";
import { asked } from "../server.ts";
import type { ViewProps } from "../view.ts";

interface Listing {
  readonly folder: string;
  readonly askings: readonly AskingLine[];
}

const PAGE = 200;

export function View({ settings }: ViewProps) {
  const { said, problem } = useAsked(() => asked<Listing>("askings"), "askings");
  if (problem !== undefined)
    return <p role="alert">The answers cannot be read: {problem}. Is statelab studio still running?</p>;
  if (said === undefined) return <p class="muted">Looking for answers …</p>;
  const { askings, folder } = said;
  const chosen =
    askings.find(({ name }) => name === settings.asking) ?? askings.find(({ problem: none }) => !none);
  return (
    <>
      <h1>What did the model say, and where did it lose track?</h1>
      {askings.length === 0 ? (
        <p>
          In {folder} no language model was asked yet.{" "}
          <code>statelab ask --bench s5 --model NAME --base-url ADDRESS --out runs/asked</code> asks one; its
          answers then stand here.
        </p>
      ) : (
        <ul class="askings">
          {askings.map((line) => (
            <li key={line.name}>
              {line.problem !== undefined ? (
                <span>
                  {line.name} cannot be read: {line.problem}
                </span>
              ) : (
                <button
                  type="button"
                  aria-pressed={line === chosen ? "true" : "false"}
                  onClick={() => setSettings({ asking: line.name, ...NO_CHOICE })}
                >
                  {line.model} on {line.bench} <span class="muted">{line.name}</span>
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {chosen?.arms !== undefined && (
        <Asking key={chosen.name} line={chosen} arms={chosen.arms} settings={settings} />
      )}
      <details>
        <summary>How do you know?</summary>
        <p>
          What <code>statelab ask</code> left: <code>results.json</code> and <code>samples.jsonl</code> in the
          folder of each asking. Shares and intervals are over programs; what the endpoint lost is in no
          figure. <code>statelab compare ASKING ASKING</code> holds two of them against each other, program by
          program.
        </p>
      </details>
    </>
  );
}

const NO_CHOICE = { verdict: "", arm: "", predict: "", steps: "", from: "", sample: "" };
const verdicts = Object.keys(words) as SampleRecord["verdict"][]; // Object.keys forgets the key type

function Asking({
  line,
  arms,
  settings,
}: {
  readonly line: AskingLine;
  readonly arms: readonly ArmResult[];
  readonly settings: ViewProps["settings"];
}) {
  const [least, most] = /^(\d+)-(\d+)$/.exec(settings.steps ?? "")?.slice(1) ?? [];
  const query = {
    ...{
      name: line.name,
      verdict: settings.verdict ?? "",
      arm: settings.arm ?? "",
      predict: settings.predict ?? "",
    },
    ...{ least: least ?? "", most: most ?? "", from: String(whole(settings.from, 0, 1e9, 0)) },
  };
  const { said, problem } = useAsked(() => asked<SampleList>("samples", query), JSON.stringify(query));
  const ranges = new Map(
    arms
      .flatMap(({ bySteps }) => bySteps)
      .toSorted((a, b) => a.from - b.from)
      .map(({ from, to }) => [`${from}-${to}`, from === to ? String(from) : `${from} to ${to}`]),
  );
  return (
    <section aria-label={line.name}>
      <Arms arms={arms} chosen={settings} />
      <p class="muted">{line.denominator}.</p>
      <Lost arms={arms} left={line.left ?? {}} endpoint={line.endpoint ?? ""} />
      <div class="controls">
        <label>
          Verdict{" "}
          <select
            value={settings.verdict ?? ""}
            onChange={({ currentTarget }) => setSettings({ verdict: currentTarget.value, from: "" })}
          >
            <option value="">all</option>
            {verdicts.map((verdict) => (
              <option key={verdict} value={verdict}>
                {words[verdict]}
                {said === undefined ? "" : ` (${said.verdicts[verdict] ?? 0})`}
              </option>
            ))}
          </select>
        </label>
        <label>
          Arm{" "}
          <select
            value={settings.arm ? `${settings.arm} ${settings.predict ?? ""}` : ""}
            onChange={({ currentTarget }) => {
              const [arm = "", predict = ""] = currentTarget.value.split(" ");
              setSettings({ arm, predict, from: "" });
            }}
          >
            <option value="">all</option>
            {arms.map(({ arm, predict }) => (
              <option key={`${arm} ${predict}`} value={`${arm} ${predict}`}>
                {arm}, {predict}
              </option>
            ))}
          </select>
        </label>
        {ranges.size > 0 && (
          <label>
            Steps{" "}
            <select
              value={settings.steps ?? ""}
              onChange={({ currentTarget }) => setSettings({ steps: currentTarget.value, from: "" })}
            >
              <option value="">all</option>
              {[...ranges].map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {problem !== undefined ? (
        <p role="alert">The samples cannot be read: {problem}</p>
      ) : said === undefined ? (
        <p class="muted">Reading the samples …</p>
      ) : (
        <Samples list={said} chosen={settings.sample} />
      )}
      {settings.sample && <Sample key={settings.sample} asking={line.name} name={settings.sample} />}
    </section>
  );
}

function Arms({
  arms,
  chosen,
}: {
  readonly arms: readonly ArmResult[];
  readonly chosen: ViewProps["settings"];
}) {
  return (
    <Wide label="By arm">
      <table>
        <caption>What the model answered, by arm; pass@1 with 95 %, over programs</caption>
        <thead>
          <tr>
            <th>arm</th>
            <th>pass@1</th>
            <th>programs</th>
            <th>correct</th>
            <th>wrong</th>
            <th>unreadable</th>
            <th>out of tokens</th>
          </tr>
        </thead>
        <tbody>
          {arms.map((each) => {
            const first = each.passAt[0];
            return (
              <tr
                key={`${each.arm} ${each.predict}`}
                aria-current={each.arm === chosen.arm && each.predict === chosen.predict ? "true" : undefined}
              >
                <th scope="row">
                  {each.arm}, {each.predict}
                </th>
                <td>
                  {first?.value == null ? "–" : percentSign(first.value)}
                  {first?.interval != null && (
                    <small class="muted"> {first.interval.map(percentSign).join(" to ")}</small>
                  )}
                </td>
                <td>{each.programs}</td>
                <td>{each.correct}</td>
                <td>{each.wrong}</td>
                <td>{each.unreadable}</td>
                <td>{each.outOfTokens}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Wide>
  );
}

/** What is no answer of the model's: it stands apart, and counts in no figure. */
function Lost({
  arms,
  left,
  endpoint,
}: {
  readonly arms: readonly ArmResult[];
  readonly left: Readonly<Record<string, number>>;
  readonly endpoint: string;
}) {
  const sum = (count: (arm: ArmResult) => number) => arms.reduce((all, arm) => all + count(arm), 0);
  const [lost, notAsked] = [sum(({ unanswered }) => unanswered), sum(({ notAsked: own }) => own)];
  if (lost + notAsked === 0) return <p class="muted">{endpoint} lost no sample.</p>;
  const kinds = Object.entries(left).map(([kind, count]) => `${count} ${kind}`);
  return (
    <section class="stale" aria-label="Lost to the endpoint">
      {lost > 0 && (
        <p>
          <strong>{lost}</strong> {lost === 1 ? "sample was" : "samples were"} lost to the endpoint {endpoint}
          {kinds.length > 0 && ` (${kinds.join(", ")})`}: no failure of the model, and in no figure.
        </p>
      )}
      {notAsked > 0 && <p>{notAsked} were not asked, since the budget was spent.</p>}
    </section>
  );
}

function Samples({ list, chosen }: { readonly list: SampleList; readonly chosen: string | undefined }) {
  const { samples, found, from, all } = list;
  if (found === 0) return <p class="muted">None of {all} samples is like that.</p>;
  return (
    <>
      <div class="flow card runs samples">
        <table>
          <thead>
            <tr>
              <th>sample</th>
              <th class="word">verdict</th>
              <th>steps</th>
              <th class="word">why</th>
            </tr>
          </thead>
          <tbody>
            {samples.map(({ sample, verdict, steps, words: why }) => (
              <tr key={sample} aria-selected={sample === chosen}>
                <th scope="row">
                  <button type="button" onClick={() => setSettings({ sample })}>
                    {sample}
                  </button>
                </th>
                <td class={`word ${verdict === "correct" ? "good" : "bad"}`}>
                  {verdict === "correct" ? "✓ " : "✗ "}
                  {words[verdict]}
                </td>
                <td>{steps ?? "–"}</td>
                <td class="word why">{visibleLines(why.length > 120 ? `${why.slice(0, 120)}…` : why)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="controls">
        <span class="muted">
          {from + 1} to {from + samples.length} of {found.toLocaleString("en")}
          {found < all && `, of ${all.toLocaleString("en")} samples in all`}
        </span>
        {from > 0 && (
          <button type="button" onClick={() => setSettings({ from: String(Math.max(0, from - PAGE)) })}>
            Before
          </button>
        )}
        {from + samples.length < found && (
          <button type="button" onClick={() => setSettings({ from: String(from + PAGE) })}>
            Further
          </button>
        )}
      </p>
    </>
  );
}
