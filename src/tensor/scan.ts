/**
 * @file A recurrence as one node: a step that runs over the first axis, carrying a state.
 *
 *     s_t, y_t = step(s_{t-1}, x_t)                       ONNX Scan, forward
 *     ds_{t-1}, dx_t = pullBack(step)(ds_t, dy_t)         ONNX Scan, backward in time
 *
 * The step may use tensors from outside (weights). Forward values that the backward step needs become further outputs of the forward
 * Scan. A weight that the step uses only as the right factor of a product gets its gradient in one product over all times after the
 * backward Scan; the gradients of other tensors from outside are accumulated step by step.
 *
 * With `recompute` only the states are kept, and the backward step recomputes the forward one.
 */

import { fail } from "../core/error.ts";
import { add, expand, reshape } from "./arithmetic.ts";
import { pullBack } from "./gradient.ts";
import {
  capturedBy,
  Graph,
  home,
  isSmooth,
  liveNodes,
  type Node,
  nodes,
  operands,
  type Tensor,
  within,
} from "./graph.ts";
import { matmul } from "./matmul.ts";

export interface StepResult {
  readonly states: readonly Tensor[];
  readonly outputs: readonly Tensor[];
}

/** The step: maps the previous states and a slice of each input to the next states and outputs. */
export type ScanStep = (states: readonly Tensor[], inputs: readonly Tensor[]) => StepResult;

export interface ScanResult {
  /** The states after the last step. */
  readonly states: readonly Tensor[];
  /** The outputs of all steps: [T, ...] each. */
  readonly outputs: readonly Tensor[];
}

export interface ScanOptions {
  /** From the last element to the first; outputs keep the position of their input. */
  readonly reverse?: boolean;
  /** Recompute forward values in the backward step: each step runs once more, and only one step's values are kept at a time. */
  readonly recompute?: boolean;
  /** A closed-form gradient, in place of a backward scan of the step's gradient. */
  readonly gradient?: ScanGradient;
}

export interface ScanCotangents {
  /** dL/d of the last states and of the outputs; undefined where the loss does not use one. */
  readonly dStates: readonly (Tensor | undefined)[];
  readonly dOutputs: readonly (Tensor | undefined)[];
  /** The values of a tensor of the step at all times, [T, ...]: the forward scan outputs only requested tensors. */
  readonly overTime: (tensor: Tensor) => Tensor;
}

/** Gradients for the initial states (zero, if left out), the inputs, and the tensors from outside. */
type ScanGradient = (given: ScanCotangents) => {
  readonly initial?: readonly (Tensor | undefined)[];
  readonly inputs: readonly (Tensor | undefined)[];
  readonly captured: ReadonlyMap<Tensor, Tensor>;
};

