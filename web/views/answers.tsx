/**
 * @file Answers of language models below the folder that the studio was opened on: what became of each sample, and one of them whole, with the
 * first line that departs from the truth.
 *
 *     #/answers?asking=gpt&verdict=wrong&arm=free&predict=output&steps=8-8&sample=free/output/s5_8_0/0
 */

import { useState } from "preact/hooks";
import type { AskingLine, SampleList } from "../../src/app/studio/evals.ts";
import { errorText } from "../../src/core/error.ts";
import { percentSign } from "../../src/core/format.ts";
import { visibleLines } from "../../src/python/trace/terminal.ts";
import type { ArmResult, SampleRecord } from "../../src/schemas/eval.ts";
import type { ViewProps } from "../address.ts";
import { setSettings, whole, writeAddress } from "../address.ts";
import { type Followed, firstDeparture, tracedProgram, type Values } from "../answers/first-error.ts";
import type { SampleRun } from "../answers/run-sample.ts";
import { bringIntoView, Sources } from "../parts/components.tsx";
import {
  ArmFilter,
  chosenFolder,
  Filter,
  FolderChoice,
  Listing,
  pending,
  RecordPages,
  Search,
  SummaryTable,
} from "../parts/records.tsx";
import { asked, useApi } from "../server.ts";

interface Askings {
  readonly folder: string;
  readonly askings: readonly AskingLine[];
}

export function View({ settings }: ViewProps) {
  const answer = useApi(() => asked<Askings>("askings"), "askings");
  const { said } = answer;
  if (said === undefined) return pending(answer, "Loading evaluations");
  const { askings, folder } = said;
  const chosen = chosenFolder(askings, settings.asking);
  return (
    <>
      {askings.length === 0 ? (
        <p>
          No LLM evaluation in {folder} yet. To run one:{" "}
          <code>statelab llm eval --bench s5 --model NAME --base-url ADDRESS --out runs/asked</code>
        </p>
      ) : (
        <FolderChoice
          lines={askings}
          chosen={chosen}
          title={({ model, bench }) => `${model} on ${bench}`}
          setting="asking"
        />
      )}
      {chosen?.arms !== undefined && (
        <Asking key={chosen.name} line={chosen} arms={chosen.arms} settings={settings} />
      )}
      <Sources>
        <p>
          Source: <code>results.json</code> and <code>samples.jsonl</code> of each{" "}
          <code>statelab llm eval</code>. <code>statelab compare EVALUATION EVALUATION</code> compares two,
          program by program.
        </p>
      </Sources>
    </>
  );
}

const words: Readonly<Record<SampleRecord["verdict"], string>> = {
  correct: "correct",
  wrong: "wrong",
  unreadable: "unreadable",
  "out-of-tokens": "out of tokens",
};

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
    ...{
      text: settings.text ?? "",
      least: least ?? "",
      most: most ?? "",
      from: String(whole(settings.from, 0, 1e9, 0)),
    },
  };
  const answer = useApi(() => asked<SampleList>("samples", query), JSON.stringify(query));
  const { said } = answer;
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
        <Search chosen={settings.text} />
        <Filter
          label="Verdict"
          value={settings.verdict ?? ""}
          options={verdicts.map((verdict) => [
            verdict,
            `${words[verdict]}${said === undefined ? "" : ` (${said.verdicts[verdict] ?? 0})`}`,
          ])}
          onChange={(verdict) => setSettings({ verdict, from: "" })}
        />
        <ArmFilter settings={settings} names={["arm", "predict"]} arms={arms} />
        {ranges.size > 0 && (
          <Filter
            label="Steps"
            value={settings.steps ?? ""}
            options={[...ranges]}
            onChange={(steps) => setSettings({ steps, from: "" })}
          />
        )}
      </div>
      {said === undefined ? (
        pending(answer, "Loading samples")
      ) : (
        <Samples list={said} chosen={settings.sample} />
      )}
      {settings.sample && <Sample key={settings.sample} asking={line.name} name={settings.sample} />}
    </section>
  );
}

const Arms = ({ arms, chosen }: { arms: readonly ArmResult[]; chosen: ViewProps["settings"] }) => (
  <SummaryTable
    label="By arm"
    caption="Verdicts by arm, pass@1 with 95 % interval"
    first="arm"
    name={({ arm, predict }: ArmResult) => `${arm}, ${predict}`}
    rows={arms}
    isCurrent={({ arm, predict }) => arm === chosen.arm && predict === chosen.predict}
    columns={[
      {
        title: "pass@1",
        cell: ({ passAt: [first] }) => (
          <>
            {first?.value == null ? "–" : percentSign(first.value)}
            {first?.interval != null && (
              <small class="muted"> {first.interval.map(percentSign).join(" to ")}</small>
            )}
          </>
        ),
      },
      { title: "programs", cell: ({ programs }) => programs },
      { title: "correct", cell: ({ correct }) => correct },
      { title: "wrong", cell: ({ wrong }) => wrong },
      { title: "unreadable", cell: ({ unreadable }) => unreadable },
      { title: "out of tokens", cell: ({ outOfTokens }) => outOfTokens },
    ]}
  />
);

/** Samples without an answer of the model: counted in no figure. */
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
  if (lost + notAsked === 0) return <p class="muted">No sample was lost at {endpoint}.</p>;
  const kinds = Object.entries(left).map(([kind, count]) => `${count} ${kind}`);
  return (
    <section class="stale" aria-label="Lost samples">
      {lost > 0 && (
        <p>
          <strong>{lost}</strong> {lost === 1 ? "sample was" : "samples were"} lost at the endpoint {endpoint}
          {kinds.length > 0 && ` (${kinds.join(", ")})`}. Lost samples count in no figure.
        </p>
      )}
      {notAsked > 0 && <p>{notAsked} were not sent: the budget was spent.</p>}
    </section>
  );
}

