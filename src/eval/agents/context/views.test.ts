import { expect, test } from "vitest";
import type { EpisodeTurn } from "../../../schemas/agents.ts";
import { type History, tokensOf, tokensShown } from "../history.ts";
import { views } from "../registries.ts";
import { concepts } from "./concepts.ts";
import type { View } from "./view.ts";
import { full, json, notes, runtime, self, summary, window } from "./view.ts";

const begin = { turns: 40 };
const words = (count: number) => Array.from({ length: count }, () => "w").join(" ");
const turnOf = (
  turn: number,
  reply: string,
  output: string,
  more: Partial<EpisodeTurn["end"]> = {},
): EpisodeTurn => ({
  ...{ kind: "turn", turn, shown: 0, replies: ["thrown away", reply], calls: [], refused: 0 },
  end: {
    ...{ end: "finished", exception: "", message: "", output, characters: output.length, names: [] },
    ...more,
  },
});

/** A text that is read m lines a turn, and noted in `noted` tokens with the last turn. */
function readingOf(lines: number, tokens: number, chunk: number, noted: number): History {
  const chunks = lines / chunk;
  return Array.from({ length: chunks }, (_, i) =>
    turnOf(i, i === chunks - 1 ? `# note: ${words(noted - 3)}` : "read", words(chunk * tokens)),
  );
}

test("the longest prompt of notes is P + m c + N + 2 s T/m, but for the stubs of the chunk that is read", () => {
  for (const chunk of [10, 20, 50, 100]) {
    const messages = notes.show(readingOf(1000, 10, chunk, 40), { stub: words(10), keep: "all" }, begin);
    const shown = tokensShown({ task: words(300), messages });
    // the reply with the note is also shown, and there are two stubs fewer
    expect(shown).toBe(300 + chunk * 10 + 40 + (2 * 10 * 1000) / chunk + 40 - 2 * 10);
  }
});

test("notes are shown if there are any", () => {
  const shown = notes.show([turnOf(0, "read", "text")], { stub: "-", keep: "all" }, begin);
  expect(shown.map(({ text }) => text)).toEqual(["read", "text"]);
});

test("10,000 numbers that go from call to call are shown by json and not by runtime", () => {
  const numbers = Array.from({ length: 10_000 }, (_, i) => i);
  const calls = [{ name: "load", arguments: [], answer: { value: numbers } }];
  const names: [string, string][] = [["data", "list"]];
  const history = Array.from({ length: 5 }, (_, i) => ({
    ...turnOf(i, "data = load()", "", { names }),
    calls,
  }));
  const shown = (messages: ReturnType<typeof json.show>) => tokensShown({ task: "", messages });
  const byJson = shown(json.show(history, {}, begin));
  const byRuntime = shown(runtime.show(history, { steps: 10, characters: 5000 }, begin));
  // of 10,000 numbers in a list each but the first has its comma, and two brackets stand around them
  expect(byJson).toBe(5 * (tokensOf("data = load()") + tokensOf("load()") + 2 * 10_000 - 1 + 2));
  expect(byRuntime).toBe(
    5 * (tokensOf("data = load()") + tokensOf("(nothing)")) + tokensOf("live objects: data: list"),
  );
});

test("a long output is replaced by its length, whatever of it was kept", () => {
  const history = [turnOf(0, "print(x)", "x".repeat(100), { characters: 6000 })];
  const [, said] = runtime.show(history, { steps: 10, characters: 5000 }, begin);
  expect(said.text).toBe("The output of 6000 characters is longer than 5000 and is not shown.");
  expect(full.show(history, {}, begin)[1].text).toBe("x".repeat(100));
});

test("a window shows the last turns of full, and all of them where there are no more", () => {
  const history = [
    turnOf(0, "a", "1\n"),
    turnOf(1, "b", "", { end: "raised", exception: "NameError", message: "m" }),
  ];
  const all = full.show(history, {}, begin);
  expect(all.map(({ text }) => text)).toEqual(["a", "1", "b", "NameError: m"]);
  expect(window.show(history, { turns: 1 }, begin)).toEqual(all.slice(2));
  expect(window.show(history, { turns: 0 }, begin)).toEqual([]);
  expect(window.show(history, { turns: 9 }, begin)).toEqual(all);
});

test("a summary holds each answered call once, where it was last, and the last turn whole", () => {
  const edited = (turn: number, file: string, error?: string) => ({
    ...turnOf(turn, `edit("${file}")`, "written\n"),
    calls: [
      {
        ...{ name: "edit", arguments: [file] },
        answer: error === undefined ? { value: "written" } : { error, message: "" },
      },
    ],
  });
  const history = [
    edited(0, "a"),
    edited(1, "b"),
    edited(2, "a"),
    edited(3, "c", "KeyError"),
    edited(4, "d"),
  ];
  expect(summary.show(history, {}, begin).map(({ text }) => text)).toEqual([
    'Done so far:\nedit("b") "written"\nedit("a") "written"',
    'edit("d")',
    "written",
  ]);
});

test("self is a window and a block: step, budget, the last answer that was none of an error, failures by name", () => {
  const call = (answer: EpisodeTurn["calls"][number]["answer"]) => [
    { name: "get", arguments: ["x"], answer },
  ];
  const failed = { end: "raised", exception: "KeyError", message: "x" } as const;
  const history = [
    { ...turnOf(0, "one", "3"), calls: call({ value: 3 }) },
    { ...turnOf(1, "two", "", failed), calls: call({ error: "KeyError", message: "x" }) },
    turnOf(2, "three", "", failed),
  ];
  const shown = self.show(history, { turns: 1 }, begin);
  expect(shown.slice(0, -1)).toEqual(window.show(history, { turns: 1 }, begin));
  expect(shown.at(-1)?.text).toBe('step 4 of 40; calls 2\nlast answer: get("x") 3\nfailures: KeyError 2');
});

test("concepts stand behind the task, first those whose cues the last turn names", () => {
  const concept = (name: string, cues: string[]) => ({
    ...{ name, cues, kind: "routine" as const, parameters: ["item"] },
    ...{ implementation: `${name}(item)`, usedIn: [] },
  });
  const store = [concept("take", ["take_item"]), concept("look", ["inspect"])];
  const history = [turnOf(0, "inspect(1)", "")];
  const [first, ...turns] = concepts.show(history, { store, most: 5 }, begin);
  expect(first.text).toBe("Known routines:\nlook (item): look(item)\ntake (item): take(item)");
  expect(turns).toEqual(full.show(history, {}, begin));
  expect(concepts.show([], { store, most: 1 }, begin)[0].text).toContain("take (item)");
});

const all: readonly View[] = Object.values(views);

test.each(all)("$name shows nothing of nothing, the reply that was kept, and changes no history", (view) => {
  const params = view.params.parse({});
  expect(view.show([], params, begin)).toEqual([]);
  const history = [turnOf(0, "first", "1"), turnOf(1, "second", "2")];
  const before = structuredClone(history);
  const texts = JSON.stringify(view.show(history, params, begin));
  expect(texts).toContain("second");
  expect(texts).not.toContain("thrown away");
  expect(history).toEqual(before);
});
