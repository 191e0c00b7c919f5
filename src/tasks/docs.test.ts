import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { applySettings } from "../core/settings.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed } from "./index.ts";

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

/** A call of `statelab generate` on a page, followed by the text of the example. */
const shown = ["concepts/repl-traces.md"].flatMap((name) =>
  [...page(name).matchAll(/```\n\$ statelab generate ([^\n]*)\n```\n(?:(?!```).)*```\n(.*?)```/gs)].map(
    ([, call, text]) => ({ name, call, text }),
  ),
);

test.each(shown)("$name shows what `generate $call` makes", ({ call, text }) => {
  const task = taskNamed(call.split(" ")[0]);
  const seed = Number(/--seed (\d+)/.exec(call)?.[1]);
  const settings = [...call.matchAll(/--set (\S+)/g)].map(([, setting]) => setting);
  const prepared = prepareTask(task, applySettings({}, settings));
  const example = exampleFrom(prepared, exampleStream(seed, "train")(0));
  expect(example.text.trimEnd()).toBe(text.trimEnd());
});
