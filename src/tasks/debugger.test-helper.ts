/**
 * @file Questions of the task `debugger` asked of another debugger: CPython runs the program with all arguments, its recordings are gone
 * through by `src/python/debugger`, and what is likely is counted. Shares no code with the task.
 */

import {
  execute,
  openRecording,
  openSession,
  type Recording,
  type Session,
} from "../python/debugger/index.ts";
import { runPython } from "../python/trace/python.test-helper.ts";
import { parseHistory } from "../schemas/execution-trace.ts";
import { debuggerPosteriors } from "./debugger.ts";
import type { Example } from "./index.ts";

interface Shown {
  readonly event: string;
  readonly line: number;
  readonly values: Readonly<Record<string, string>>;
}

/** A stop or an answer as it is written. */
function shownIn(text: string): Shown {
  const [, event = "line", line, inside] = /^(?:(call|return) )?line (\d+): \{(.*)\}$/.exec(text)!;
  const values = inside === "" ? [] : inside.split(", ").map((each) => each.split(": "));
  return { event, line: Number(line), values: Object.fromEntries(values) };
}

/** The program of a text as Python runs it, and its questions. */
function partsOf(text: string) {
  const rows = text.trimEnd().split("\n");
  const listing = rows.filter((row) => /^line \d+: [^{]/.test(row));
  const rest = rows.slice(listing.length);
  const questions = rest.flatMap((stop, i) =>
    i % 3 === 0 ? [{ stop: shownIn(stop), command: rest[i + 1], answer: shownIn(rest[i + 2]) }] : [],
  );
  return { source: listing.map((row) => `${row.replace(/^line \d+: /, "")}\n`).join(""), questions };
}

/** The variables of all active calls, as the debugger of recordings shows them. */
function standing({ run, moment }: Session): Shown {
  const { event, line } = run.events[moment];
  const values = Object.entries(run.literals(moment)).flatMap(([key, value]) =>
    key.startsWith("0.") ? [] : [[key.slice(key.indexOf(".") + 1), value] as const],
  );
  return { event, line, values: Object.fromEntries(values) };
}

/** Where the debugger of recordings comes to from everywhere that looks like the stop, and how often to each. */
function landings(run: Recording, stop: Shown, command: string): Shown[] {
  const session = openSession(run);
  const start = session.moment;
  const found: Shown[] = [];
  for (let moment = start; moment < run.length; moment++) {
    const at: Session = { ...session, moment };
    const { event, line } = run.events[moment];
    if (event !== stop.event || line !== stop.line) continue;
    if (JSON.stringify(standing(at)) !== JSON.stringify(stop)) continue;
    const after = execute(at, command.replace("line ", "")).session;
    if (after.moment < start || after.moment >= run.length || after.moment === moment) continue;
    const there = standing(after);
    const named = /line (\d+)$/.exec(command)?.[1];
    // if the line is not reached, the debugger runs to the end
    if (named !== undefined && (there.event !== "line" || there.line !== Number(named))) continue;
    const changed = Object.entries(there.values).filter(([name, value]) => stop.values[name] !== value);
    found.push({ ...there, values: Object.fromEntries(changed) });
  }
  return found;
}

export function compareWithRecordings(
  examples: readonly Example[],
  sizes: { readonly variables: number; readonly starts: number },
) {
  const counts = new Map<string, number>();
  const problems: string[] = [];
  const parsed = examples.map(({ text }) => partsOf(text));
  const calls = Array.from({ length: sizes.starts ** sizes.variables }, (_, i) => {
    const given = Array.from(
      { length: sizes.variables },
      (_, k) => Math.floor(i / sizes.starts ** k) % sizes.starts,
    );
    return `f(${given.join(", ")})`;
  });
  const answers = runPython(
    parsed.flatMap(({ source }) =>
      calls.map((call) => ({ operation: "history", source, call, options: {} })),
    ),
  );
  for (const [i, { questions }] of parsed.entries()) {
    const runs = calls.map((call, k) => openRecording(parseHistory(answers[i * calls.length + k], call)));
    const known = debuggerPosteriors(examples[i], sizes);
    for (const [q, { stop, command, answer }] of questions.entries()) {
      const found = runs.flatMap((run) => landings(run, stop, command)).map((shown) => JSON.stringify(shown));
      const said = [...known[q]].map(
        ([text, share]) => `${JSON.stringify(shownIn(text))} ${share.toFixed(9)}`,
      );
      const counted = [...new Set(found)].map(
        (text) => `${text} ${(found.filter((each) => each === text).length / found.length).toFixed(9)}`,
      );
      if (!found.includes(JSON.stringify(answer))) problems.push(`${command}: ${examples[i].text}`);
      if (said.toSorted().join() !== counted.toSorted().join())
        problems.push(`${command}: ${said}, by recordings ${counted}, ${examples[i].text}`);
      const name = command.replace(/ line \d+$/, "");
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return { counts, problems };
}
