/** Why somebody's own pull request or issue is not taken up as it is, as answers. */

import type { OwnIssue, OwnPull } from '../../domain/own-pull.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';
import type { OpenLab } from '../open-lab.ts';
import { type Answered, answerTo } from './answers.ts';

/** Why nothing of it can be taken up, whatever its lane. */
export function refusalOf({ lab }: OpenLab, pull: OwnPull): Answered | null {
  if (pull.headRepository !== lab.repository)
    return refused('fork', pull.headRepository ?? 'a deleted fork', lab.repository);
  return pull.isDraft ? refused('draft') : null;
}

/** That it changes nothing which these lanes run. */
export function noExperiment(lanes: readonly LaneScopedConfig[]): Answered {
  const files = lanes.flatMap(({ kind, lane }) => (kind.change === null ? [] : [kind.change.file(lane)]));
  return refused('no-experiment', files.join(' '));
}

/** That it could be a run of more than one. */
export function severalLanes(
  kind: (OwnPull | OwnIssue)['kind'],
  lanes: readonly LaneScopedConfig[],
): Answered {
  const names = lanes.map(({ laneName }) => laneName).join(' ');
  return kind === 'issue' ? refusedIssue('several-lanes', names) : refused('several-lanes', names);
}

/** A refusal of a pull request, as an answer. */
export function refused(
  why: 'fork' | 'draft' | 'no-experiment' | 'several-lanes' | 'knobs' | 'not-permitted',
  about = '',
  wanted = '',
): Answered {
  return answerTo('propose-pull-refused', { why, about, wanted });
}

/** A refusal of an issue, as an answer. */
export function refusedIssue(
  why: 'several-lanes' | 'knobs' | 'not-permitted' | 'no-person' | 'no-value' | 'no-name',
  about = '',
  wanted = '',
): Answered {
  return answerTo('propose-issue-refused', { why, about, wanted });
}
