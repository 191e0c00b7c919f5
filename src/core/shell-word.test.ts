import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { shellWord } from "./shell-word.ts";

test("a word of a command to repeat comes back from a shell as it was", () => {
  const words = [
    "runs/with space",
    "it's",
    "a$(b)",
    "`c`",
    'd"e',
    "f;g",
    "*",
    "",
    "tab\there",
    "plain/path-1.0",
  ];
  const said = execFileSync("sh", ["-c", `printf '%s\\0' ${words.map(shellWord).join(" ")}`], {
    encoding: "utf8",
  });
  expect(said.split("\0").slice(0, -1)).toEqual(words);
  expect(shellWord("runs/beta/betaMax=2")).toBe("runs/beta/betaMax=2");
});

test("every command that is printed with a path of the user's has it quoted", () => {
  const root = fileURLToPath(new URL("../", import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !file.includes(".test") && !file.includes(".soak"),
  );
  const bare = /statelab [a-z]+ \$\{(?!shellWord\()[\w.]*(?:folder|path|file|from|home|out|chosen|at)\}/gi;
  const found = files.flatMap((file) => readFileSync(join(root, file), "utf8").match(bare) ?? []);
  expect(found).toEqual([]);
});
