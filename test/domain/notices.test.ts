/** Which notices the record accepts: a stolen key cannot prevent a notice by recording that it was sent. */

import { describe, expect, it } from 'vitest';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import type { NoticeReason } from '../../src/domain/logbook/events/notice-events.ts';
import type { Role } from '../../src/domain/logbook/parts.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';

const NO_INCIDENT = 'notified of an incident that is none';
const NOT_NEXT = 'notified of an incident out of turn';
const NOT_ITS_OWN = 'notified by the watch of what is not its own';
const NOT_SENT_BY_IT = 'delivered by the watch what control was to send';

const alarm = (role: 'control' | 'watch'): EventDraft => ({
  type: 'incident',
  role,
  data: { code: 'engine-unreadable', detail: {} },
});
const told = (role: Role, reason: NoticeReason, about: string, channels: readonly string[] = []): EventDraft =>
  ({ type: 'notified', role, data: { reason, about, channels } }) as EventDraft;
const sent = (role: Role, notice: number, outcome: 'sent' | 'unknown' = 'sent'): EventDraft =>
  ({ type: 'delivered', role, data: { notice, channel: 'chat', outcome, why: '' } }) as EventDraft;

const running = aRun().gated().approved(bob).ordered().claimed().submitted().observed();
const watched = running.add(alarm('watch'));
const judged = running.add(alarm('control'));
const seqOf = ({ state }: RunBuilder): number => state.head.seq;
const next = seqOf(running) + 1;
const chat = judged.add(told('control', 'incident', `${next}-1`, ['chat']));

describe('the record accepts no', () => {
  // threat T190
  it.each<readonly [string, RunBuilder, EventDraft, string]>([
    ['notice of an incident that does not exist', running, told('watch', 'incident', `${next}-1`), NO_INCIDENT],
    ['notice about an entry that is not an incident', watched, told('watch', 'incident', `${next - 1}-1`), NO_INCIDENT],
    ['second notice about an incident before the first', watched, told('watch', 'incident', `${next}-2`), NOT_NEXT],
    ['first notice with the number of a changed text', watched, told('watch', 'incident', `${next}-1-1`), NOT_NEXT],
    ['notice by the watch about an incident of control', judged, told('watch', 'incident', `${next}-1`), NOT_ITS_OWN],
    ['notice by the watch about a pending decision', watched, told('watch', 'undecided', `${next}-1`), NOT_ITS_OWN],
    ['record by the watch of a message that control sends', chat, sent('watch', seqOf(chat)), NOT_SENT_BY_IT],
  ])('%s', (_, run, draft, rule) => {
    expect(refused(run, draft)).toBe(rule);
  });

  it('other rule violation, but accepts notices by the process that raised the incident and by control', () => {
    const first = watched.add(told('watch', 'incident', `${next}-1`, ['chat']));
    expect(refused(first, told('control', 'incident', `${next}-2`))).toBeNull();
    expect(refused(first, sent('watch', seqOf(first)))).toBeNull();
    expect(refused(first, sent('control', seqOf(first), 'unknown'))).toBeNull();
    expect(refused(chat, sent('control', seqOf(chat)))).toBeNull();
  });
});

function refused(run: RunBuilder, draft: EventDraft): string | null {
  try {
    run.add(draft);
  } catch (error) {
    return String(error).replace(/^Error: entry \d+: /, '');
  }
  return null;
}
