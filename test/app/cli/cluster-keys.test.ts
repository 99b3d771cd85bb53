/** What the doctor says of a cluster that asks nobody for a key: asked of the recorded Iris controller over real HTTP. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterKey, readClusterKeys } from '../../../src/app/cli/doctor/facts.ts';
import { readLabConfig } from '../../../src/app/config-source.ts';
import { changed } from '../../config/small-config.ts';
import { serveIris } from '../../support/iris-http.ts';
import { createRecordedIris } from '../../support/recorded-iris.ts';

const LOCAL = 'local: { engine: local, acceleratorHoursPerRun: "2.5" }';

describe('a cluster that says whether it asks for a key', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ferrybot-cluster-keys-'));
    await mkdir(join(folder, '.github'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function doctorSays(cluster: string, checkedOut?: string): Promise<ClusterKey['asks'] | undefined> {
    const text = changed(LOCAL, cluster);
    await writeFile(join(folder, '.github/ferrybot.yml'), checkedOut ?? text);
    const reading = readLabConfig(text);
    if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading.problems));
    return (await readClusterKeys(reading.config, text, folder))[0]?.asks;
  }
  const irisAt = (address: string): string =>
    `local: { engine: iris, controller: "${address}", user: ferrybot, tokenFrom: IRIS_TOKEN, acceleratorHoursPerRun: "2.5" }`;

  it('is in order where it does', async () => {
    const served = await serveIris(createRecordedIris({ now: Date.now, keys: { secret: 'ferrybot' } }));
    const finding = await doctorSays(irisAt(served.address));
    await served.close();
    expect(finding).toEqual({ kind: 'known', value: true });
  });

  it('is not where it lets everybody in, whatever key the config names', async () => {
    const served = await serveIris(createRecordedIris({ now: Date.now }));
    const finding = await doctorSays(irisAt(served.address));
    await served.close();
    expect(finding).toEqual({ kind: 'known', value: false });
  });

  it('is not seen where nobody answers, and is not asked where the checkout is another lab’s', async () => {
    const away = await doctorSays(irisAt('http://127.0.0.1:9'));
    expect(away).toMatchObject({
      kind: 'unknown',
      why: expect.stringContaining('the controller does not answer'),
    });
    let calls = 0;
    const iris = createRecordedIris({ now: Date.now });
    const served = await serveIris({
      ...iris,
      answer: (...asked) => {
        calls += 1;
        return iris.answer(...asked);
      },
    });
    const foreign = await doctorSays(irisAt(served.address), 'version: 1\n');
    await served.close();
    expect(foreign?.kind).toBe('unknown');
    expect(calls).toBe(0);
  });

  it('is nothing to ask of the others', async () => {
    expect(await doctorSays(LOCAL)).toBeUndefined();
  });
});
