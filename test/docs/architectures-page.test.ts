import { expect, test } from "vitest";
import { isConstructed } from "../../experiments/zoo/constructed.ts";
import { classes, findPrediction, mixerClass } from "../../experiments/zoo/predictions.ts";
import { page, tableOf } from "./docs.test-helper.ts";

test("the table of docs/concepts/architectures.md is that of predictions.ts, by hand where weights are given", () => {
  const rows = tableOf(page("docs/concepts/architectures.md"), "class", "models");
  expect(rows).toHaveLength(Object.keys(classes).length);
  for (const [i, name] of Object.keys(classes).entries()) {
    const [label, , ...shown] = rows[i];
    expect(label.startsWith(name), label).toBe(true);
    const members = Object.keys(mixerClass).filter((mixer) => mixerClass[mixer] === name);
    const wanted = ["parity", "z3", "s3-swaps", "s3", "a5-two", "s5-two"].map((column) => {
      if (findPrediction(members[0], column) === "cannot") return "no";
      return members.some((mixer) => isConstructed(mixer, column)) ? "hand" : "expected";
    });
    expect(shown, name).toEqual(wanted);
  }
});
