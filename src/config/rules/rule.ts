/** What a rule across keys is: it reads a config that the schema accepts, and returns what is wrong with it. */

import type { Instant } from '../../domain/ids.ts';
import { type ConfigIssue, errorIf, type KeyPath } from '../../settings/problem.ts';
import type { LaneOfFile } from '../lane-of-file.ts';

/** A rule about the file as one lane sees it. It is checked for each lane. */
export type Rule = (config: LaneOfFile, asked: Asked) => readonly ConfigIssue[];

/** What a rule is asked with: the moment, null where none is meant, and the names of our own commands. */
export type Asked = { readonly now: Instant | null; readonly ownCommands: readonly string[] };

/** A rule that compares lanes with each other. */
export type LanesRule = (lanes: readonly LaneOfFile[]) => readonly ConfigIssue[];

/** A path below the lane that a rule is asked for. */
export function inLane(...path: KeyPath): KeyPath {
  return [LANE, ...path];
}

/** The path from the root of the file, for a problem of this lane. */
export function fromRoot(laneName: string, path: KeyPath): KeyPath {
  return path[0] === LANE ? ['lanes', laneName, ...path.slice(1)] : path;
}

/** Stands for the lane's name, which no rule has to know; no key of the file has this name. */
const LANE = 'lane';

/** The second and later of equal texts, each at its own place. */
export function doubled(
  values: readonly string[],
  placeOf: (index: number) => KeyPath,
  what: string,
): readonly ConfigIssue[] {
  return values.flatMap((value, index) =>
    errorIf(values.indexOf(value) !== index, 'doubled', placeOf(index), `${what} ${value} is there twice`),
  );
}

/** Paths that are compared letter by letter: a star would stand for itself. */
export function standingPaths(key: string, paths: readonly string[]): readonly ConfigIssue[] {
  const why = 'paths are compared as they stand; patterns are not known';
  return paths.flatMap((path, index) =>
    errorIf(/[*?]/.test(path), 'pattern-in-path', inLane(key, index), why),
  );
}
