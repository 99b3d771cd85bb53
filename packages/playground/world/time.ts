/** Formats times as GitHub does. */

/** `2026-11-20T10:00:00Z`, whole seconds UTC. */
export function toIso(atMs: number): string {
  return `${new Date(Math.floor(atMs / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

export function toIsoOrNull(atMs: number | null): string | null {
  return atMs === null ? null : toIso(atMs);
}
