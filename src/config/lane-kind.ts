/** The part of a kind of run that the config needs: the settings of its lanes. Runs use the rest of the kind. */

import type { LaneConfig, LaneRule, LaneSchema } from './lane-schema.ts';

export type LaneKind = {
  readonly name: string;
  /** The schema of a lane; `rules` are the conditions that a schema cannot express. */
  readonly settings: LaneSchema;
  readonly rules: readonly LaneRule[];
  /** Patterns of files that a lane of this kind never ships with the whole tree. Absent: none. */
  readonly leavesOut?: (lane: LaneConfig) => readonly string[];
  /** Values for the kind's settings without a default, for a run after its lane was removed from the config. */
  readonly settingsOf: (run: RecordedPlace) => Readonly<Record<string, unknown>>;
};

/** The facts about its lane that a run's record keeps. */
export type RecordedPlace = { readonly experiment: string };

/** All kinds. The first is the default for a lane without `kind`. */
export type LaneKinds<K extends LaneKind = LaneKind> = readonly [K, ...(readonly K[])];

/** Kinds and command names that the caller passes in, because the config modules do not know them. */
export type KnownNames<K extends LaneKind = LaneKind> = {
  readonly kinds: LaneKinds<K>;
  /** Names of ferrybot's own commands, without the slash. */
  readonly ownCommands: readonly string[];
};

/** A lane's kind; the first one for an unknown name. */
export function findKind<K extends LaneKind>(kinds: LaneKinds<K>, { kind }: Pick<LaneConfig, 'kind'>): K {
  return kinds.find(({ name }) => name === kind) ?? kinds[0];
}

/**
 * Returns a function that narrows a lane to the settings of its kind, which the kind's schema validated. `own`: a setting
 * that only this kind has. The function throws for a lane of another kind, which is a bug.
 */
export function settingsReader<Lane extends LaneConfig>(kind: string, own: keyof Lane): (lane: LaneConfig) => Lane {
  const isOfKind = (lane: LaneConfig): lane is Lane => lane.kind === kind || own in lane;
  return (lane) => {
    if (!isOfKind(lane)) throw new Error(`a lane of the kind ${lane.kind} is asked for the settings of a ${kind}`);
    return lane;
  };
}
