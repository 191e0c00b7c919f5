import { expect, test } from "vitest";
import { LabError } from "../core/error.ts";
import type { Execute } from "./execute.ts";
import { forOneAnswer } from "./execute.ts";

const passes: Execute = async () => ({ kind: "passed" });
const faulty = (words: string) => ({ words });

test("an error of the judge is the outcome of that answer", async () => {
  const ended = await forOneAnswer(passes, () => Promise.reject(new RangeError("too deep")), faulty);
  expect(ended).toEqual({ words: "the answer could not be judged: too deep" });
});

test("what the sandbox or the data report ends the judging, also where the judge swallows the sandbox's words", async () => {
  const stopped = new Error("told to stop");
  const stops: Execute = () => Promise.reject(stopped);
  const hides = (execute: Execute) =>
    execute({ code: "" }).catch(() => Promise.reject(new Error("something else")));
  await expect(forOneAnswer<unknown>(stops, hides, faulty)).rejects.toBe(stopped);
  const noData = new LabError("data: expected a literal");
  await expect(forOneAnswer<unknown>(passes, () => Promise.reject(noData), faulty)).rejects.toBe(noData);
});
