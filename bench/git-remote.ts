/** A bare repository on disk, with mirrors of it for as many processes as a measurement has. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GitReader, GitWriter } from '../src/domain/git.ts';
import { createGitProgram } from '../src/host/git/git-program.ts';

export type ScratchRemote = {
  readonly url: string;
  readonly client: () => GitReader & GitWriter;
  readonly remove: () => void;
};

/** Made anew; whoever makes it removes it. */
export function scratchRemote(): ScratchRemote {
  const folder = mkdtempSync(join(tmpdir(), 'ferrybot-bench-git-'));
  const path = join(folder, 'remote.git');
  execFileSync('git', ['init', '--quiet', '--bare', path]);
  for (const key of ['uploadpack.allowFilter', 'uploadpack.allowAnySHA1InWant'])
    execFileSync('git', ['-C', path, 'config', key, 'true']);
  let mirrors = 0;
  return {
    url: `file://${path}`,
    client: () => {
      mirrors += 1;
      return createGitProgram({
        directory: join(folder, `mirror-${mirrors}.git`),
        remoteUrl: `file://${path}`,
        token: async () => null,
        environment: { PATH: process.env['PATH'] ?? '' },
      })({ name: 'Example Lab', email: 'lab@example.org' });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
