/** What the config asks of a kind of run: the settings of its lanes. What else a kind decides, only its runs ask. */

import type { LaneConfig, LaneRule, LaneSchema } from './lane-schema.ts';

export type LaneKind = {
  /** What a lane's `kind` says. */
  readonly name: string;
  /** The settings of a lane; `rules` are what the schema cannot say. */
  readonly settings: LaneSchema;
  readonly rules: readonly LaneRule[];
  /** Values for its own settings without a default, for a run whose lane is gone. */
  readonly settingsOf: (run: RecordedPlace) => Readonly<Record<string, unknown>>;
};

/** What a run's own record says of its lane. */
export type RecordedPlace = { readonly experiment: string };

/** The kinds that there are; the first is what a lane is of that does not say. */
export type LaneKinds<K extends LaneKind = LaneKind> = readonly [K, ...(readonly K[])];

/** What a config is read with: who reads it knows more kinds and commands than the config does. */
export type Known<K extends LaneKind = LaneKind> = {
  readonly kinds: LaneKinds<K>;
  /** Names of ferrybot's own commands, without the slash. */
  readonly ownCommands: readonly string[];
};

/** The kind that a lane is of. */
export function kindOf<K extends LaneKind>(kinds: LaneKinds<K>, { kind }: Pick<LaneConfig, 'kind'>): K {
  return kinds.find(({ name }) => name === kind) ?? kinds[0];
}

/**
 * Reads a lane's settings as those of its kind, whose schema gave them. `own`: a setting that only this kind has. Throws for a lane of
 * another kind, which is a bug.
 */
export function settingsOfKind<Lane extends LaneConfig>(
  kind: string,
  own: keyof Lane,
): (lane: LaneConfig) => Lane {
  const isIt = (lane: LaneConfig): lane is Lane => lane.kind === kind || own in lane;
  return (lane) => {
    if (!isIt(lane))
      throw new Error(`a lane of the kind ${lane.kind} is asked for the settings of a ${kind}`);
    return lane;
  };
}
