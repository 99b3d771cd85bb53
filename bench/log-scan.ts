/** Scanning the log of a job, beside grep and ripgrep with the same patterns over the same file in the same run. */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { execa } from 'execa';
import { SIGNATURES } from '../src/diagnosis/rows.ts';
import { childCpuMs, type Result, resultWithBar, resultWithoutBar } from './measure.ts';

const LOG_BYTES = 200_000_000;
const TURNS = 3;
// What the log reader looks for beside the signatures (src/watch/log-facts.ts), as grep writes it.
const FACTS = [
  'Progress on:',
  'First train step completed',
  'https://wandb[.]ai/',
  'Saved checkpoint to ',
  'Loading checkpoint from ',
  'eval/',
];

/** Both read the file from the same warm or cold cache, by turns; the best of each counts. */
export async function measureLogScan(): Promise<readonly Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-log-scan-'));
  try {
    const log = join(folder, 'job.log');
    await writeLog(log);
    const scanner = join(folder, 'scan.mjs');
    // Built as the action is: the memory of a process that strips types by itself is not ours.
    await build({
      entryPoints: [join(import.meta.dirname, 'log-scan-child.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: scanner,
    });
    const [ours, greps, ripgreps]: [number[], number[], number[]] = [[], [], []];
    let maxRssKb = 0;
    for (let turn = 0; turn < TURNS; turn += 1) {
      greps.push(await matcherMs('grep', ['-E'], log));
      // One thread and bytes, as the other two have it.
      ripgreps.push(await matcherMs('rg', ['--threads=1', '--no-unicode'], log));
      const { stdout } = await execa(process.execPath, [scanner, log]);
      const scanned: { readonly cpuMs: number; readonly maxRssKb: number } = JSON.parse(stdout);
      ours.push(scanned.cpuMs);
      maxRssKb = Math.max(maxRssKb, scanned.maxRssKb);
    }
    const [scan, grep, ripgrep] = [Math.min(...ours), Math.min(...greps), Math.min(...ripgreps)];
    return [
      resultWithoutBar('log-scan-200mb', scan, 'ms'),
      resultWithoutBar('log-scan-200mb-grep', grep, 'ms'),
      resultWithoutBar('log-scan-200mb-ripgrep', ripgrep, 'ms'),
      resultWithBar('log-scan-speed-of-grep', grep / scan, 'ratio', '>=', 0.5),
      resultWithoutBar('log-scan-speed-of-ripgrep', ripgrep / scan, 'ratio'),
      resultWithBar('log-scan-memory', maxRssKb / 1_024, 'MB', '<=', 100),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function matcherMs(program: 'grep' | 'rg', options: readonly string[], log: string): Promise<number> {
  const patterns = [...SIGNATURES.map(({ pattern }) => asExtended(pattern)), ...FACTS];
  return childCpuMs({ program, args: [...options, '-c', ...patterns.flatMap((one) => ['-e', one]), log] });
}

/** A pattern in the dialect of `grep -E`, which has neither `\d` nor `(?:`. */
function asExtended({ source }: RegExp): string {
  return source.replaceAll('\\d', '[0-9]').replaceAll('(?:', '(').replaceAll('\\/', '/');
}

/** Lines as Levanter and its libraries print them: most say nothing, one in a thousand is a bar, some are tracebacks. */
async function writeLog(path: string): Promise<void> {
  const file = createWriteStream(path);
  const block = blockOfLines();
  for (let written = 0; written < LOG_BYTES; written += block.length) if (!file.write(block)) await once(file, 'drain');
  file.end();
  await once(file, 'finish');
}

function blockOfLines(): Buffer {
  const lines: string[] = [];
  for (let index = 0; index < 8_000; index += 1) lines.push(lineAt(index));
  return Buffer.from(`${lines.join('\n')}\n`, 'utf8');
}

function lineAt(index: number): string {
  const stamp = `I20261121 03:${String(index % 60).padStart(2, '0')}:07 140233 `;
  if (index % 1_000 === 7)
    return `${stamp}tqdm_loggable Progress on:train ${index}it/100kit rate:1.2it/s remaining:22:10:00 elapsed:01:02:03 postfix:loss=2.31`;
  if (index % 2_000 === 11)
    return `${stamp}levanter Saved checkpoint to gs://bucket/run/step-${index} for step ${index}`;
  if (index % 4_000 === 13) return 'ValueError: shapes do not match';
  if (index % 3 === 0)
    return `(pid=${index}, ip=10.130.1.45) ${stamp}levanter.data.loader prefetched batch ${index} in 0.0${index % 97}s, queue 12/32`;
  if (index % 3 === 1)
    return `${stamp}jax._src.dispatch Finished tracing + transforming step_fn for pjit in ${index / 7} sec`;
  return `${stamp}marin.execution step train/smalllab-${index} is up to date, 1234 shards, ${'#'.repeat(index % 60)}`;
}
