/**
 * @file Student's t: how far the mean of few values may lie from the truth.
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

const points = new Map<string, number>();

/** The t that |T| stays within with probability `share` in (0, 1); from ten thousand degrees of freedom on as of so many. */
export function studentPoint(df: number, share = 0.95): number {
  const name = `${df} ${share}`;
  const known = points.get(name);
  if (known !== undefined) return known;
  const freedom = Math.min(df, 1e4);
  let [low, high] = [0, 1];
  while (studentWithin(high, freedom) < share) high *= 2;
  for (let halving = 0; halving < 60; halving++) {
    const middle = (low + high) / 2;
    if (studentWithin(middle, freedom) < share) low = middle;
    else high = middle;
  }
  points.set(name, high);
  return high;
}
