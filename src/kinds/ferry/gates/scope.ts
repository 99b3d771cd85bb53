/**
 * Gate: only the configured files change, so that the diff stays small and intentional (policy DF-10). Once an attempt has
 * failed, a fix of it may go further, as far as the lab says (policy DF-26).
 */

import { VERDICTS } from '../../../domain/launch/verdict.ts';
import { changed } from '../../../domain/observed.ts';
import { readFacts } from '../../../domain/payload.ts';
import { type Gate, given, judging, type PastAnswer } from '../../../gates/gate.ts';
import { ferryLane, fixableOf, mayChange } from '../settings.ts';

const { block, pass } = judging('scope');

export const scope: Gate = {
  id: 'scope',
  evaluate: ({ change, lane, fixOf }) =>
    given(change, ({ changedPaths }) => {
      const ferry = ferryLane(lane);
      const outside = changedPaths.filter((path) => !mayChange(ferry, path, fixOf !== null));
      const [first] = outside;
      const files = changedPaths.length;
      const count = outside.length;
      if (fixOf === null)
        return first === undefined ? pass('inside', { files }) : block('outside', 'author', { first, count });
      const fix = { attempt: fixOf, may: fixableOf(ferry) };
      return first === undefined
        ? pass('fix-inside', { files, ...fix })
        : block('fix-outside', 'author', { first, count, ...fix });
    }),
  replay: {
    settings: ({ policy }) => [policy['lane.scope'], policy['lane.fixScope']],
    worlds: (past) =>
      pastPaths(past).map((changedPaths) => ({
        ...past.facts,
        change: changed(past.facts.change, (value) => ({ ...value, changedPaths })),
      })),
  },
};

/** A path that the record does not name, and no scope either. */
const ANOTHER = '?';

/** The record has the number of files, and the first of them that lay outside: the rest may have been any of the scope of then. */
function pastPaths({ verdict, then, facts }: PastAnswer): readonly (readonly string[])[] {
  if (facts.fixOf !== null) return [[], [ANOTHER]];
  const may = (path: string): boolean => mayChange(ferryLane(facts.lane), path, false);
  const before = then.policy['lane.scope']?.split(',') ?? [ANOTHER];
  const [kept, gone] = [before.filter(may), before.filter((path) => !may(path))];
  const inside = readFacts(VERDICTS.scope.inside, verdict.found);
  if (inside !== null)
    return [
      [...kept, ...gone],
      [...gone, ...kept],
    ].map((paths) => paths.slice(0, inside.files));
  const { first = ANOTHER, count = 2 } = readFacts(VERDICTS.scope.outside, verdict.found) ?? {};
  return [[first], [first, ...gone, ...(count > 1 ? [ANOTHER] : [])]];
}
