/** @file Evaluations and episodes for the tests of the page: S_5 asked of a server with planted errors and occasional failures. */

import { runAgents } from "../../src/app/agents/run.ts";
import { askedOf } from "../../src/app/llm/asked.test-helper.ts";
import { silent } from "../../src/core/progress.ts";
import { chatReply, json, promptOf } from "../../src/eval/endpoints/server.test-helper.ts";

/** Free and forced, two programs of each length; the second free program of 8 goes astray in its third state, and the endpoint fails for one. */
export async function askS5(folder: string): Promise<void> {
  await askedOf(
    (asked, response, count, request) => {
      const prompt = promptOf(asked);
      const last = prompt.split("[PYTHON]\n").at(-1) ?? "";
      const program = /^([\s\S]*?)\n\[\/PYTHON\]\n\n\[THOUGHT\]\s*$/.exec(last)?.[1];
      const reply = program === undefined ? lastState(prompt) : walked(program);
      if (reply === undefined)
        json({ error: { message: "overloaded" } }, 400)(asked, response, count, request);
      else json(chatReply(reply))(asked, response, count, request);
    },
    3,
    folder,
    { bench: "s5", arms: [], settings: ["commands=[4,8]"], style: "cot", maximumTokens: 2000 },
  );
}

const names = ["a", "b", "c", "d", "e"];
let walks = 0;

/** Walks through it; of every third program the third state is wrong, and what follows from it; every fifth is not answered. */
function walked(program: string): string | undefined {
  const which = walks++;
  if (which % 5 === 4) return undefined;
  const lines: string[] = [];
  let held: Record<string, string> = {};
  for (const [i, line] of program.split("\n").entries()) {
    const [left, right] = line.split(" = ").map((side) => side.split(", "));
    const values = right.map((part) => held[part] ?? part);
    held = { ...held, ...Object.fromEntries(left.map((name, k) => [name, values[k]])) };
    if (i === 3 && which % 3 === 1) [held.a, held.b] = [held.b, held.a];
    lines.push(line, said(held));
  }
  return `${lines.join("\n")}\n[/THOUGHT]\n[ANSWER]\n${said(held)}\n[/ANSWER]`;
}

const said = (held: Readonly<Record<string, string>>) =>
  `# ${names.map((name) => `${name}=${held[name]}`).join(" ")}`;

/** The values after the last line of a forced run, from those before it. */
function lastState(prompt: string): string {
  const lines = prompt.replace(/\n\[ANSWER\]\s*$/, "").split("\n");
  const before = lines.at(-2)!.matchAll(/([a-e])=(\d)/g);
  const held = Object.fromEntries([...before].map(([, name, value]) => [name, value]));
  const [left, right] = lines
    .at(-1)!
    .split(" = ")
    .map((side) => side.split(", "));
  return said(Object.fromEntries(left.map((name, i) => [name, held[right[i]]])));
}

/** Two arms of an agent, in one of which no cell can use what another has named; the host is the embedded one, which is everywhere. */
export const actInKnapsack = (folder: string) =>
  runAgents({
    ...{ world: "knapsack", runtimes: ["persistent", "stateless"], views: ["full"], control: "free" },
    ...{ policy: "reuse", settings: [], episodes: 2, seed: 0, turns: 12, callsPerCell: 25, host: "embedded" },
    ...{ seconds: 10, folder, signal: new AbortController().signal, progress: silent },
  });
