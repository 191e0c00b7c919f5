/**
 * @file Variables of a moment as an editor shows them: a tree whose nodes have numbers. An object that two places share
 * has one number.
 */

import type { DebugProtocol } from "@vscode/debugprotocol";
import { LabError } from "../../core/error.ts";
import type { Recording } from "../../python/debugger/index.ts";
import { typeName } from "../../python/values/operators.ts";
import { collectShared, partLiteral } from "../../python/values/repr.ts";
import { valueReader } from "../../python/values/value.ts";
import type { PythonValue } from "../../schemas/python-value.ts";
import { short } from "./stops.ts";

const LONGEST_VALUE = 1000;

interface Page {
  readonly variablesReference: number;
  readonly filter?: "indexed" | "named" | undefined;
  readonly start: number;
  /** 0 for all. */
  readonly count: number;
}
interface Child {
  readonly name: string;
  readonly value: PythonValue;
  /** An expression with this value. */
  readonly path?: string;
}
interface Children {
  readonly indexed: readonly Child[];
  readonly named: readonly Child[];
  /** The call whose variables these are. */
  readonly activation?: number;
}

/** All references are of one moment. */
export class MomentValues {
  readonly #shared = new Map<number, PythonValue>();
  readonly #nodes: Children[] = [];
  /** References of objects that are shared, by their label, and of scopes, by their name. */
  readonly #known = new Map<number | string, number>();
  readonly #read: ReturnType<typeof valueReader>;
  readonly #run: Recording;
  readonly #moment: number;

  constructor(run: Recording, moment: number) {
    const state = run.stateAt(moment) ?? {};
    for (const value of Object.values(state)) collectShared(value, this.#shared);
    this.#read = valueReader(state);
    this.#run = run;
    this.#moment = moment;
  }

  /** The reference of a call's variables, and their number. */
  scope(activation: number): Pick<DebugProtocol.Scope, "variablesReference" | "namedVariables"> {
    const named = Object.entries(this.#run.locals(this.#moment, activation)).map(([name, value]) => ({
      ...{ name, value, path: name },
    }));
    const variablesReference = this.#reference(`scope ${activation}`, { indexed: [], named, activation });
    return { variablesReference, namedVariables: named.length };
  }

  /** The reference of one value under a name. */
  single(name: string, value: PythonValue): { readonly variablesReference: number } {
    const children = { indexed: [], named: [{ name, value }] };
    return { variablesReference: this.#reference(`single ${name}`, children) };
  }

  #reference(key: number | string | undefined, children: Children): number {
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known !== undefined) return known;
    const made = this.#nodes.push(children);
    if (key !== undefined) this.#known.set(key, made);
    return made;
  }

  literal(value: PythonValue): string {
    return partLiteral(value, this.#shared);
  }

  /** What an editor shows of a value; its parts are asked for by the reference. */
  shown(value: PythonValue, path?: string) {
    const label = hasKey(value, "id") ? value.id : hasKey(value, "ref") ? value.ref : undefined;
    const content = hasKey(value, "id")
      ? value.is
      : hasKey(value, "ref")
        ? (this.#shared.get(value.ref) ?? value)
        : value;
    const { indexed, named } = this.#children(content, path);
    const isLeaf = indexed.length + named.length === 0;
    return {
      ...{ text: this.literal(value), type: typeName(this.#read(value)) },
      variablesReference: isLeaf ? 0 : this.#reference(label, { indexed, named }),
      ...(indexed.length > 0 && { indexedVariables: indexed.length }),
      ...(named.length > 0 && { namedVariables: named.length }),
    };
  }

  #children(value: PythonValue, path?: string): Children {
    const items = (list: readonly PythonValue[], isSubscript = true): Child[] =>
      list.map((item, i) =>
        hasKey(item, "cut") && Object.keys(item).length === 1
          ? { name: "...", value: item }
          : {
              ...{ name: String(i), value: item },
              ...(path !== undefined && isSubscript && { path: `${path}[${i}]` }),
            },
      );
    if (value === null || typeof value !== "object") return { indexed: [], named: [] };
    if (Array.isArray(value)) return { indexed: items(value), named: [] };
    for (const kind of ["tuple", "deque", "set", "frozenset"] as const)
      if (kind in value) {
        const list = (value as Record<string, readonly PythonValue[]>)[kind]; // the kind is its one key
        return { indexed: items(list, !kind.endsWith("set")), named: [] };
      }
    if ("dict" in value) {
      const named = value.dict.map((pair): Child => {
        if ("cut" in pair) return { name: "...", value: pair };
        const key = this.literal(pair[0]);
        return { name: key, value: pair[1], ...(path !== undefined && { path: `${path}[${key}]` }) };
      });
      return { indexed: [], named };
    }
    if ("object" in value) {
      const inner = value.data === undefined ? { indexed: [], named: [] } : this.#children(value.data, path);
      const fields = Object.entries(value.fields ?? {}).map(
        ([name, field]): Child => ({
          ...{ name, value: field },
          ...(path !== undefined && { path: `${path}.${name}` }),
        }),
      );
      return { indexed: inner.indexed, named: [...fields, ...inner.named] };
    }
    return { indexed: [], named: [] };
  }

  /** @throws LabError for a reference of another moment */
  #node(reference: number): Children {
    const node = this.#nodes[reference - 1];
    if (node !== undefined) return node;
    throw new LabError(`there are no variables with the reference ${reference} at this moment`);
  }

  /** @throws LabError for a reference of another moment */
  variables({ variablesReference, filter, start, count }: Page): DebugProtocol.Variable[] {
    const { indexed, named } = this.#node(variablesReference);
    const chosen = [...(filter === "named" ? [] : indexed), ...(filter === "indexed" ? [] : named)];
    return chosen
      .slice(start, count === 0 ? undefined : start + count)
      .map(({ name, value, path }): DebugProtocol.Variable => {
        const { text, ...rest } = this.shown(value, path);
        return {
          ...{ name, value: short(text, LONGEST_VALUE), ...rest },
          ...(path !== undefined && { evaluateName: path }),
        };
      });
  }

  /** The call and the name of a variable in a scope; of a part of a value, the variable that it is in. */
  owner(reference: number, name: string): { readonly activation: number | undefined; readonly name: string } {
    const { activation, named, indexed } = this.#node(reference);
    const path = [...named, ...indexed].find((each) => each.name === name)?.path;
    const [root = name] = path?.split(/[.[]/) ?? [];
    return { activation, name: root };
  }
}

function hasKey<Key extends "id" | "ref" | "cut">(
  value: PythonValue,
  key: Key,
): value is Extract<PythonValue, Readonly<Record<Key, number>>> {
  return typeof value === "object" && value !== null && key in value;
}
