import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { namesWith } from "./index.ts";

test.each(namesWith("loss"))("%s has its test beside it, which holds it against plain numbers", (name) => {
  const text = readFileSync(new URL(`${name}.test.ts`, import.meta.url), "utf8");
  expect(text.replaceAll(/\s/g, "")).toContain(`conforms("${name}",`);
});
