import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { applySettings } from "../core/settings.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed, taskParams, tasks } from "./index.ts";

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

/** A call of `statelab generate` on a page, followed by the text of the example. */
const shown = ["reference/tasks.md", "concepts/repl-traces.md"].flatMap((name) =>
  [...page(name).matchAll(/```\n\$ statelab generate ([^\n]*)\n```\n(?:(?!```).)*```\n(.*?)```/gs)].map(
    ([, call, text]) => ({ name, call, text }),
  ),
);

test("every task has a worked example", () => {
  expect(new Set(shown.map(({ call }) => call.split(" ")[0]))).toEqual(new Set(Object.keys(tasks)));
});

test.each(shown)("$name shows what `generate $call` makes", ({ call, text }) => {
  const task = taskNamed(call.split(" ")[0]);
  const seed = Number(/--seed (\d+)/.exec(call)?.[1]);
  const settings = [...call.matchAll(/--set (\S+)/g)].map(([, setting]) => setting);
  const prepared = prepareTask(task, applySettings({}, settings));
  const example = exampleFrom(prepared, exampleStream(seed, "train")(0));
  expect(example.text.trimEnd()).toBe(text.trimEnd());
});

test("every task has a section in docs/reference/tasks.md that names all of its parameters with their defaults", () => {
  const sections = page("reference/tasks.md").split("\n## ");
  for (const [name, task] of Object.entries(tasks)) {
    const section = sections.find((each) => each.startsWith(`${name}\n`)) ?? "";
    expect(section).not.toBe("");
    const text = name === "repl" ? page("concepts/repl-traces.md") : section;
    for (const [key, value] of Object.entries(
      taskParams(task as ReturnType<typeof taskNamed>, {}) as object,
    )) {
      const shownDefault = Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
      const row = text.split("\n").find((line) => line.startsWith(`| \`${key}\` |`)) ?? "";
      expect(row.replaceAll("`", ""), `${name}: ${key}`).toContain(`| ${key} | ${shownDefault} |`);
    }
  }
});
