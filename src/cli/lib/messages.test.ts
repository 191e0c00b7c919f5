import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const project = fileURLToPath(new URL("../../../", import.meta.url));
const sources = ["src", "packages", "experiments"].flatMap((folder) =>
  readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/\.(test|soak|test-helper)\.ts$|node_modules/.test(name))
    .map((name) => join(folder, name)),
);

/** Words that docs/glossary.md has better ones for. */
const slips =
  /\b(whoever|nobody|somebody|anew|so many|side by side|stands? (in|there)|is (said|told|asked)|(of|has) (its|your|their) own|go(es)? on|begins? again|that (is|are) there|lend|lent|feeders?|askings?|ledger\b(?!\.)|worlds?|engines?|recipes?|proven|contained|the lab|a guess|learned by heart)\b/i;

/** Texts inside of calls that tell the user something; what is put into them is left out. */
function messages(path: string): string[] {
  const calls = readFileSync(join(project, path), "utf8").matchAll(
    /\b(?:fail|say|onWarning|onRemark|LabError)\(\s*((?:[^;]|;(?=[^\n]))*?)\);/g,
  );
  return [...calls].flatMap(([, call]) =>
    [...call.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map(([, plain, template]) =>
      (plain ?? template).replaceAll(/\$\{[^}]*\}|\S*[./]\S*/g, "X"),
    ),
  );
}

test("errors and warnings have no old word of the vocabulary", () => {
  const all = sources.flatMap((path) => messages(path).map((text) => ({ path, text })));
  expect(all.length).toBeGreaterThan(1000);
  expect(all.filter(({ text }) => slips.test(text))).toEqual([]);
});
