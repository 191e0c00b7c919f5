/**
 * @file Episodes of agents below the folder that the studio was opened on: what each arm came to, and one episode turn by turn.
 *
 *     #/episodes?folder=reuse&runtime=stateless&view=full&trouble=yes&episode=knapsack/stateless/full/free/reuse/0
 */

import type { AgentLine, EpisodeDetails, EpisodeList } from "../../src/app/studio/episodes.ts";
import type { BelievedTurn } from "../../src/eval/agents/replay.ts";
import { visibleLines } from "../../src/python/trace/terminal.ts";
import { spaced } from "../../src/report/shares.ts";
import type { AgentArm, EpisodeTurn } from "../../src/schemas/agents.ts";
import type { ViewProps } from "../address.ts";
import { whole } from "../address.ts";
import { bringIntoView, Check, Sources, Wide } from "../parts/components.tsx";
import {
  ArmFilter,
  chosenFolder,
  FolderChoice,
  Listing,
  pending,
  RecordPages,
  Search,
  SummaryTable,
} from "../parts/records.tsx";
import { asked, useApi } from "../server.ts";

interface Agents {
  readonly folder: string;
  readonly agents: readonly AgentLine[];
}

export function View({ settings }: ViewProps) {
  const answer = useApi(() => asked<Agents>("agents"), "agents");
  const { said } = answer;
  if (said === undefined) return pending(answer, "Loading episodes");
  const { agents, folder } = said;
  const chosen = chosenFolder(agents, settings.folder);
  return (
    <>
      {agents.length === 0 ? (
        <p>
          No agent episodes in {folder} yet. To run some:{" "}
          <code>statelab agent run knapsack --policy reuse --runtime persistent,stateless</code>
        </p>
      ) : (
        <FolderChoice
          lines={agents}
          chosen={chosen}
          title={({ policy, world }) => `${policy} in ${world}`}
          setting="folder"
        />
      )}
      {chosen !== undefined && chosen.problem === undefined && (
        <Folder key={chosen.name} line={chosen} settings={settings} />
      )}
      <Sources>
        <p>
          Source: the event log of <code>statelab agent run</code>, checked against its hashes.{" "}
          <code>statelab agent replay</code> recomputes its numbers.
        </p>
      </Sources>
    </>
  );
}

function Folder({ line, settings }: { readonly line: AgentLine } & ViewProps) {
  const { name, arms = [] } = line;
  const query = {
    ...{ name, runtime: settings.runtime ?? "", view: settings.view ?? "" },
    ...{
      text: settings.text ?? "",
      trouble: settings.trouble ?? "",
      from: String(whole(settings.from, 0, 1e9, 0)),
    },
  };
  const answer = useApi(() => asked<EpisodeList>("episodes", query), JSON.stringify(query));
  const { said } = answer;
  return (
    <section aria-label={name}>
      {arms.length === 0 ? (
        <p class="muted">No results yet: the run has not ended. Its episodes so far are below.</p>
      ) : (
        <Arms arms={arms} />
      )}
      <div class="controls">
        <Search chosen={settings.text} />
        {arms.length > 1 && <ArmFilter settings={settings} names={["runtime", "view"]} arms={arms} />}
        <Check label="A cell failed" setting="trouble" value="yes" chosen={settings.trouble} reset="from" />
      </div>
      {said === undefined ? (
        pending(answer, "Loading episodes")
      ) : (
        <Episodes list={said} chosen={settings.episode} />
      )}
      {settings.episode && <Episode key={settings.episode} folder={name} name={settings.episode} />}
    </section>
  );
}

const withError = ({ mean, error }: AgentArm["turns"], digits: number) =>
  error === null ? mean.toFixed(digits) : `${mean.toFixed(digits)} ± ${error.toFixed(digits)}`;

const counts = (errors: Readonly<Record<string, number>>) =>
  Object.entries(errors)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ") || "none";
const rounded = ({ mean }: AgentArm["turns"]) => Math.round(mean).toLocaleString("en");

const Arms = ({ arms }: { readonly arms: readonly AgentArm[] }) => (
  <SummaryTable
    label="By arm"
    caption="Means ± standard error; share: of the optimum"
    first="arm"
    name={({ runtime, view }: AgentArm) => `${runtime}, ${view}`}
    rows={arms}
    columns={[
      { title: "share", cell: ({ score }) => (score.share === undefined ? "–" : withError(score.share, 3)) },
      { title: "episodes", cell: ({ episodes }) => episodes },
      { title: "turns", cell: ({ turns }) => withError(turns, 2) },
      { title: "longest prompt", cell: ({ tokens }) => rounded(tokens.peak) },
      { title: "tokens processed", cell: ({ tokens }) => rounded(tokens.processed) },
      { title: "tokens written", cell: ({ tokens }) => rounded(tokens.replied) },
      { title: "episodes with a failed cell", cell: ({ errors }) => counts(errors) },
    ]}
  />
);

const Episodes = ({ list, chosen }: { list: EpisodeList; chosen: string | undefined }) => (
  <RecordPages
    {...{ list, unit: "episodes", setting: "episode", chosen }}
    name={({ episode }) => episode}
    rows={list.episodes}
    columns={[
      { title: "share", cell: ({ score }) => score.share?.toFixed(3) ?? "–" },
      { title: "turns", cell: ({ turns, over }) => `${turns}${over ? "" : ", not finished"}` },
      { title: "calls", cell: ({ calls }) => calls },
      { title: "failed cells", word: true, className: () => "why", cell: ({ errors }) => counts(errors) },
    ]}
  />
);

