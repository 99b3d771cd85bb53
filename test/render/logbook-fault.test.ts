/** The comment about a logbook that cannot be trusted, kind by kind. */

import { describe, expect, it } from 'vitest';
import type { LogbookFault } from '../../src/domain/logbook/logbook-fault.ts';
import { readMarker } from '../../src/domain/marker.ts';
import { buildLogbookFaultMarker, renderLogbookFault } from '../../src/render/notice.ts';
import { toSha } from '../support/run-drafts.ts';

const FAULTS: readonly LogbookFault[] = [
  { kind: 'bad-entry', line: 8, seq: 7, reason: 'signature', message: 'no key of `runner` fits | <b>' },
  {
    kind: 'bad-entry',
    line: 8,
    seq: 7,
    reason: 'canonical',
    message: 'of a type that this release does not know',
    isOfUnknownType: true,
  },
  { kind: 'entry-missing', seq: 12, hash: '0123456789ab' },
  { kind: 'branch-missing' },
  { kind: 'branch-rewound', was: toSha('was'), now: toSha('now') },
  { kind: 'push-refused', after: 12, message: 'remote: fatal: write error: No space left on device' },
  { kind: 'seal-tag', tag: 'ferry/daily/20261121/f', commit: toSha('launch'), found: null },
  { kind: 'seal-tag', tag: 'ferry/daily/20261121/f', commit: toSha('launch'), found: toSha('now') },
  { kind: 'look-failed', key: '0123456789ab', message: 'Cannot read properties of null | <b>', subject: null },
  { kind: 'look-failed', key: '0123456789ac', message: 'a bug', subject: { kind: 'comment', name: 'comment-12' } },
  { kind: 'tag-without-seal', tag: 'ferry/daily/20261121/f', found: toSha('now') },
  { kind: 'read-failed', key: '0123456789ad', message: 'a bug' },
];

describe('the comment about a logbook fault', () => {
  it.each(FAULTS)('has evidence and the next action: $kind', (fault) => {
    const notice = { run: 'ferry-daily-20261121', fault, branch: 'ferrybot/logbook' };
    const said = renderLogbookFault(notice);
    expect(readMarker(said)).toMatchObject({ run: notice.run, kind: 'incident' });
    expect(said.startsWith(`${buildLogbookFaultMarker(notice)} -->\n🤖 `)).toBe(true);
    expect(said).toMatchSnapshot();
  });

  it('for a rental run names the limits that destroy the machine', () => {
    const notice = { run: 'rental-gpu-20261121-issue1', fault: { kind: 'branch-missing' }, branch: 'b' } as const;
    expect(renderLogbookFault({ ...notice, isRental: true })).toContain('is destroyed before a limit');
    expect(renderLogbookFault(notice)).not.toContain('is destroyed before a limit');
  });

  it('for a check outside any run mentions no run', () => {
    const fault = { kind: 'look-failed', key: '0123456789ab', message: 'a bug', subject: null } as const;
    const said = renderLogbookFault({ run: 'journal', fault, branch: 'b' });
    expect(said).toContain('**A check of what belongs to no run failed**');
  });

  it('has a separate marker for each fault', () => {
    const markers = FAULTS.map((fault) => buildLogbookFaultMarker({ run: 'journal', fault, branch: 'b' }));
    expect(new Set(markers).size).toBe(FAULTS.length);
  });
});
