/** Divides the lines that a page can show among the logs that want to be on it. */

/** How much each of `wanted` gets of `total`: the small ones all that they want, the large ones equal parts of what is left. */
export function fairShares(wanted: readonly number[], total: number): readonly number[] {
  const shares = wanted.map(() => 0);
  let left = total;
  const bySize = [...wanted.entries()].toSorted(([, a], [, b]) => a - b);
  for (const [place, [index, want]] of bySize.entries()) {
    const share = Math.min(want, Math.floor(left / (bySize.length - place)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
