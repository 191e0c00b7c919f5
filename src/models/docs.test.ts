import { expect, test } from "vitest";
import { page, tableOf } from "../../test/docs/docs.test-helper.ts";
import { small } from "./conformance.test-helper.ts";
import type { MixerName } from "./index.ts";
import { mixers } from "./index.ts";
import { configsToTest, subjectOf } from "./subjects.test-helper.ts";

test.each(Object.keys(mixers) as MixerName[])("%s has its row in docs/models.md, with its source", (name) => {
  const rows = tableOf(page("docs/models.md"), "name", "recurrence").filter(([own]) => own === `\`${name}\``);
  expect(rows).toHaveLength(1);
  const [, recurrence, , source] = rows[0];
  expect(recurrence).not.toBe("");
  for (const [paper] of mixers[name].source.matchAll(/\d{4}\.\d{5}/g)) expect(source).toContain(paper);
});

test.each(Object.keys(mixers) as MixerName[])(
  "docs/models.md names what can be tapped of %s",
  async (name) => {
    const table = tableOf(page("docs/models.md"), "name", "taps");
    const row = table.findIndex(([own]) => own === `\`${name}\``);
    const said = (at: number): string =>
      table[at][1].startsWith("the same") ? said(at - 1) + table[at][1] : table[at][1];
    const layers = configsToTest.flatMap((each) => small(each.name, each.config).mixers);
    for (const layer of layers.filter(({ mixer }) => mixer.name === name)) {
      const { heads: _, residual: __, ...own } = subjectOf(layer, 8).taps(1, 1);
      const names = Object.keys(own).map((tap) => `\`${tap}\``);
      expect(names.filter((tap) => !said(row).includes(tap))).toEqual([]);
    }
  },
);
