/** The real head that these tests start: it requires its token, and loses all jobs on a restart. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { takenPorts } from '../../demo/ray/free-ports.ts';
import { type RayHead, startRayHead } from '../support/ray-head.ts';
import { describeWithRay } from '../support/ray-tools.ts';

describeWithRay('a Ray head of the tests', () => {
  let head: RayHead;
  beforeAll(async () => {
    head = await startRayHead();
  });
  afterAll(() => head.close());

  const version = async (token: string | null): Promise<{ readonly status: number; readonly text: string }> => {
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${head.address}/api/version`, { headers });
    return { status: answer.status, text: await answer.text() };
  };

  it('requires its token, and has a new session after a restart', async () => {
    expect(await version(null)).toMatchObject({ status: 401 });
    expect(await version('another')).toMatchObject({ status: 403 });
    const before = await version(head.token);
    expect(before).toMatchObject({ status: 200, text: expect.stringContaining('"ray_version": "2.60.0"') });
    await head.stop();
    await expect(version(head.token)).rejects.toThrow('fetch failed');
    // All its processes must have ended, including the node agents, because the next head needs their ports.
    expect(await takenPorts(head.ports)).toEqual([]);
    await head.start();
    const after = await version(head.token);
    expect(after.status).toBe(200);
    expect(after.text).not.toBe(before.text);
  });
});
