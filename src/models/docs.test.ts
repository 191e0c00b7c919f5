import { expect, test } from "vitest";
import { page, tableOf } from "../docs.test-helper.ts";
import { type MixerName, mixers } from "./index.ts";

test.each(Object.keys(mixers) as MixerName[])("%s has its row in docs/models.md, with its source", (name) => {
  const rows = tableOf(page("docs/models.md"), "name", "recurrence").filter(([own]) => own === `\`${name}\``);
  expect(rows).toHaveLength(1);
  const [, recurrence, , source] = rows[0];
  expect(recurrence).not.toBe("");
  for (const [paper] of mixers[name].source.matchAll(/\d{4}\.\d{5}/g)) expect(source).toContain(paper);
});
