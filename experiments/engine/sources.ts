/** @file What is read against, by the letters of docs/experiments.md. */

export const A = "A, arXiv:2602.14814";
export const GRAZZI = "Grazzi et al. 2025, arXiv:2411.12537";
export const OLMO = "O, arXiv:2604.03444, appendix C";
export const OWN_QUESTION = "own question";
