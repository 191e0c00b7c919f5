import { expect, test } from "vitest";
import { startConversation } from "./conversation.ts";
import { linesOf, planOf } from "./episode.test-helper.ts";

const noSession = () => Promise.reject(new Error("no Python is to run here"));
const order = { world: "lock", settings: { lock: { length: 5 } } } as const;
const asked = () => planOf({ ...order, policy: "endpoint" });
const scripted = planOf({ ...order, policy: "tracking" });

/** What the script enters, turn by turn. */
async function replies(): Promise<string[]> {
  return (await linesOf(scripted)).flatMap((line) => (line.kind === "turn" ? line.replies : []));
}

test("a talk that is answered as a script answers has the script's calls, ends and score", async () => {
  const right = await replies();
  const talk = startConversation(asked(), noSession);
  const prompts: string[] = [];
  for (let prompt = await talk.next([]); prompt !== undefined; ) {
    prompts.push(prompt);
    prompt = await talk.next(right.slice(0, prompts.length).map((cell) => `[PYTHON]\n${cell}\n[/PYTHON]`));
  }
  await talk.close();
  const own = await linesOf(scripted);
  const calls = (lines: typeof own) =>
    lines.map((line) => (line.kind === "turn" ? [line.calls, line.end, line.shown] : line.kind));
  expect(calls([...talk.lines])).toEqual(calls(own));
  expect(talk.lines.at(-1)).toMatchObject({ kind: "end", over: true, score: { share: 1 } });
  // each prompt is the one before it, and what came of its reply
  for (const [turn, prompt] of prompts.entries()) {
    expect(prompt).toContain(`Turn ${turn + 1} of 200.`);
    for (const earlier of right.slice(0, turn)) expect(prompt).toContain(`[PYTHON]\n${earlier}\n[/PYTHON]`);
  }
});

test("a talk that is closed before its end has no end, and its episode waits for nobody", async () => {
  const talk = startConversation(asked(), noSession);
  await talk.next([]);
  await talk.next(["enter(0)"]);
  await talk.close();
  expect(talk.lines.map(({ kind }) => kind)).toEqual(["begin", "turn"]);
});

test("what breaks inside of an episode is told to who asks for the next prompt", async () => {
  const talk = startConversation(planOf({ ...order, policy: "endpoint", runtime: "persistent" }), noSession);
  await talk.next([]);
  await expect(talk.next(["enter(0)"])).rejects.toThrow("no Python is to run here");
  await talk.close();
});