const Samples = ({ list, chosen }: { readonly list: SampleList; readonly chosen: string | undefined }) => (
  <RecordPages
    {...{ list, unit: "samples", setting: "sample", chosen }}
    name={({ sample }) => sample}
    rows={list.samples}
    columns={[
      {
        title: "verdict",
        word: true,
        className: ({ verdict }) => (verdict === "correct" ? "good" : "bad"),
        cell: ({ verdict }) => `${verdict === "correct" ? "✓ " : "✗ "}${words[verdict]}`,
      },
      { title: "steps", cell: ({ steps }) => steps ?? "–" },
      {
        title: "why",
        word: true,
        className: () => "why",
        cell: ({ words: why }) => visibleLines(why.length > 120 ? `${why.slice(0, 120)}…` : why),
      },
    ]}
  />
);

function Sample({ asking, name }: { readonly asking: string; readonly name: string }) {
  const answer = useApi(() => asked<SampleRecord>("sample", { name: asking, sample: name }), name);
  const { said } = answer;
  if (said === undefined) return pending(answer, `Loading ${name}`);
  const { prompt, replies, reasoning = [], extracted, expected } = said;
  const { verdict, words: why, finish, replyTokens } = said;
  const program = tracedProgram(prompt);
  const followed = firstDeparture(prompt, replies);
  const at = followed.kind === "departs" ? followed.departure.line : undefined;
  return (
    <section class="card" aria-label={`Sample ${name}`} ref={bringIntoView}>
      <h2>{name}</h2>
      <dl class="facts">
        <dt>Verdict</dt>
        <dd class={verdict === "correct" ? "good" : "bad"}>
          {words[verdict]}
          {why !== "" && `: ${visibleLines(why)}`}
        </dd>
        <dt>Extracted</dt>
        <dd>{extracted === null ? "nothing" : <code>{visibleLines(extracted)}</code>}</dd>
        <dt>Expected</dt>
        <dd>
          <code>{visibleLines(expected)}</code>
        </dd>
        <dt>Finish reason</dt>
        <dd>
          {finish ?? "not reported"}
          {replyTokens !== null && `, ${replyTokens.toLocaleString("en")} tokens`}
        </dd>
      </dl>
      {program === undefined ? (
        <Departs
          followed={followed}
          place={(line) => (replies.length === 1 ? `line ${line} of the reply` : `reply ${line}`)}
        />
      ) : (
        <OwnRun sample={said} program={program} />
      )}
      <Listing
        title={replies.length === 1 ? "Reply" : `${replies.length} replies, one per line of the program`}
        lines={replies.length === 1 ? replies[0].split("\n") : replies}
        at={at}
        beside={followed.kind === "unknown" ? [] : followed.truth.map(stateText)}
      />
      {reasoning.some((each) => each !== "") && (
        <Listing title="Reasoning" lines={reasoning.join("\n").split("\n")} />
      )}
      <Listing title={replies.length === 1 ? "Prompt" : "Last prompt"} lines={prompt.split("\n")} />
    </section>
  );
}

const stateText = (values: Values) => [...values].map(([name, value]) => `${name} = ${value}`).join(", ");

/** A program that computes: the record has no states of it, so it is run when the visitor asks. */
function OwnRun({ sample, program }: { readonly sample: SampleRecord; readonly program: string }) {
  const [run, setRun] = useState<SampleRun>();
  const [status, setStatus] = useState("");
  const start = async () => {
    setStatus("Running …");
    try {
      const { runSample } = await import("../answers/run-sample.ts");
      const progress = (share: number) => setStatus(`Loading Python, ${Math.round(100 * share)} % …`);
      setRun(await runSample(sample, program, progress));
      setStatus("");
    } catch (error) {
      setStatus(`${errorText(error)}.`);
    }
  };
  return (
    <>
      <p class="controls">
        <button type="button" disabled={status.endsWith("…")} onClick={start}>
          Run it and check the reply
        </button>
        <a href={writeAddress({ view: "trace", settings: { program } })}>Trace this program</a>
        <span class="muted" role="status">
          {status}
        </span>
      </p>
      {run === undefined ? (
        <p class="muted">
          The record has no states of this program. Running it in the page's sandbox shows them, as does{" "}
          <code>statelab diagnose</code> of this folder.
        </p>
      ) : (
        <>
          <Departs
            followed={run.followed}
            place={(line) => (line === 0 ? "the reply" : `the reply, for executed line ${line},`)}
          />
          <Listing
            title="Executed lines, with the state after each"
            lines={run.lines}
            at={run.followed.kind === "departs" ? run.followed.departure.line : undefined}
            beside={run.truth.map(stateText)}
          />
        </>
      )}
    </>
  );
}

function Departs(props: { readonly followed: Followed; readonly place: (line: number) => string }) {
  const { followed, place } = props;
  if (followed.kind === "unknown")
    return (
      <p class="muted">
        First error unknown: the reply states no values that can be compared with the program.
      </p>
    );
  if (followed.kind === "agrees")
    return <p>No error: the reply states {followed.claims} states, each correct.</p>;
  const { line, kind, said, truth } = followed.departure;
  return (
    <p class="stale">
      First error: <strong>{place(line)}</strong>{" "}
      {kind === "state" ? (
        <>
          says <code>{said}</code>; correct is <code>{truth}</code>.
        </>
      ) : (
        <>
          writes <code>{visibleLines(said)}</code>; the program has <code>{truth}</code>.
        </>
      )}
    </p>
  );
}
