import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Words that technical English hardly uses in comments, and that made ours hard to read. */
const counted = "behind|stands|holds|beside|told|of its own|nobody|goes on|whoever|anew".split("|");
const most = 5;

/** How often the counted words occur in the comments of sources, and in how many words. */
function wordsOf(texts: readonly string[]): { words: number; found: number } {
  let words = 0;
  let found = 0;
  for (const text of texts)
    for (const [comment] of text.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g)) {
      const list = comment.toLowerCase().match(/[a-z']+/g) ?? [];
      words += list.length;
      for (const each of counted) found += ` ${list.join(" ")} `.split(` ${each} `).length - 1;
    }
  return { words, found };
}

test(`comments have at most ${most} of the counted words in 10,000`, () => {
  const files = execFileSync("git", ["ls-files", "src", "web", "bench", "experiments", "packages"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((path) => /\.tsx?$/.test(path) && !/\.(test|soak)\.|test-helper/.test(path));
  expect(files.length).toBeGreaterThan(300);
  const { words, found } = wordsOf(files.map((path) => readFileSync(join(root, path), "utf8")));
  expect((10_000 * found) / words).toBeLessThanOrEqual(most);
});

test("a counted word is found in a comment, not in code", () => {
  expect(wordsOf(["// whoever goes on\nconst behind = 1; /** beside it */"])).toEqual({ words: 5, found: 3 });
});
