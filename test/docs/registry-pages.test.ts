import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { mixers } from "../../src/models/index.ts";
import { tasks } from "../../src/tasks/index.ts";
import { modelsPage, tasksPage, withPart } from "./registry-pages.test-helper.ts";

test.each([
  { name: "reference/models.md", make: modelsPage, kinds: Object.keys(mixers) },
  { name: "reference/tasks.md", make: tasksPage, kinds: Object.keys(tasks) },
])("docs/$name says what the sources say", async ({ name, make, kinds }) => {
  const page = make();
  for (const kind of kinds) {
    expect(page).toMatch(new RegExp(`^\\| \\[\`${kind}\`\\]\\(#${kind}\\) \\| `, "m"));
    expect(page).toMatch(new RegExp(`^##+ ${kind}$`, "m"));
  }
  await expect(page, "run npx vitest run test/docs/registry-pages.test.ts -u").toMatchFileSnapshot(
    fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)),
  );
});

test("a page without the marks of a part is an error", () => {
  expect(withPart("a\n<!-- x: generated -->\nold\n<!-- x: end -->\nb", "x", "new")).toBe(
    "a\n<!-- x: generated -->\n\nnew\n<!-- x: end -->\nb",
  );
  expect(() => withPart("a", "x", "new")).toThrow("no part x");
});
