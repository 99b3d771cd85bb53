/** A bare repository on disk, with mirrors of it for as many processes as a measurement has. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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
  return remoteAt(`file://${path}`, folder, () => rmSync(folder, { recursive: true, force: true }));
}

/** The same repository over HTTP from a process of its own, so that the measured process does not pay for the work of GitHub. */
export async function serveRemote(remote: ScratchRemote): Promise<ScratchRemote> {
  const folder = dirname(remote.url.replace('file://', ''));
  const server = spawn(process.execPath, [join(import.meta.dirname, 'git-server.ts'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(server.stdout, 'data');
  return remoteAt(`http://127.0.0.1:${String(port).trim()}/lab/remote.git`, folder, () => {
    server.kill();
    remote.remove();
  });
}

function remoteAt(url: string, folder: string, remove: () => void): ScratchRemote {
  let mirrors = 0;
  return {
    url,
    client: () => {
      mirrors += 1;
      return createGitProgram({
        directory: join(folder, `mirror-${mirrors}.git`),
        remoteUrl: url,
        token: async () => null,
        environment: { PATH: process.env['PATH'] ?? '' },
      })({ name: 'Example Lab', email: 'lab@example.org' });
    },
    remove,
  };
}
