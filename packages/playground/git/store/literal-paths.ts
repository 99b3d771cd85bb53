/** How both stores interpret the paths that filter a log. */

/** Paths without a trailing slash, or null when there is no filter (no paths, or one that means the whole tree). */
export function literalPaths(paths: readonly string[] | undefined): readonly string[] | null {
  const cleaned = (paths ?? []).map((path) => path.replace(/^(\.\/)+/, '').replace(/\/+$/, ''));
  return cleaned.length === 0 || cleaned.some((path) => path === '' || path === '.') ? null : cleaned;
}
