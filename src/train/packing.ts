/**
 * @file Sessions put end to end into rows of N positions, so that short ones leave little of a row empty.
 *
 *     lengths      5 3 4 2 6        in rows of 9
 *     first fit    5 3 | 4 2 | 6    the 2 finds no room in the first row, which has one position left
 *
 * First fit in the order in which they were drawn: each goes into the first row that has room for it. So a row is passed over only where
 * less than the longest session L is left of it, all rows but the last have floor(N / L) sessions or more, and there are at most
 * ceil(B / floor(N / L)) rows. Source: Johnson 1973, Near-optimal bin packing algorithms; sessions kept apart: Lu et al. 2023, arXiv:2303.03982.
 */

/** Of each row the sessions that stand in it, in their order. None is longer than `room`. */
export function firstFit(lengths: ArrayLike<number>, room: number): number[][] {
  const rows: { readonly sessions: number[]; left: number }[] = [];
  for (let session = 0; session < lengths.length; session++) {
    let row = rows.find(({ left }) => left >= lengths[session]);
    if (row === undefined) {
      row = { sessions: [], left: room };
      rows.push(row);
    }
    row.sessions.push(session);
    row.left -= lengths[session];
  }
  return rows.map(({ sessions }) => sessions);
}

/** No more rows are needed, whatever the lengths, of which the longest is at most `longest`. */
export function mostRows(sessions: number, longest: number, room: number): number {
  return Math.ceil(sessions / Math.floor(room / Math.max(1, longest)));
}
