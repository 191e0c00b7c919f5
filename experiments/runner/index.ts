/** @file What an experiment is written with: definition, architectures, recipes, checks, views. */

export * from "./architectures.ts";
export * from "./checks.ts";
export * from "./define.ts";
export * from "./recipes.ts";
export * from "./result.ts";
export * from "./views.ts";