/** inputs: [T, ...] each, sliced along the first axis; states keep their shapes. */
export function scan(
  inputs: readonly Tensor[],
  initial: readonly Tensor[],
  step: ScanStep,
  { reverse = false, recompute = false, gradient }: ScanOptions = {},
): ScanResult {
  const length = inputs[0]?.shape[0];
  if (length === undefined) fail("scan", "an input of shape [T, ...]", inputs[0]?.shape ?? "no input");
  if (inputs.some((input) => input.shape[0] !== length)) {
    fail(
      "scan",
      `${length} elements on the first axis of every input`,
      inputs.map(({ shape }) => shape),
    );
  }
  const parent = home([...inputs, ...initial]); // inside a step of another scan: that step's body
  const body = new Graph({ parent });
  const states = initial.map(({ shape, dtype }) => body.formal(shape, dtype));
  const slices = inputs.map(({ shape, dtype }) => body.formal(shape.slice(1), dtype));
  const result = within(body, () => step(states, slices));
  if (result.states.length !== initial.length) fail("scan", `${initial.length} states`, result.states.length);
  for (const [i, { shape, dtype }] of result.states.entries()) {
    const wanted = initial[i];
    if (shape.join() !== wanted.shape.join() || dtype !== wanted.dtype)
      fail("scan", `a state of shape [${wanted.shape}], ${wanted.dtype}`, `[${shape}], ${dtype}`);
  }
  body.outputs.push(...result.states, ...result.outputs);
  const direction = Number(reverse);
  const attributes = {
    body,
    num_scan_inputs: inputs.length,
    scan_input_directions: inputs.map(() => direction),
    // Grows with the outputs that the gradient adds.
    scan_output_directions: body.outputs.slice(initial.length).map(() => direction),
  };
  const outputs = nodes("Scan", [...initial, ...inputs], {
    graph: parent,
    attributes,
    outputs: [
      ...initial.map(({ shape, dtype }) => ({ shape, dtype })),
      ...result.outputs.map(({ shape, dtype }) => ({ shape: [length, ...shape], dtype })),
    ],
    gradient: (dy) =>
      gradient !== undefined ? closed(dy, gradient) : recompute ? recomputed(dy) : backward(dy),
  });
  const forward = parent.nodes.at(-1)!;

  /** The forward Scan's value of a tensor of the body at all times: [T, ...]. */
  function overTime(tensor: Tensor): Tensor {
    const given = slices.indexOf(tensor);
    if (given !== -1) return inputs[given];
    const known = body.outputs.indexOf(tensor, initial.length);
    if (known !== -1) return forward.outputs[known];
    body.outputs.push(tensor);
    attributes.scan_output_directions.push(direction);
    for (const outer of capturedBy(body)) if (!forward.captured.includes(outer)) forward.captured.push(outer);
    const kept = {
      name: parent.freshName("kept"),
      shape: [length, ...tensor.shape],
      dtype: tensor.dtype,
      graph: parent,
    };
    forward.outputs.push(kept);
    return kept;
  }

  function closed(dy: readonly (Tensor | undefined)[], gradient: ScanGradient): (Tensor | undefined)[] {
    const dStates = dy.slice(0, initial.length);
    const found = gradient({ dStates, dOutputs: dy.slice(initial.length), overTime });
    const dInitial = found.initial ?? initial.map(() => undefined);
    return [...dInitial, ...found.inputs, ...forward.captured.map((tensor) => found.captured.get(tensor))];
  }

  function recomputed(dy: readonly (Tensor | undefined)[]): (Tensor | undefined)[] {
    const place = home([...initial, ...inputs, ...dy.filter((each) => each !== undefined)]);
    const smooth = [...initial.keys()].filter((i) => isSmooth(initial[i]));
    const captured = capturedBy(body).filter(isSmooth);
    const given = [...dy.slice(initial.length).entries()].flatMap(([i, dOutput]) =>
      dOutput === undefined ? [] : [{ i, dOutput }],
    );
    const starts = [
      ...smooth.map((i) => dy[i] ?? fill(initial[i], place)),
      ...captured.map((tensor) => fill(tensor, place)),
    ];
    const scanned = [...inputs, ...states.map(overTime), ...given.map(({ dOutput }) => dOutput)];
    let dInputs: readonly (Tensor | undefined)[] = [];
    const found = scan(
      scanned,
      starts,
      (carried, now) => {
        const slicesAgain = now.slice(0, inputs.length);
        const statesAgain = now.slice(inputs.length, inputs.length + initial.length);
        const dOutputs = now.slice(inputs.length + initial.length);
        const { graph } = now[0];
        const first = graph.nodes.length;
        const result = step(statesAgain, slicesAgain);
        const seeds = [
          ...smooth.map((i, n) => [result.states[i], carried[n]] as const),
          ...given.map(({ i }, n) => [result.outputs[i], dOutputs[n]] as const),
        ];
        const wanted = [...statesAgain, ...slicesAgain, ...captured];
        const pulled = pullBack(graph.nodes.slice(first), seeds, wanted);
        const dStates = smooth.map((i) => pulled[i] ?? fill(initial[i], graph));
        const dCaptured = pulled.slice(statesAgain.length + slicesAgain.length);
        dInputs = pulled.slice(statesAgain.length, statesAgain.length + slicesAgain.length);
        return {
          states: [
            ...dStates,
            ...carried.slice(smooth.length).map((sum, i) => (dCaptured[i] ? add(sum, dCaptured[i]) : sum)),
          ],
          outputs: dInputs.filter((dx) => dx !== undefined),
        };
      },
      { reverse: !reverse },
    );
    let next = 0;
    const dCaptured = new Map(captured.map((tensor, i) => [tensor, found.states[smooth.length + i]]));
    return [
      ...initial.map((_, i) => (smooth.includes(i) ? found.states[smooth.indexOf(i)] : undefined)),
      ...dInputs.map((dx) => (dx === undefined ? undefined : found.outputs[next++])),
      ...forward.captured.map((tensor) => dCaptured.get(tensor)),
    ];
  }

  function backward(dy: readonly (Tensor | undefined)[]): (Tensor | undefined)[] {
    // The graph in which the gradient is built: that of this Scan, or the backward body of the enclosing scan.
    const place = home([...initial, ...inputs, ...dy.filter((each) => each !== undefined)]);
    const back = new Graph({ parent: body });
    const zeros = (tensor: Tensor) => fill(tensor, place);
    const smooth = [...initial.keys()].filter((i) => isSmooth(initial[i])); // counters and the like have no gradient
    const dStates = smooth.map((i) => back.formal(initial[i].shape));
    const dOutputs = dy.slice(initial.length).map((each) => each && back.formal(each.shape.slice(1)));
    const captured = capturedBy(body).filter(isSmooth);
    const products: { weight: Tensor; x: Tensor; dz: Tensor }[] = [];
    const [dPrevious, dSlices, dCaptured] = within(back, () => {
      const seeds = [
        ...smooth.map((i, n) => [result.states[i], dStates[n]] as const),
        ...result.outputs.flatMap((output, i) => (dOutputs[i] ? [[output, dOutputs[i]] as const] : [])),
      ];
      const byProduct = captured.filter((weight) => isRightFactorOnly(body, weight));
      const found = pullBack(body.nodes, seeds, [...states, ...slices, ...captured], (node, j, [dz]) => {
        if (j !== 1 || dz === undefined || !byProduct.includes(node.inputs[1])) return false;
        products.push({ weight: node.inputs[1], x: node.inputs[0], dz });
        return true;
      });
      return [
        smooth.map((i) => found[i] ?? fill(states[i], back)),
        found.slice(states.length, states.length + slices.length),
        found.slice(states.length + slices.length),
      ];
    });
    const summed = captured.flatMap((tensor, i) => (dCaptured[i] ? [{ tensor, dx: dCaptured[i] }] : []));
    const sums = summed.map(({ tensor }) => back.formal(tensor.shape));
    const totals = within(back, () => summed.map(({ dx }, i) => add(sums[i], dx)));
    const perStep = [...dSlices.filter((dx) => dx !== undefined), ...products.map(({ dz }) => dz)];
    back.outputs.push(...dPrevious, ...totals, ...perStep);
    // Formals so far: dStates, dOutputs, sums; a Scan wants states first, then slices, then kept values, by name.
    const kept = [...new Set(liveNodes(back, back.outputs).flatMap(operands).concat(back.outputs))].filter(
      ({ graph }) => graph === body,
    );
    const givenOutputs = dy.slice(initial.length);
    const scanned = [
      ...givenOutputs.filter((each) => each !== undefined),
      ...kept.map((tensor) => overTime(tensor)),
    ];
    const formals = [...dStates, ...sums, ...dOutputs.filter((each) => each !== undefined), ...kept];
    if (scanned.length === 0) {
      // A Scan takes its length from an input, even if the step is linear and keeps nothing.
      scanned.push(inputs[0]);
      formals.push(back.formal(slices[0].shape, slices[0].dtype));
    }
    back.inputs.splice(0, back.inputs.length, ...formals);
    const starts = [
      ...smooth.map((i) => dy[i] ?? zeros(initial[i])),
      ...summed.map(({ tensor }) => zeros(tensor)),
    ];
    const results = nodes("Scan", [...starts, ...scanned], {
      graph: place,
      attributes: {
        body: back,
        num_scan_inputs: scanned.length,
        scan_input_directions: scanned.map(() => 1 - direction),
        scan_output_directions: perStep.map(() => 1 - direction),
      },
      outputs: [
        ...starts.map(({ shape }) => ({ shape })),
        ...perStep.map(({ shape }) => ({ shape: [length, ...shape] })),
      ],
    });
    const dInitial = initial.map((_, i) => (smooth.includes(i) ? results[smooth.indexOf(i)] : undefined));
    const dSummed = results.slice(smooth.length, starts.length);
    const dPerStep = results.slice(starts.length);
    let next = 0;
    const dInputs = dSlices.map((dx) => (dx === undefined ? undefined : dPerStep[next++]));
    const dWeights = new Map<Tensor, Tensor>(summed.map(({ tensor }, i) => [tensor, dSummed[i]]));
    for (const { weight, x, dz } of products) {
      const rows = reshape(overTime(x), [-1, x.shape.at(-1)!]);
      const dRows = reshape(dPerStep[next++], [-1, dz.shape.at(-1)!]);
      const dWeight = matmul(rows, dRows, { transposeX: true });
      const before = dWeights.get(weight);
      dWeights.set(weight, before === undefined ? dWeight : add(before, dWeight));
    }
    return [...dInitial, ...dInputs, ...forward.captured.map((tensor) => dWeights.get(tensor))];
  }

  return { states: outputs.slice(0, initial.length), outputs: outputs.slice(initial.length) };
}

/** Whether the body uses a matrix only as y in matmul(x, y), so that its gradient is one product over all times. */
function isRightFactorOnly(body: Graph, weight: Tensor): boolean {
  const uses = body.nodes.filter((node: Node) => operands(node).includes(weight));
  return (
    weight.shape.length === 2 &&
    uses.every((node) => node.op === "MatMul" && node.inputs[1] === weight && node.inputs[0] !== weight)
  );
}

function fill(like: Tensor, graph: Graph): Tensor {
  return within(graph, () =>
    expand(
      reshape(
        graph.scalar(0),
        like.shape.map(() => 1),
      ),
      like.shape,
    ),
  );
}
