/** How much of `src` one command executes, from its comment to its answer or its job: files, functions and gate evaluations. */

import { Session } from 'node:inspector/promises';
import { findShownApprovalLine } from '../test/support/approve.ts';
import { propose, until } from '../test/support/play.ts';
import { listAnswersTo, postComment, SHORT_FERRY } from '../test/support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../test/support/virtual-lab.ts';
import { type ExecutedPath, executedPath } from './executed-path.ts';
import { type Result, resultWithBar } from './measure.ts';
import { type MeasuredCommand, writePath } from './path-page.ts';

const SOURCES = new URL('../src/', import.meta.url).href;

/** The measured counts, rounded up a little: lower a bar when its count has fallen. `/hold` shall execute at most 100 files. */
export const BARS = {
  status: { files: 65, functions: 584, gateEvaluations: 0 },
  hold: { files: 84, functions: 810, gateEvaluations: 0 },
  'approve-to-job': { files: 169, functions: 1_730, gateEvaluations: 4 },
} as const satisfies Readonly<Record<string, ExecutedPath>>;

/** Plays a ferry on the virtual lab until its job starts, and counts what `/status`, `/hold` and `/approve-launch` execute. With `--write`, docs/architecture.md shows it. */
export async function measurePath(): Promise<readonly Result[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const count = async (title: string, act: () => Promise<void>): Promise<MeasuredCommand> => {
    // Taking the coverage resets its counters.
    await session.post('Profiler.takePreciseCoverage');
    await act();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return { title, ...executedPath(result, SOURCES) };
  };
  const lab = await openVirtualLab({ ferry: SHORT_FERRY });
  try {
    const { pull } = await propose(lab);
    const comments: number[] = [];
    const comment = async (body: string): Promise<void> =>
      void comments.push(await postComment(lab, 'mira', pull, body));
    await untilCard(lab);
    const status = await count('`/status`', () => comment('/status'));
    const hold = await count('`/hold`', () => comment('/hold reason="the tokenizer changes today"'));
    await comment('/unhold');
    const unanswered = comments.filter((id) => listAnswersTo(lab, id).length !== 1);
    if (unanswered.length > 0) throw new Error(`no answer to the comments ${unanswered.join(', ')}`);
    await untilCard(lab);
    const approval = findShownApprovalLine(lab) ?? '';
    const launch = await count('`/approve-launch DIGEST`', async () => {
      await comment(approval);
      await until(lab, 'the start of the job', () => lab.engine.startCount() === 1, { stepMs: 1_000 });
    });
    if (process.argv.includes('--write')) await writePath(new URL('../', import.meta.url), [status, hold, launch]);
    return [...judge('status', status), ...judge('hold', hold), ...judge('approve-to-job', launch)];
  } finally {
    await lab.close();
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

function untilCard(lab: VirtualLab): Promise<void> {
  return until(lab, 'a card that asks for an approval', () => findShownApprovalLine(lab) !== null);
}

function judge(name: keyof typeof BARS, path: ExecutedPath): readonly Result[] {
  const { files, functions, gateEvaluations } = BARS[name];
  return [
    resultWithBar(`path-${name}-files`, path.files, 'files', '<=', files),
    resultWithBar(`path-${name}-functions`, path.functions, 'functions', '<=', functions),
    resultWithBar(`path-${name}-gate-evaluations`, path.gateEvaluations, 'evaluations', '<=', gateEvaluations),
  ];
}
