/** The real head that the tests of this folder start: it asks for its token, and forgets everything when it starts again. */

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

  const version = async (
    token: string | null,
  ): Promise<{ readonly status: number; readonly text: string }> => {
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${head.address}/api/version`, { headers });
    return { status: answer.status, text: await answer.text() };
  };

  it('lets nobody in without its token, and is another one after a restart', async () => {
    expect(await version(null)).toMatchObject({ status: 401 });
    expect(await version('another')).toMatchObject({ status: 403 });
    const before = await version(head.token);
    expect(before).toMatchObject({ status: 200, text: expect.stringContaining('"ray_version": "2.60.0"') });
    await head.stop();
    await expect(version(head.token)).rejects.toThrow('fetch failed');
    // Nobody is left of it, the agents of its node neither: they hold ports that the next one needs.
    expect(await takenPorts(head.ports)).toEqual([]);
    await head.start();
    const after = await version(head.token);
    expect(after.status).toBe(200);
    expect(after.text).not.toBe(before.text);
  });
});
