/** @file The keys of a schema as `statelab list keys` and the reference pages show them: what each is, what it may be, its default. */

import { z } from "zod";

export interface DescribedKey {
  readonly name: string;
  /** Type or choices, with bounds. */
  readonly values: string;
  /** JSON; "" without a default. */
  readonly default: string;
  readonly description: string;
}

type Schema = z.core.JSONSchema._JSONSchema;

/** Every key of an object at any depth; N is an index. Of a union of objects the keys that they share. */
export function describedKeys(schema: z.ZodType): DescribedKey[] {
  const json = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    // zod drops the default of a value that it transforms
    override: ({ zodSchema: { _zod }, jsonSchema }) => {
      if (_zod.def.type === "default") jsonSchema.default = _zod.def.defaultValue;
    },
  });
  const [first, ...rest] = (json.oneOf ?? [json]).map((each) => keysOf(each, ""));
  return first.flatMap((key) => {
    const others = rest.map((keys) => keys.find(({ name }) => name === key.name));
    const values = [key, ...others].map((each) => each?.values);
    return others.includes(undefined) ? [] : [{ ...key, values: [...new Set(values)].join(", ") }];
  });
}

function keysOf(schema: Schema, prefix: string): DescribedKey[] {
  if (typeof schema === "boolean") return [];
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    if (typeof value === "boolean") return [];
    const name = `${prefix}${key}`;
    const items = Array.isArray(value.items) ? undefined : value.items;
    const inner = [...keysOf(value, `${name}.`), ...(items === undefined ? [] : keysOf(items, `${name}.N.`))];
    const { default: usual, description = "" } = value;
    const own = {
      name,
      values: valuesOf(value),
      default: usual === undefined || value.properties !== undefined ? "" : JSON.stringify(usual),
      description,
    };
    return value.properties === undefined || description !== "" ? [own, ...inner] : inner;
  });
}

/** `integer, 1 or more`; `swap, permutation`; `string or object`. */
function valuesOf(schema: Schema): string {
  if (typeof schema === "boolean") return "any";
  const { type, enum: choices, const: only, anyOf, oneOf, prefixItems } = schema;
  if (prefixItems !== undefined) return "[minimum, maximum]";
  if (type === "array") return "list";
  if (choices !== undefined) return choices.map(String).join(", ");
  if (only !== undefined) return String(only);
  const alternatives = (anyOf ?? oneOf)?.map(valuesOf);
  if (alternatives !== undefined)
    return [...new Set(alternatives)].join(
      alternatives.every((each) => /^[\d.]+$/.test(each)) ? ", " : " or ",
    );
  return `${type ?? "any"}${boundsOf(schema)}`;
}

function boundsOf({
  type,
  minimum,
  exclusiveMinimum,
  maximum,
  exclusiveMaximum,
}: z.core.JSONSchema.JSONSchema) {
  if (type !== "number" && type !== "integer") return "";
  const known = (bound?: number | boolean) =>
    typeof bound === "number" && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;
  // Of integers `positive()` is an exclusive bound.
  const isInteger = type === "integer";
  const exclusive = known(exclusiveMinimum);
  const least = known(minimum) ?? (isInteger && exclusive !== undefined ? exclusive + 1 : undefined);
  const over = isInteger ? undefined : exclusive;
  const most = known(maximum);
  const under = known(exclusiveMaximum);
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}`;
  if (least !== undefined && under === undefined) return `, ${least} or more`;
  const bounds = Object.entries({ above: over, from: least, "up to": most, below: under });
  const said = bounds.flatMap(([word, bound]) => (bound === undefined ? [] : `${word} ${bound}`));
  return said.length === 0 ? "" : `, ${said.join(" and ")}`;
}
