/**
 * An earlier job with cluster access submits its own job under the id of today's attempt, before the launch.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { buildSubmissionId } from '../../src/domain/launch/order.ts';
import { isRunId } from '../../src/domain/values.ts';
import { submitTo } from '../support/capabilities.ts';
import { approve, propose, readEventsOf, readState, until } from '../support/play.ts';
import { listBotComments, listRepeatedComments, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
  await lab.close();
});

describe('a foreign job under the id of an attempt', () => {
  // threat T203
  it('is never adopted as the approved job, even with correct public metadata', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    if (!isRunId(run)) throw new Error(run);
    const manifest = (await readState(lab, run))?.gate?.digest ?? '';
    const foreign = await submitTo(lab.engine, {
      submissionId: buildSubmissionId(run, 1),
      command: ['python3', 'mine.py'],
      env: {},
      workingDirectory: '/somewhere',
      metadata: { run, attempt: 1, manifest },
    });
    expect(foreign.kind).toBe('submitted');
    await approve(lab, 'mira', pull, run);
    await until(lab, 'the incident', async () =>
      (await readEventsOf(lab, run)).some(
        ({ type, data }) => type === 'incident' && 'code' in data && data.code === 'submit-conflict',
      ),
    );
    const state = await readState(lab, run);
    expect(state?.submission).toBeNull();
    expect(listBotComments(lab).some(({ kind, source }) => kind === 'incident' && source.includes('our id'))).toBe(
      true,
    );
  });
});
