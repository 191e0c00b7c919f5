/** @file What version 0.1 called measurements and their keys, which were sentences, and the ids that stand for them now. */

interface Renamed {
  readonly id: string;
  /** Of places and numbers; keys that are not here were ids. */
  readonly keys: Readonly<Record<string, string>>;
}

const renamed: Readonly<Record<string, Renamed>> = {
  "samples until every held-out answer was right": {
    id: "samplesToPerfect",
    keys: { "reached (1) or not (0)": "perfect" },
  },
  "nats above the exact filter": {
    id: "natsAboveExact",
    keys: {
      "partial reveals since the state was known": "partials",
      "standard error": "standardError",
      "marginals: row": "row",
      "row + column": "rowColumn",
      Sinkhorn: "sinkhorn",
    },
  },
  "nats a reveal": {
    id: "filterNats",
    keys: {
      "standard error": "standardError",
      "above exact": "aboveExact",
      "its error": "aboveExactError",
      "calibration error": "calibrationError",
    },
  },
  "fall of the mass": {
    id: "massFall",
    keys: {
      "log10 a reveal": "log10",
      "nats a reveal": "nats",
      "standard error": "standardError",
      "entropy rate elsewhere": "entropyRate",
      "its error": "entropyRateError",
      "difference in errors": "differenceInErrors",
      "at least, by listing": "atLeast",
      "at most, by listing": "atMost",
    },
  },
  "reveals until underflow": {
    id: "underflow",
    keys: {
      "normal, predicted": "normalPredicted",
      "normal, measured": "normalMeasured",
      "normal, error": "normalError",
      "every state, measured": "everyStateMeasured",
      "zero, predicted": "zeroPredicted",
      "zero, measured": "zeroMeasured",
      "zero, error": "zeroError",
    },
  },
  "log10 of the mass": { id: "massTrajectory", keys: {} },
  "worst error by length": { id: "worstByLength", keys: {} },
  "the worst that was found": {
    id: "worstFound",
    keys: { "stated for what is certain": "share", "nats an event, second half": "slope" },
  },
  "the whole model": { id: "wholeModel", keys: {} },
  "each head": {
    id: "heads",
    keys: {
      "by beta": "rank",
      "commands above 1.9": "commandsNear2",
      "beta on reveals": "betaOnReveals",
      "|2 \u2212 beta|": "distanceFrom2",
      "components for 95 %": "components95",
      "components for 99 %": "components99",
      "accuracy at zero": "accuracyAtZero",
      "accuracy at mean": "accuracyAtMean",
      "lost at zero": "lostAtZero",
      "lost at mean": "lostAtMean",
    },
  },
  "mean beta along a line": { id: "betaAlongLine", keys: { "by beta": "rank" } },
  "variance of keys": { id: "keyVariance", keys: { "by beta": "rank" } },
};

/** A measurement as it was written -> as it is read: that of version 0.1 with its ids, any other as it is. */
export function withIds(written: unknown): unknown {
  if (typeof written !== "object" || written === null || !("name" in written)) return written;
  const { name } = written;
  if (typeof name !== "string" || !Object.hasOwn(renamed, name)) return written;
  const { id, keys } = renamed[name];
  const byId = (record: unknown) =>
    typeof record === "object" && record !== null
      ? Object.fromEntries(
          Object.entries(record).map(([key, value]) => [Object.hasOwn(keys, key) ? keys[key] : key, value]),
        )
      : record;
  const { at, values, ...rest } = { at: {}, values: undefined, ...written };
  return { ...rest, name: id, at: byId(at), values: byId(values) };
}
