/**
 * @file The regularized incomplete beta function, and the exact binomial interval that follows from it.
 *
 *     I_x(a, b) = Gamma(a + b) / (Gamma(a) Gamma(b)) * integral from 0 to x of t^(a - 1) (1 - t)^(b - 1) dt
 *     P(at least k of n succeed) = I_p(k, n - k + 1)
 *
 * Source: Abramowitz and Stegun 1964, 26.5.8 (the continued fraction) and 6.1.40 (Stirling's series); Clopper and Pearson 1934,
 * Biometrika 26:404.
 */

/** I_x(a, b) for a, b > 0 and x in [0, 1]. */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The fraction converges fast on its own side of the mean; the other side is its complement.
  return x < (a + 1) / (a + b + 2)
    ? (front * fraction(x, a, b)) / a
    : 1 - (front * fraction(1 - x, b, a)) / b;
}

/** The inverse: the x at which I_x(a, b) is `share`. */
export function betaQuantile(share: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  for (let halving = 0; halving < 60; halving++) {
    const middle = (low + high) / 2;
    if (incompleteBeta(middle, a, b) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Clopper-Pearson interval at 95 % for the rate, given `successes` of `trials`. Neither number has to be whole. [0, 1] for no trials. */
export function binomialInterval(successes: number, trials: number): [number, number] {
  if (trials <= 0) return [0, 1];
  const failures = trials - successes;
  const tiny = 1e-9 * trials;
  return [
    successes <= tiny ? 0 : betaQuantile(0.025, successes, failures + 1),
    failures <= tiny ? 1 : betaQuantile(0.975, successes + 1, failures),
  ];
}

/** ln Gamma(x) for x > 0: Stirling's series from 12 on, and below by Gamma(x) = Gamma(x + 1) / x. */
function logGamma(x: number): number {
  if (x < 12) return logGamma(x + 1) - Math.log(x);
  const series = 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5) - 1 / (1680 * x ** 7);
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series;
}

/** Lentz's method (1976, Appl. Opt. 15:668), with the even and the odd step of each round. */
function fraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= 1000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let factor = 1;
    for (const step of [even, odd]) {
      d = 1 / awayFromZero(1 + step * d);
      c = awayFromZero(1 + step / c);
      factor = c * d;
      value *= factor;
    }
    if (Math.abs(factor - 1) < 1e-14) break;
  }
  return value;
}

function awayFromZero(value: number): number {
  return Math.abs(value) < 1e-300 ? 1e-300 : value;
}

/*
 * Student's t distribution.
 *
 *     P(|T| <= t) with theta = atan(t / sqrt(df)), c = cos(theta), s = sin(theta):
 *     df = 1      2 theta / pi
 *     df odd      2 (theta + s (c + 2/3 c^3 + ... + 2 4 ... (df - 3) / (3 5 ... (df - 2)) c^(df - 2))) / pi
 *     df even     s (1 + 1/2 c^2 + 1 3 / (2 4) c^4 + ... + 1 3 ... (df - 3) / (2 4 ... (df - 2)) c^(df - 2))
 *
 * Source: Abramowitz and Stegun 1964, 26.7.3 and 26.7.4.
 */

/** P(|T| <= t) for t >= 0 and `df` = 1, 2, ... degrees of freedom. */
export function studentWithin(t: number, df: number): number {
  const theta = Math.atan(t / Math.sqrt(df));
  const [c, s] = [Math.cos(theta), Math.sin(theta)];
  const odd = df % 2 === 1;
  let sum = 0;
  let term = odd ? c : 1;
  for (let power = odd ? 1 : 0; power <= df - 2; power += 2) {
    sum += term;
    term *= ((power + 1) / (power + 2)) * c ** 2;
  }
  return odd ? (2 * (theta + s * sum)) / Math.PI : s * sum;
}

const points = new Map<number, number>();

/** The t that |T| stays within with probability 0.95; more than ten thousand degrees of freedom count as ten thousand. */
export function studentPoint(df: number): number {
  const known = points.get(df);
  if (known !== undefined) return known;
  const freedom = Math.min(df, 1e4);
  let [low, high] = [0, 1];
  while (studentWithin(high, freedom) < 0.95) high *= 2;
  for (let halving = 0; halving < 60; halving++) {
    const middle = (low + high) / 2;
    if (studentWithin(middle, freedom) < 0.95) low = middle;
    else high = middle;
  }
  points.set(df, high);
  return high;
}
