/** Which project of which tracker, and the key to it. */

export type TrackerSettings = {
  /** Null: the tracker's own. */
  readonly address: string | null;
  readonly entity: string;
  readonly project: string;
  /** Null: asked without one. */
  readonly key: string | null;
};
