import { expect, test } from "vitest";
import { inCode, page, tableOf } from "../docs.test-helper.ts";
import { type MixerName, mixers } from "./index.ts";

const text = page("docs/models.md");

test.each(Object.keys(mixers) as MixerName[])("%s has its row in docs/models.md, with its source", (name) => {
  const rows = tableOf(text, "name", "recurrence").filter(([own]) => own === `\`${name}\``);
  expect(rows).toHaveLength(1);
  const [, recurrence, , source] = rows[0];
  expect(recurrence).not.toBe("");
  for (const [paper] of mixers[name].source.matchAll(/\d{4}\.\d{5}/g)) expect(source).toContain(paper);
});

test("what each can track is said of every model, and nothing of others", () => {
  const said = tableOf(text, "", "transition of one token").flatMap(([own]) => inCode(own));
  expect(new Set(said)).toEqual(new Set(Object.keys(mixers)));
});
