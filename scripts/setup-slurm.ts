/** `npm run setup:slurm`: Slurm and munge from Debian's packages, tried on a private cluster of this machine, which is ended again. */

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { freePorts } from '../demo/ray/free-ports.ts';
import { askCluster, closeCluster, missingPrograms, startCluster } from '../demo/slurm/cluster.ts';
import { PORTS } from '../demo/slurm/cluster-files.ts';

const PACKAGES = ['munge', 'slurmctld', 'slurmd', 'slurm-client'];
const INSTALL_TIMEOUT_MS = 8 * 60 * 1_000;
const LINES_SHOWN = 20;
const JOB_TIMEOUT_MS = 60_000;
const JOB_POLL_MS = 500;

process.exitCode = await setUp();

async function setUp(): Promise<number> {
  if (missingPrograms().length > 0 && !(await install())) return 1;
  const missing = missingPrograms();
  if (missing.length > 0) return say(`the packages brought no ${missing.join(', ')}`, '');
  const record = { folder: await mkdtemp(join(tmpdir(), 'sl-')), ports: await freePorts(PORTS) };
  try {
    await startCluster(record);
    const id = await askCluster(record, 'sbatch', ['--parsable', '--output=/dev/null', '--wrap=true']);
    if (id === null) return say('the cluster takes no job', '');
    for (let waitedMs = 0; waitedMs < JOB_TIMEOUT_MS; waitedMs += JOB_POLL_MS) {
      const asked = ['--noheader', '--states=all', `--jobs=${id.trim()}`, '--format=%T'];
      const state = (await askCluster(record, 'squeue', asked))?.trim();
      if (state === 'COMPLETED') {
        console.log('setup:slurm: a private cluster of this machine runs jobs');
        return 0;
      }
      await sleep(JOB_POLL_MS);
    }
    return say('the first job did not end', '');
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return say(error.message, '');
  } finally {
    await closeCluster(record);
  }
}

/** No daemon of the machine's own is wanted: what is started is ours, in a folder of its own. */
async function install(): Promise<boolean> {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo'];
  const steps = [
    ['apt-get', 'update', '-q'],
    ['apt-get', 'install', '-y', '-q', '--no-install-recommends', ...PACKAGES],
  ];
  console.log(`installing ${PACKAGES.join(' ')} (half a minute)`);
  for (const step of steps) {
    const [program = '', ...args] = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', ...step];
    const done = await execa(program, args, { reject: false, all: true, timeout: INSTALL_TIMEOUT_MS });
    if (!done.failed) continue;
    say(`${step.join(' ')} failed: this needs Debian or Ubuntu, and root or sudo`, done.all ?? '');
    return false;
  }
  return true;
}

function say(what: string, output: string): number {
  console.error(`setup:slurm: ${what}`);
  if (output !== '') console.error(output.split('\n').slice(-LINES_SHOWN).join('\n'));
  return 1;
}
