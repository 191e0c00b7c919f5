/**
 * @file What a model takes: found out once, by what its server refuses, and kept for all requests that follow.
 *
 *     400 "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead"
 *                                            asked again so, and every other question as well
 *     400 "'temperature' does not support 0 with this model"        asked again without it
 *     "stop" inside of the reasoning         a stop text cut it there; asked again without, answers are cut here
 */

export const optionalParameters = ["temperature", "top_p", "stop", "seed", "stream_options"] as const;
export type OptionalParameter = (typeof optionalParameters)[number];

/** How requests are written. */
export interface Manner {
  readonly tokens: "max_tokens" | "max_completion_tokens";
  readonly without: ReadonlySet<OptionalParameter>;
}

export const plainManner: Manner = { tokens: "max_tokens", without: new Set() };

const refusing =
  /not? support|unsupported|unrecognized|unknown|unexpected|not (?:be )?(?:permitted|allowed|accepted)|extra (?:inputs|fields)|only the default|deprecated|incompatible|cannot be used|invalid/i;

/** The manner after a request with these fields was refused in these words; undefined where they name none that can go. */
export function adapted(
  manner: Manner,
  body: Readonly<Record<string, unknown>>,
  words: string,
): Manner | undefined {
  if (manner.tokens === "max_tokens" && /max_completion_tokens/.test(words))
    return { ...manner, tokens: "max_completion_tokens" };
  if (!refusing.test(words)) return undefined;
  const named = optionalParameters.find(
    (name) => name in body && !manner.without.has(name) && new RegExp(`(?<![\\w.])${name}\\b`).test(words),
  );
  return named === undefined ? undefined : withoutParameter(manner, named);
}

export function withoutParameter(manner: Manner, name: OptionalParameter): Manner {
  return { ...manner, without: new Set([...manner.without, name]) };
}

/** In words, in one order. */
export function mannerWords({ tokens, without }: Manner): string[] {
  return [
    ...(tokens === "max_tokens" ? [] : [`${tokens} in the place of max_tokens`]),
    ...optionalParameters.filter((name) => without.has(name)).map((name) => `no ${name}`),
  ];
}
