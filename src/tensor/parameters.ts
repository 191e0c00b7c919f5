/**
 * @file Parameters as a nested plain object; its paths, joined by dots, are the keys in a safetensors file.
 *
 *     { embedding: { shape: [14, 64], data }, layers: { 0: { mixer: { qkv: { shape: [64, 192], data } } } } }
 *       embedding                             layers.0.mixer.qkv
 *
 * A graph needs only the shapes; the numbers are fed when it runs.
 */

/** [] is a single number. */
export type Shape = readonly number[];

export interface ParameterShape {
  readonly shape: Shape;
}
export interface Parameter extends ParameterShape {
  readonly data: Float32Array;
}
export type ShapeTree = { readonly [key: string]: ParameterShape | ShapeTree };
export type ParameterTree = { readonly [key: string]: Parameter | ParameterTree };
/** The same tree with other leaves. */
export type Leaves<P, Leaf> = { readonly [K in keyof P]: LeafOrBranch<NonNullable<P[K]>, Leaf> };
type LeafOrBranch<Value, Leaf> = Value extends ParameterShape ? Leaf : Leaves<Value, Leaf>;
export type ShapesOf<P> = Leaves<P, ParameterShape>;

export function isLeaf<Leaf extends ParameterShape>(value: Leaf | ShapeTree): value is Leaf {
  return Array.isArray(value.shape); // a branch may be named shape, too: it is no array
}

/** All parameters (or their shapes) of a tree with their paths, in the order of the tree. */
export function flattenParameters(
  tree: ParameterTree,
  prefix?: string,
): [path: string, parameter: Parameter][];
export function flattenParameters(tree: ShapeTree, prefix?: string): [path: string, shape: ParameterShape][];
export function flattenParameters(tree: ShapeTree, prefix = ""): [string, ParameterShape][] {
  return Object.entries(tree).flatMap(([key, value]): [string, ParameterShape][] => {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    return isLeaf(value) ? [[path, value]] : flattenParameters(value, path);
  });
}

/** The tree without its numbers. */
export function shapesOf<P extends ParameterTree>(tree: P): ShapesOf<P> {
  return mapped(tree, "", (_, { shape }) => ({ shape })) as ShapesOf<P>; // leaf for leaf
}

/** The tree with the numbers of `data`, one array per path. */
export function withData<P extends ShapeTree>(
  tree: P,
  data: Readonly<Record<string, Float32Array>>,
): Leaves<P, Parameter> {
  return mapped(tree, "", (path, { shape }) => ({ shape, data: data[path] })) as Leaves<P, Parameter>; // likewise
}

function mapped(
  tree: ShapeTree,
  prefix: string,
  leaf: (path: string, shape: ParameterShape) => ParameterShape,
): ShapeTree {
  const entries = Object.entries(tree).map(([key, value]) => {
    const path = prefix + key;
    return [key, isLeaf(value) ? leaf(path, value) : mapped(value, `${path}.`, leaf)];
  });
  return Object.fromEntries(entries);
}
