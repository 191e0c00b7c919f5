/**
 * @file Parameters that a model supports, learned from refusals of its server and used for all later requests.
 *
 *     400 "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead"
 *                                            this and all later requests use it
 *     400 "'temperature' does not support 0 with this model"        retried without it
 *     422 "`temperature` must be strictly positive"                 the same
 *     500 "System role not supported"                               retried with its text before the prompt
 *     "stop" inside of the reasoning         a stop text cut it there; retried without, replies are cut here
 */

export const optionalParameters = ["temperature", "top_p", "stop", "seed", "stream_options"] as const;
export type OptionalParameter = (typeof optionalParameters)[number];

/** Format of requests. */
export interface Manner {
  readonly tokens: "max_tokens" | "max_completion_tokens";
  readonly without: ReadonlySet<OptionalParameter>;
  /** Whether the system message is a separate message or a prefix of the prompt. */
  readonly system: "message" | "prompt";
}

export const plainManner: Manner = { tokens: "max_tokens", without: new Set(), system: "message" };

const refusing =
  /not? support|unsupported|unrecognized|unknown|unexpected|not (?:be )?(?:permitted|allowed|accepted)|extra (?:inputs|fields)|only the default|deprecated|incompatible|cannot be used|invalid|(?:must|should|has to|needs to) be|(?:greater|more|larger|less) than|out of range/i;
/** Refusals of a role in the words of servers and chat templates. */
const refusingSystem =
  /\bsystem\b['"`]*\s(?:role|message|prompt|instruction)|\brole\b[^{}]{0,40}['"`]system\b|\broles?\b(?:\s*:\s*|\s+)['"`]?system\b|\broles? must alternate|\broles? (?:is|are) (?:supported|allowed)|['"`]user['"`] or ['"`]assistant['"`]|developer instruction/i;

/** The next format to try after this refusal; undefined if it names no parameter that can be changed. */
export function adapted(
  manner: Manner,
  body: Readonly<Record<string, unknown>>,
  words: string,
): Manner | undefined {
  if (manner.tokens === "max_tokens" && /max_completion_tokens/.test(words))
    return { ...manner, tokens: "max_completion_tokens" };
  if (manner.system === "message" && refusesSystem(body, words)) return { ...manner, system: "prompt" };
  if (!refusing.test(words)) return undefined;
  const named = optionalParameters.find(
    (name) => name in body && !manner.without.has(name) && new RegExp(`(?<![\\w.])${name}\\b`).test(words),
  );
  return named === undefined ? undefined : withoutParameter(manner, named);
}

/** Whether the request was refused because of its system message. */
export function refusesSystem({ messages }: Readonly<Record<string, unknown>>, words: string): boolean {
  const first: unknown = Array.isArray(messages) ? messages[0] : undefined;
  const hasSystem = typeof first === "object" && first !== null && "role" in first && first.role === "system";
  // a request that is repeated in an error says nothing
  const said = words.replaceAll(/"role"\s*:\s*"system"/g, "");
  return (
    hasSystem &&
    refusingSystem.test(said) &&
    (refusing.test(said) || /alternate|\bonly\b|not enabled|no system/i.test(said))
  );
}

export function withoutParameter(manner: Manner, name: OptionalParameter): Manner {
  return { ...manner, without: new Set([...manner.without, name]) };
}

/** A description, in a fixed order. */
export function mannerWords({ tokens, without, system }: Manner): string[] {
  return [
    ...(tokens === "max_tokens" ? [] : [`${tokens} in the place of max_tokens`]),
    ...optionalParameters.filter((name) => without.has(name)).map((name) => `no ${name}`),
    ...(system === "message" ? [] : ["the system message before the prompt, in one message"]),
  ];
}
