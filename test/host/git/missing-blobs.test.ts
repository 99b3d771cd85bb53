/** Contents are asked of the remote once, all together, and not at all by whoever wrote them. */

import { expect, it } from 'vitest';
import { createMirror, type GitCall, type GitMirror } from '../../../src/host/git/mirror.ts';
import { createReader } from '../../../src/host/git/read.ts';
import { createWriter } from '../../../src/host/git/write.ts';
import { AT_MS, bareRepository, environment, identity, scratchFolder } from './scratch-repository.ts';

const REF = 'refs/heads/main';
const files = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`runs/${n}/events.jsonl`, `entry of ${n}\n`]));

/** A mirror of its own, and what was asked of git there. */
function watched(remoteUrl: string): { readonly mirror: GitMirror; readonly fetches: () => number } {
  const calls: GitCall[] = [];
  const mirror = createMirror({
    directory: `${scratchFolder()}/mirror.git`,
    remoteUrl,
    token: async () => null,
    environment,
  });
  const noted = (call: GitCall): GitCall => {
    calls.push(call);
    return call;
  };
  return {
    mirror: {
      ...mirror,
      run: (call) => mirror.run(noted(call)),
      output: (call, code) => mirror.output(noted(call), code),
    },
    fetches: () => calls.filter(({ args }) => args.includes('--stdin') && args.includes('fetch')).length,
  };
}

it('whoever wrote them reads them without the remote, and anybody else asks once', async () => {
  const remote = await bareRepository();
  const [own, other] = [watched(`file://${remote.path}`), watched(`file://${remote.path}`)];
  const request = {
    ref: REF,
    expected: null,
    parent: 'expected',
    files,
    message: 'all',
    atMs: AT_MS,
  } as const;
  expect((await createWriter(own.mirror, identity).commitAndPush(request)).kind).toBe('pushed');
  for (const { mirror, fetches } of [own, other]) {
    const reader = createReader(mirror);
    const ids = Object.values(files).map((text) => reader.blobIdOf(text));
    await reader.fetch();
    for (let time = 0; time < 2; time += 1)
      expect([...(await reader.readBlobs(ids)).values()]).toEqual(Object.values(files));
    expect(fetches()).toBe(mirror === own.mirror ? 0 : 1);
  }
});
