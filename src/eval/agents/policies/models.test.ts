import { expect, test } from "vitest";
import { rngFrom } from "../../../core/rng.ts";
import { rederive, reuse } from "../environments/knapsack.ts";
import type { Message, Shown } from "../history.ts";
import { inWords, templates } from "./cell-language.ts";
import { endpoint } from "./endpoint.ts";

const task =
  "Fill a sack of capacity 60 with the most value out of 30 items.\nOnly items of the classes A, C may be taken. You may inspect 12 different items.";
const shown = (messages: readonly Message[], turn = 0): Shown => ({ task, messages, turn, turns: 40 });
const read = (reply: string) => endpoint.read(reply, shown([]), endpoint.params.parse({}));

test.each([
  ["x = 1", "x = 1"],
  ["[PYTHON]\nx = 1\n[/PYTHON] and so on", "x = 1"],
  ["The cell is in [PYTHON], so: [PYTHON]\nb = 2\n", "b = 2"],
  // what a server that knows no stop texts lets it go on with
  ["[PYTHON]\na = 1\n[/PYTHON]\n\n[PYTHON]\nb = 2", "a = 1"],
  ["Here it is:\n```python\nx = 1\nif x:\n    y = 2\n```\nDone.", "x = 1\nif x:\n    y = 2"],
  ["[PYTHON]\n```python\nx = 1\n```\n[/PYTHON]", "x = 1"],
  ["```\nnot ended", "not ended"],
  ["    x = 1\n", "    x = 1"],
  ["", ""],
  ["I put it between [PYTHON] and [/PYTHON].\n\n[PYTHON]\na = 1\n[/PYTHON]", "a = 1"],
  ["First [PYTHON]...[/PYTHON], then:\n[PYTHON]\na = 1\n[/PYTHON]\n[OUTPUT]\n1\n[/OUTPUT]", "a = 1"],
  ["The marks are `[PYTHON]` and `[/PYTHON]`: [PYTHON]a = 1[/PYTHON]", "a = 1"],
])("of %j the cell is %j", (reply, cell) => {
  expect(read(reply)).toBe(cell);
});

test("the fixed prompt is the same in every runtime, the informed one tells them apart", () => {
  const in_ = (prompt: "fixed" | "informed") =>
    ["persistent", "stateless", "calls"].map((runtime) => endpoint.prompt(shown([]), { prompt }, runtime));
  expect(new Set(in_("fixed")).size).toBe(1);
  expect(new Set(in_("informed")).size).toBe(3);
  expect(in_("fixed")[0]).toMatch(/^Fill a sack .*\n\nTurn 1 of 40\. Write the next cell/s);
});

/** A script's cells, put into words and back, with facts that were shown. */
test.each([
  ["reuse", reuse],
  ["rederive", rederive],
] as const)("the cells of %s are their words, and the words are the cells again", (name, policy) => {
  const facts =
    "item_0001 {'weight': 1, 'value': 9, 'class': 'A'}\nitem_0002 {'weight': 2, 'value': 3, 'class': 'C'}";
  const messages: Message[] = [];
  const words: string[] = [];
  for (let turn = 0; turn < 4; turn++) {
    const now = shown([...messages], turn);
    const cell = policy.decide(now, { step: 5 }, rngFrom(0));
    words.push(inWords(cell).join(" "));
    expect(templates.read(` ${inWords(cell).join(" ")} ;`, now, templates.params.parse({}))).toBe(cell);
    messages.push(
      { role: "assistant", text: cell },
      { role: "user", text: turn === 0 ? facts : "(nothing)" },
    );
  }
  const again = name === "reuse" ? ["list fresh inspect", "inspect"] : ["paste list show", "paste list show"];
  expect(words).toEqual([
    ...[`${again[0]} 0 5`, `${again[1]} 5 10`, `${again[1]} 10 12`, name === "reuse" ? "take" : "paste take"],
  ]);
});

test("a prompt of templates is the beginning of a session, errors included, and unknown words of a cell are left out", () => {
  const messages: Message[] = [
    {
      role: "assistant",
      text: "ids = list_items()\nseen = {}\nfor item in ids[0:5]:\n    seen[item] = inspect(item)",
    },
    { role: "user", text: "(nothing)" },
    { role: "assistant", text: "inspect 5 and budget 99" },
    { role: "user", text: "printed before\nNameError: name 'ids' is not defined" },
    { role: "assistant", text: "" },
    { role: "user", text: "SyntaxError: invalid syntax" },
  ];
  const prompt = (form: "fixed" | "informed") =>
    templates.prompt(shown(messages, 3), { prompt: form, step: 5 }, "stateless");
  expect(prompt("fixed")).toBe(
    "budget 12 step 5 runtime unknown\n> list fresh inspect 0 5 ; ok\n> inspect 5 ; NameError\n> ; error\n> ",
  );
  expect(prompt("informed")).toMatch(/^budget 12 step 5 runtime stateless\n/);
  expect(templates.read("inspect 5 ;", shown([]), { prompt: "fixed", step: 5 })).toBe("inspect 5");
});
