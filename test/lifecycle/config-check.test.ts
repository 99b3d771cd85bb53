/**
 * A pull request that changes the config is checked before it is merged; an invalid config on `main` launches
 * nothing new.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { CONFIG_PATH } from '../../src/app/config-source.ts';
import { playFerry } from '../support/play.ts';
import { MINUTE, pushFile, readBranchFile, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(async () => {
  expect(lab.world.state.unserved).toEqual([]);
  await lab.close();
});

/** Opens a pull request with another config. */
async function changeConfig(change: (text: string) => string): Promise<void> {
  const text = (await readBranchFile(lab, 'main', CONFIG_PATH)) ?? '';
  const sha = (await lab.store.refs('refs/heads/main')).get('refs/heads/main');
  await lab.as('ada', 'POST', '/git/refs', { ref: 'refs/heads/stricter', sha });
  await pushFile(lab, 'ada', 'stricter', CONFIG_PATH, change(text));
  await lab.as('ada', 'POST', '/pulls', { title: 'Stricter', body: '', head: 'stricter', base: 'main' });
  await lab.clock.advance(MINUTE);
}

const checks = () => Object.values(lab.world.state.checkRuns).filter(({ name }) => name === 'ferrybot / config');

describe('a pull request that changes the config', () => {
  it('gets an annotation on the line of each problem', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    await changeConfig((text) => text.replace('quorum: 1', 'quorum: none').replace('afterSeal:', 'aftreSeal:'));
    const text = (await readBranchFile(lab, 'stricter', CONFIG_PATH)) ?? '';
    const lineOf = (part: string) => text.slice(0, text.indexOf(part)).split('\n').length;
    expect(checks()).toMatchObject([
      { conclusion: 'failure', output: { title: 'The config is not valid: 2 problems' } },
    ]);
    expect(checks()[0]?.output?.summary).toContain('stays in force');
    expect(checks()[0]?.annotations).toMatchObject([
      { path: CONFIG_PATH, startLine: lineOf('quorum: none'), level: 'failure' },
      {
        path: CONFIG_PATH,
        startLine: lineOf('aftreSeal:'),
        message: expect.stringContaining('did you mean afterSeal?'),
      },
    ]);
  });

  it('gets a table of the past decisions that the new config would change', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run } = await playFerry(lab);
    await changeConfig((text) => text.replace('quorum: 1', 'quorum: 2'));
    expect(checks()).toMatchObject([{ conclusion: 'neutral' }]);
    expect(checks()[0]?.output?.summary).toContain(`| \`${run}\` | quorum | reached | **not-reached** | \`1-of-2\` |`);
  });

  it('gets a passing check if no decision changes, and no second check for the same config', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    await changeConfig((text) => `${text}\n# nothing\n`);
    await lab.clock.advance(MINUTE);
    expect(checks()).toMatchObject([
      { conclusion: 'success', output: { title: expect.stringContaining('No run is recorded') } },
    ]);
    await pushFile(lab, 'ada', 'stricter', 'README.md', 'Another file.\n');
    await lab.clock.advance(MINUTE);
    expect(checks()).toHaveLength(2);
  });
});
