/**
 * `node scripts/record-torch.ts [FAULT]`: runs the job of `fixtures/torch` under torchrun with gloo, once for each fault, and
 * keeps what it prints. Wants a Python with torch built for the CPU, such as Debian's python3-torch, in TORCH_PYTHON.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import * as z from 'zod';

const FOLDER = new URL('../fixtures/torch/', import.meta.url);
const JOB = fileURLToPath(new URL('job', FOLDER));
const PYTHON = process.env['TORCH_PYTHON'] ?? 'python3';
const labels = z.array(z.object({ fault: z.string(), restarts: z.int().optional() }));

const where = await execa(PYTHON, ['-c', 'import torch; print(torch.__path__[0])'], { reject: false });
if (where.failed) throw new Error(`${PYTHON} cannot import torch: ${where.stderr.split('\n').at(-1)}`);
const packages = dirname(where.stdout.trim());
// Where a distribution's packages were unpacked beside the system, their libraries stand there too.
const root = packages.endsWith('/usr/lib/python3/dist-packages')
  ? packages.slice(0, -'/usr/lib/python3/dist-packages'.length)
  : '';
const wanted = process.argv[2];
for (const { fault, restarts = 0 } of labels.parse(
  JSON.parse(await readFile(new URL('labels.json', FOLDER), 'utf8')),
)) {
  if (wanted !== undefined && wanted !== fault) continue;
  const { all } = await execa(PYTHON, ['-m', 'torch.distributed.run', ...launch(restarts), 'train.py', fault], {
    cwd: JOB,
    all: true,
    reject: false,
    env: { OMP_NUM_THREADS: '1', PYTHONDONTWRITEBYTECODE: '1' },
  });
  await writeFile(new URL(`${fault}.log`, FOLDER), `${withoutMachine(all ?? '')}\n`);
  console.log(`fixtures/torch/${fault}.log`);
}

function launch(restarts: number): readonly string[] {
  const workers = ['--standalone', '--nproc_per_node=2', `--max_restarts=${restarts}`];
  // Of what a rank says as an error the launcher tells whose it is; a mapping, because torch 1.13 cannot read a number in Python 3.11.
  return [...workers, '--redirects', '9:1', '--tee', '0:2,1:2'];
}

/** Where it was recorded concerns nobody. */
function withoutMachine(text: string): string {
  return text
    .replaceAll(JOB, '/srv/lab')
    .replaceAll(packages, '/usr/lib/python3/dist-packages')
    .replaceAll(`${root}/usr/`, '/usr/')
    .replaceAll(hostname(), 'node-0');
}
