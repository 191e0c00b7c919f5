/**
 * @file Learner: calls functions of `api-session` at random, and follows a routine if the view shows one.
 *
 *     without a routine                           put("y", 2)   logout()   pull("x") ...
 *     login(name); each: put(key, value)          login("ann")   put("y", 2)   put("x", 0) ...
 *
 * Arguments are those that the goal names. Routines come from its own episodes: statelab agent concepts.
 */

import { z } from "statelab";
import { definePolicy } from "statelab/eval";

export default definePolicy({
  name: "learner",
  summary: "random calls with the goal's arguments, or a routine that the view shows",
  worlds: ["api-session"],
  params: z.strictObject({}),

  decide({ task, messages }, _, rng) {
    const draw = <T>(from: readonly T[]) => from[rng.below(from.length)];
    const state = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(task)?.[1].split(", ") ?? [];
    const [start, goal] = [state("start"), state("goal")];
    const changed = goal.filter((each) => !start.includes(each)).join(", ");
    const keys = [...changed.matchAll(/\['(\w)'\] = (\d|None)/g)];
    const [, key, value] = keys.length === 0 ? ["", "x", "0"] : draw(keys);
    const user = /user = '(\w+)'/.exec(changed)?.[1] ?? draw(["ann", "bob"]);
    const given: Record<string, unknown> = {
      name: user,
      key,
      other: draw(["x", "y", "z"]),
      value: Number(value) || 0,
    };

    const [, shown = ""] = /^Known routines:\n([\s\S]*)/.exec(messages[0]?.text ?? "") ?? [];
    const made = messages.flatMap(({ text }, i) =>
      messages[i + 1]?.text === '"done"' ? text.replace(/\(.*/, "") : [],
    );
    const next = shown.split("\n").flatMap((routine) => {
      const steps = [...routine.matchAll(/(each: )?(\w+)\([^)]*\)(?=;|$)/g)];
      const again = steps.filter(([, each, tool]) => each && tool === made.at(-1));
      return [...again, ...steps.filter(([, , tool]) => !made.includes(tool)).slice(0, 1)].map(
        ([, , tool]) => tool,
      );
    });
    const tools = [...task.matchAll(/^(\w+)\((.*?)\) {2}/gm)];
    const known = tools.filter(([, tool]) => next.includes(tool));
    const [, tool, parameters] = known.length === 0 ? draw(tools) : draw(known);
    return `${tool}(${parameters
      .split(", ")
      .filter(Boolean)
      .map((name) => JSON.stringify(given[name]))
      .join(", ")})`;
  },
});
