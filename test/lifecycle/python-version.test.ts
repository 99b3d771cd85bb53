/**
 * The Python version that reads an experiment is part of the approved manifest, and the launcher must have
 * the same one.
 */

import { describe, expect, it } from 'vitest';
import { known, unknown } from '../../src/domain/values.ts';
import { approve, propose, readState } from '../support/play.ts';
import { listBotComments, MINUTE, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

describe('the Python version', () => {
  it('is in the manifest that people approve', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run } = await propose(lab);
    expect((await readState(lab, run))?.gate?.manifest?.policy['lane.python']).toBe('3.11');
    await lab.close();
  });

  it('blocks a launcher with another version, and the log names both', async () => {
    const lab = await openVirtualLab({
      ferry: SHORT_FERRY,
      pythonVersion: (process) => known(process.startsWith('launch') ? '3.12' : '3.11'),
    });
    const { run, pull } = await propose(lab);
    await approve(lab, 'mira', pull, run);
    await lab.clock.advance(10 * MINUTE);
    expect((await readState(lab, run))?.order?.status).not.toBe('submitted');
    expect(lab.engine.startCount()).toBe(0);
    expect(`${lab.log.join('\n')}${JSON.stringify(listBotComments(lab))}`).toContain(
      'this runner has Python 3.12, and 3.11 read the approved experiment',
    );
    await lab.close();
  });

  it('must be known before an approval is possible', async () => {
    const lab = await openVirtualLab({
      ferry: SHORT_FERRY,
      pythonVersion: () => unknown('there is no python3 on this machine: install Python 3.11 or newer'),
    });
    await lab.dispatchDaily();
    await lab.clock.advance(5 * MINUTE);
    const [card] = listBotComments(lab).filter(({ kind }) => kind === 'card');
    expect(card?.text).toContain('there is no python3 on this machine');
    expect(lab.engine.startCount()).toBe(0);
    await lab.close();
  });
});
