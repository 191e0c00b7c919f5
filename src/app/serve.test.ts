import { expect, test } from "vitest";
import { small } from "../models/conformance.test-helper.ts";
import { longestContext } from "./serve.ts";

test("the default context is what the state can hold", () => {
  expect(longestContext(small("deltanet", {}))).toBe(1_000_000);
  expect(longestContext(small("transformer", {}))).toBe(2048);
  expect(longestContext(small("log-linear", { longest: 64 }))).toBe(64);
  expect(longestContext(small("cached", { longest: 64 }))).toBe(64);
});
