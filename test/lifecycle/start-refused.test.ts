/** `npm start` where it cannot start: it says why and what to do, in words and as one line of JSON, and leaves nothing behind that runs. */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProcess } from '../support/start-process.ts';

describe('npm start', () => {
  it('names a port that is in use, and the option that chooses another', { timeout: 60_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-port-'));
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const start = startProcess(folder, '--port', String(port));
      const { code, answer } = await start.ended;
      expect(code).toBe(1);
      expect(answer).toMatchObject({ ok: false, stages: [], logbook: join(folder, 'logbook') });
      expect(answer?.reason).toMatch(/in-use/);
      expect(start.said()).toMatch(new RegExp(`port ${port}: .*choose another with --port`));
    } finally {
      taken.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
