/** @file Why each model does what it does, in a sentence or two. What theory says is marked as theory. */

export const why: Readonly<Record<string, string>> = {
  "deltanet-neg1-1":
    "Theory: with \u03b2 = 2 and key (e_i \u2212 e_j)/\u221a2, the step I \u2212 \u03b2kk\u2032 swaps two slots without loss. A trained \u03b2 stays slightly below 2, so long sessions fade.",
  "deltanet-0-1":
    "Eigenvalues stay in [0, 1], so a step only shrinks the memory. Theory: such steps do not compose an exact swap.",
  lstm: "Theory: a nonlinear recurrence with enough units can implement any finite automaton. Here its steps run one after the other.",
  transformer:
    "Theory: more swaps between reveals require more layers. Within its budget it fits only sessions that reveal all variables after every swap.",
};
