/** @file Why each model does what it does, in a sentence or two. What theory says is marked as theory. */

export const why: Readonly<Record<string, string>> = {
  "deltanet-neg1-1":
    "A linear recurrence whose step may have the eigenvalue \u22121. With key (e_i \u2212 e_j)/\u221a2 and \u03b2 = 2 the step I \u2212 \u03b2kk\u2032 is a reflection: it exchanges two slots and loses nothing. A trained \u03b2 stands a little below 2, so that very long sessions fade.",
  "deltanet-0-1":
    "The same recurrence with \u03b2 below 1: every eigenvalue lies in [0, 1], so a step can only shrink what is held. It can copy what was shown lately; theory says that no exact swap can be made of such steps.",
  lstm: "A nonlinear recurrence: it can be any finite automaton, and was trained until held-out sessions were all right. Its training takes longer, and its steps cannot be computed side by side.",
  transformer:
    "It looks back at all tokens, but each layer only once: to follow n swaps in order it needs depth, or a print nearby that it can copy from. Within its budget it learned sessions in which every slot is shown after every swap, and no sparser ones.",
};
