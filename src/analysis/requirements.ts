/** @file What analyses need of a model and its programs: each need says which taps are recorded for it, and what is missing otherwise. */

import type { Requirement } from "./analysis.ts";
import { attentionLayers, layersWith, recordedGates } from "./recording.ts";

/** Some layer hands out this value. */
export function hasTap(name: string, otherwise: string): Requirement {
  return {
    taps: () => [name],
    isMet: ({ recording }) => layersWith(recording, name).length > 0,
    otherwise,
  };
}

/** Values that are read where a layer hands them out, and not missed elsewhere. */
export function ifHasTap(...names: readonly string[]): Requirement {
  return { taps: () => names, isMet: () => true, otherwise: "" };
}

/** The shares of the states that a layer has itself, where one has any. */
export const ownStates: Requirement = {
  taps: ({ states }) => (states === undefined ? [] : [states]),
  isMet: () => true,
  otherwise: "",
};

/** Some layer's heads write along keys, as strongly as a gate says. */
export function hasGate(otherwise: string): Requirement {
  return {
    taps: ({ gate }) => (gate === undefined ? [] : [gate.tap]),
    isMet: ({ recording }) => recordedGates(recording).length > 0,
    otherwise,
  };
}

export const ifHasGate: Requirement = { ...hasGate(""), isMet: () => true };

/** Some layer is attention. */
export function attending(otherwise: string): Requirement {
  return {
    taps: ({ attention }) => (attention ? ["query", "key"] : []),
    isMet: ({ recording }) => attentionLayers(recording).length > 0,
    otherwise,
  };
}

/** Some layer has heads in which one may intervene. */
export function intervening(otherwise: string): Requirement {
  return { taps: () => ["heads"], isMet: ({ heads }) => heads.length > 0, otherwise };
}

/** Its programs have commands, and a state. */
export const hasCommands: Requirement = {
  taps: () => [],
  isMet: ({ recording }) =>
    recording.programs.every(({ letters, states }) => letters.length > 0 && states[0].length > 0),
  otherwise: "the task has no commands that change a state",
};

/** The task asks at all. */
export const hasQuestions: Requirement = {
  taps: () => [],
  isMet: ({ recording }) => recording.programs.some(({ questions }) => questions.length > 0),
  otherwise: "nothing is asked in these programs",
};
