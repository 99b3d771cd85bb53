/** Distributes the lines that a page can show among several logs. */

/** Each one's share of `total`: small logs get everything they want, large ones equal parts of the rest. */
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
