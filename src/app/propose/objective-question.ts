/** No clear objective: the bot asks and edits nothing (policy DF-05). One question a day, as an issue that takes the answer. */

import type { RunId } from '../../domain/ids.ts';
import { markerIdentity, markerText } from '../../domain/marker.ts';
import { notWritten, type ProposeOutcome } from '../../run/proposing.ts';
import { perform } from '../control/perform.ts';
import type { OpenLane } from '../open-lab.ts';

/** Opens the question of a day, or finds it. */
export async function askForObjective(open: OpenLane, run: RunId, date: string): Promise<ProposeOutcome> {
  const marker = { run, kind: 'issue', key: 'objective', fields: {} } as const;
  const { title, body } = open.config.kind.proposals.question(date);
  const outcome = await perform(open, {
    kind: 'open-issue',
    marker: markerIdentity(marker),
    title,
    body: `${markerText(marker)}\n${body}`,
    labels: ['experiment'],
  });
  if (outcome.kind === 'done' && outcome.number !== null) return { kind: 'asked', issue: outcome.number };
  if (outcome.kind === 'unknown') return { kind: 'failed', code: 'unreadable', why: outcome.message };
  return notWritten(
    'the question about the objective',
    outcome.kind === 'done' ? 'no number' : outcome.message,
  );
}
