import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { main } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { page, project } from "./docs.test-helper.ts";

const sessions = tmpFolder("agent-session");

interface Line {
  readonly params?: { readonly name: string; readonly arguments: object };
  readonly result?: { readonly content?: readonly { readonly text: string }[] };
}
const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

test("the session of docs/how-to/agent-debugger.md is what its messages give", () => {
  const input = page("examples/agent-session.jsonl");
  const args = [main, "mcp", "--root", join(project, "examples"), "--sessions", sessions];
  const { stdout, stderr } = spawnSync(process.execPath, args, { input, encoding: "utf8", timeout: 60_000 });
  const calls = linesOf(input).flatMap(({ params }) =>
    params?.arguments === undefined ? [] : [`${params.name} ${JSON.stringify(params.arguments)}`],
  );
  const answers = linesOf(stdout).flatMap(({ result }) => result?.content?.[0].text ?? []);
  const text = page("docs/how-to/agent-debugger.md");
  const shown = [...text.matchAll(/```\n((?:debug|where)_\w+ \{[\s\S]*?)\n```/g)].map(([, block]) => block);
  expect(shown.length, stderr).toBe(4);
  expect(calls.map((call, i) => `${call}\n${answers[i].replace(`${sessions}/`, "sessions/")}`)).toEqual(
    shown,
  );
}, 90_000);
