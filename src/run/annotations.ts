/** What the check run says beside the changed lines: each knob that the table does not declare as it is. */

import type { LaneScopedConfig } from '../config/lane-scope.ts';
import { assertNever } from '../domain/assert.ts';
import type { Annotation } from '../domain/effect.ts';
import type { RunFacts } from '../domain/facts.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { renderMismatch, renderUnreadableDelta } from '../render/annotation.ts';
import { placeWord } from '../render/place-word.ts';

/** Annotations on the file that is changed, at the PR's head; none once the run was launched. */
export function annotationsOf(
  state: RunState,
  facts: RunFacts,
  config: LaneScopedConfig,
): readonly Annotation[] {
  if (!isBeforeLaunch(state) || facts.change.kind === 'unknown' || facts.body.kind === 'unknown') return [];
  const path = config.kind.change?.file(config.lane);
  if (path === undefined) return [];
  const { delta } = facts.change.value;
  switch (delta.kind) {
    case 'none':
    case 'knobs':
      return facts.body.value.mismatches.map((mismatch) => ({
        path,
        line: mismatch.fileLine ?? 1,
        level: 'failure',
        ...renderMismatch(mismatch, placeWord(state)),
      }));
    case 'structural':
    case 'unparsable':
      return delta.side === 'head'
        ? [{ path, line: delta.line, level: 'failure', ...renderUnreadableDelta(delta) }]
        : [];
    default:
      return assertNever(delta);
  }
}
