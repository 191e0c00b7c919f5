/**
 * @file Episodes of agents below the folder that the studio was opened on: what each arm came to, and one episode turn by turn.
 *
 *     #/episodes?folder=reuse&runtime=stateless&view=full&trouble=yes&episode=knapsack/stateless/full/free/reuse/0
 */

import type { AgentLine, EpisodeList } from "../../src/app/studio/episodes.ts";
import type { AgentArm } from "../../src/schemas/agents.ts";
import { setSettings, whole } from "../address.ts";
import { Episode } from "../episodes/episode.tsx";
import { Wide } from "../parts/scroll-area.tsx";
import { useAsked } from "../parts/use-api.ts";
import { asked } from "../server.ts";
import type { ViewProps } from "../view.ts";

interface Listing {
  readonly folder: string;
  readonly agents: readonly AgentLine[];
}

const PAGE = 200;
const NO_CHOICE = { runtime: "", view: "", trouble: "", from: "", episode: "" };

export function View({ settings }: ViewProps) {
  const { said, problem } = useAsked(() => asked<Listing>("agents"), "agents");
  if (problem !== undefined)
    return <p role="alert">The episodes cannot be read: {problem}. Is statelab studio still running?</p>;
  if (said === undefined) return <p class="muted">Looking for episodes …</p>;
  const { agents, folder } = said;
  const chosen =
    agents.find(({ name }) => name === settings.folder) ?? agents.find(({ problem: none }) => !none);
  return (
    <>
      <h1>Where does an agent's state live?</h1>
      {agents.length === 0 ? (
        <p>
          In {folder} no agent has acted yet.{" "}
          <code>statelab agent run knapsack --policy reuse --runtime persistent,stateless</code> lets one; its
          episodes then stand here.
        </p>
      ) : (
        <ul class="askings">
          {agents.map((line) => (
            <li key={line.name}>
              {line.problem !== undefined ? (
                <span>
                  {line.name} cannot be read: {line.problem}
                </span>
              ) : (
                <button
                  type="button"
                  aria-pressed={line === chosen ? "true" : "false"}
                  onClick={() => setSettings({ folder: line.name, ...NO_CHOICE })}
                >
                  {line.policy} in {line.world} <span class="muted">{line.name}</span>
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {chosen !== undefined && chosen.problem === undefined && (
        <Folder key={chosen.name} line={chosen} settings={settings} />
      )}
      <details>
        <summary>How do you know?</summary>
        <p>
          What <code>statelab agent run</code> left: a ledger in which every line holds the hash of the one
          before. It is read whole and held against its hashes; <code>statelab agent replay</code> computes
          every number of it again.
        </p>
      </details>
    </>
  );
}

function Folder({ line, settings }: { readonly line: AgentLine } & ViewProps) {
  const { name, arms = [] } = line;
  const query = {
    ...{ name, runtime: settings.runtime ?? "", view: settings.view ?? "" },
    ...{ trouble: settings.trouble ?? "", from: String(whole(settings.from, 0, 1e9, 0)) },
  };
  const { said, problem } = useAsked(() => asked<EpisodeList>("episodes", query), JSON.stringify(query));
  const arm = settings.runtime ? `${settings.runtime} ${settings.view ?? ""}` : "";
  return (
    <section aria-label={name}>
      {arms.length === 0 ? (
        <p class="muted">
          It is not at its end: there are no results yet. What has happened so far stands below.
        </p>
      ) : (
        <Arms arms={arms} />
      )}
      <div class="controls">
        {arms.length > 1 && (
          <label>
            Arm{" "}
            <select
              value={arm}
              onChange={({ currentTarget }) => {
                const [runtime = "", view = ""] = currentTarget.value.split(" ");
                setSettings({ runtime, view, from: "" });
              }}
            >
              <option value="">all</option>
              {arms.map(({ runtime, view }) => (
                <option key={`${runtime} ${view}`} value={`${runtime} ${view}`}>
                  {runtime}, {view}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          <input
            type="checkbox"
            checked={settings.trouble === "yes"}
            onChange={({ currentTarget }) =>
              setSettings({ trouble: currentTarget.checked ? "yes" : "", from: "" })
            }
          />{" "}
          a cell did not finish
        </label>
      </div>
      {problem !== undefined ? (
        <p role="alert">The episodes cannot be read: {problem}</p>
      ) : said === undefined ? (
        <p class="muted">Reading the ledger …</p>
      ) : (
        <Episodes list={said} chosen={settings.episode} />
      )}
      {settings.episode && <Episode key={settings.episode} folder={name} name={settings.episode} />}
    </section>
  );
}

const withError = ({ mean, error }: AgentArm["turns"], digits: number) =>
  error === null ? mean.toFixed(digits) : `${mean.toFixed(digits)} ± ${error.toFixed(digits)}`;

function Arms({ arms }: { readonly arms: readonly AgentArm[] }) {
  return (
    <Wide label="By arm">
      <table>
        <caption>Means over episodes, with their standard errors; share: of the best that there is</caption>
        <thead>
          <tr>
            <th>arm</th>
            <th>share</th>
            <th>episodes</th>
            <th>turns</th>
            <th>longest prompt</th>
            <th>tokens processed</th>
            <th>tokens written</th>
            <th>episodes with a cell that did not finish</th>
          </tr>
        </thead>
        <tbody>
          {arms.map(({ runtime, view, score, episodes, turns, tokens, errors }) => (
            <tr key={`${runtime} ${view}`}>
              <th scope="row">
                {runtime}, {view}
              </th>
              <td>{score.share === undefined ? "–" : withError(score.share, 3)}</td>
              <td>{episodes}</td>
              <td>{withError(turns, 2)}</td>
              <td>{Math.round(tokens.peak.mean).toLocaleString("en")}</td>
              <td>{Math.round(tokens.processed.mean).toLocaleString("en")}</td>
              <td>{Math.round(tokens.replied.mean).toLocaleString("en")}</td>
              <td>
                {Object.entries(errors)
                  .map(([kind, count]) => `${count} ${kind}`)
                  .join(", ") || "none"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

function Episodes({ list, chosen }: { readonly list: EpisodeList; readonly chosen: string | undefined }) {
  const { episodes, found, from, all } = list;
  if (found === 0) return <p class="muted">None of {all} episodes is like that.</p>;
  return (
    <>
      <div class="flow card runs samples">
        <table>
          <thead>
            <tr>
              <th>episode</th>
              <th>share</th>
              <th>turns</th>
              <th>calls</th>
              <th class="word">cells that did not finish</th>
            </tr>
          </thead>
          <tbody>
            {episodes.map(({ episode, score, turns, calls, errors, over }) => (
              <tr key={episode} aria-selected={episode === chosen}>
                <th scope="row">
                  <button type="button" onClick={() => setSettings({ episode })}>
                    {episode}
                  </button>
                </th>
                <td>{score.share === undefined ? "–" : score.share.toFixed(3)}</td>
                <td>
                  {turns}
                  {over ? "" : ", not over"}
                </td>
                <td>{calls}</td>
                <td class="word why">
                  {Object.entries(errors)
                    .map(([kind, count]) => `${count} ${kind}`)
                    .join(", ") || "none"}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="controls">
        <span class="muted">
          {from + 1} to {from + episodes.length} of {found.toLocaleString("en")}
          {found < all && `, of ${all.toLocaleString("en")} episodes in all`}
        </span>
        {from > 0 && (
          <button type="button" onClick={() => setSettings({ from: String(Math.max(0, from - PAGE)) })}>
            Before
          </button>
        )}
        {from + episodes.length < found && (
          <button type="button" onClick={() => setSettings({ from: String(from + PAGE) })}>
            Further
          </button>
        )}
      </p>
    </>
  );
}