/** Of a cell, or of its output. */
const MOST_LINES = 200;
const MOST_CALLS = 50;

function Episode({ folder, name }: { readonly folder: string; readonly name: string }) {
  const answer = useApi(() => asked<EpisodeDetails>("episode", { name: folder, episode: name }), name);
  const { said } = answer;
  if (said === undefined) return pending(answer, `Loading ${name}`);
  const { begin, turns, end, believed } = said;
  return (
    <section class="card" aria-label={`Episode ${name}`} ref={bringIntoView}>
      <h2>{name}</h2>
      <dl class="facts">
        <dt>Ended</dt>
        <dd>
          {end.over ? "environment finished" : "turn limit reached"} after {end.turns} of at most{" "}
          {begin.turns} turns
        </dd>
        <dt>Score</dt>
        <dd>
          {Object.entries(end.score)
            .map(([what, value]) => `${spaced(what)} ${Number(value.toFixed(3))}`)
            .join(", ")}
        </dd>
        <dt>Tokens</dt>
        <dd>
          {end.tokens.replied.toLocaleString("en")} written, {end.tokens.processed.toLocaleString("en")}{" "}
          processed; longest prompt {end.tokens.peak.toLocaleString("en")}
        </dd>
      </dl>
      <FirstError {...{ turns, believed }} />
      {turns.map((turn, i) => (
        <Turn key={turn.turn} turn={turn} believed={believed[i]} />
      ))}
    </section>
  );
}

/** The first claim of the agent that is not true of the environment. */
function FirstError({ turns, believed }: Pick<EpisodeDetails, "turns" | "believed">) {
  const wrong = ({ cell, calls }: BelievedTurn) =>
    [...calls.flatMap(({ beliefs }) => beliefs), ...cell].find(({ claimed, truth }) => claimed !== truth);
  const at = believed.findIndex((each) => wrong(each) !== undefined);
  if (at < 0) return null;
  const claim = wrong(believed[at])!; // as it was found
  return (
    <p class="stale">
      First error: <strong>turn {turns[at].turn}</strong> claims {claim.name}: {claim.claimed}; true is{" "}
      {claim.truth}.
    </p>
  );
}

/** What a call claims of the environment; that it is accepted goes without saying. */
const Beliefs = ({ beliefs }: { readonly beliefs: BelievedTurn["cell"] }) =>
  beliefs.map(({ name, claimed, truth }) =>
    claimed !== truth ? (
      <small key={name} class="bad">
        {" "}
        ✗ {name}: {claimed}, true: {truth}
      </small>
    ) : truth === "accepted" ? null : (
      <small key={name} class="muted">
        {" "}
        ✓ {name}: {truth}
      </small>
    ),
  );

function Turn(props: { readonly turn: EpisodeTurn; readonly believed: BelievedTurn | undefined }) {
  const { turn, shown, replies, calls, refused, end } = props.turn;
  const cell = replies.at(-1) ?? "";
  const [only] = calls;
  const isAnswer =
    calls.length === 1 && "value" in only.answer && end.output.trim() === JSON.stringify(only.answer.value);
  return (
    <section aria-label={`Turn ${turn}`}>
      <h3>
        Turn {turn}{" "}
        <small class="muted">
          {shown.toLocaleString("en")} prompt tokens
          {replies.length > 1 && `; ${replies.length - 1} earlier replies were rejected`}
        </small>
      </h3>
      <Lines label={`Cell of turn ${turn}`} text={cell} />
      {calls.length > 0 && (
        <Wide label={`Calls of turn ${turn}`}>
          <ul class="calls">
            {calls.slice(0, MOST_CALLS).map(({ name, arguments: given, answer }, i) => (
              <li key={i}>
                <code>
                  {name}({given.map((each) => visibleLines(JSON.stringify(each))).join(", ")})
                </code>{" "}
                →{" "}
                {"error" in answer ? (
                  <span class="bad">
                    {answer.error}: {visibleLines(answer.message)}
                  </span>
                ) : (
                  <code>{visibleLines(JSON.stringify(answer.value))}</code>
                )}
                <Beliefs beliefs={props.believed?.calls[i].beliefs ?? []} />
              </li>
            ))}
          </ul>
        </Wide>
      )}
      {calls.length > MOST_CALLS && (
        <p class="muted">{calls.length - MOST_CALLS} more calls are in the event log.</p>
      )}
      {refused > 0 && <p class="stale">{refused} calls refused: they exceed the limit per cell.</p>}
      <Beliefs beliefs={props.believed?.cell ?? []} />
      {!isAnswer && end.output !== "" && <Lines label={`Output of turn ${turn}`} text={end.output} />}
      {end.end !== "finished" && (
        <p class="bad">
          {end.end === "stopped" ? "Stopped: a limit was exceeded, or the interpreter died." : end.exception}
          {end.message !== "" && `: ${visibleLines(end.message)}`}
        </p>
      )}
    </section>
  );
}

const Lines = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <Listing
    title={label}
    lines={text.replace(/\n$/, "").split("\n")}
    most={MOST_LINES}
    file="the event log"
    hasHeading={false}
  />
);
