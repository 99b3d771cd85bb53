/** Hero runs in tests: a lab with a hero lane, and the issue that a person opens. */

import type { Person } from '../../packages/playground/world/seed.ts';
import { SHORT_FERRY } from './talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from './virtual-lab.ts';

export const HERO_LANE = `  hero:
    kind: hero
    cluster: us-central1
    ships: [experiments, lib, scripts]
    tracker: { kind: none, entity: '', project: '' }
    temporaryRoots: []
    cadence: { startupMs: 3000, pollMs: 60000 }
`;

/** The run of the issue with these answers. */
export const RUN = 'grug-moe-1e23-ep8';

/** The filled-in form as GitHub writes it; null leaves a field empty. */
export type Answers = Readonly<Record<string, string | null>>;

export const ANSWERS: Answers = {
  DRI: '@ada',
  Goal: 'Train the 125M model to 1200 steps, as a rehearsal of the 1e23 run.',
  'Stop and escalation criteria': 'Stop on NaN, or on a loss above 5 after step 600.',
  'Run slug': RUN,
  Command: 'FERRY_DATE=hero LAB_OUTPUT_ROOT={outputRoot} python3 experiments/ferries/daily.py',
  'Output root': 'outputs/grug-moe-1e23-ep8',
  'W&B run id': RUN,
  'Resume policy': 'allow',
  'Permanent checkpoints every (steps)': '500',
  'Temporary checkpoints every (minutes)': '15',
  'Checkpoints kept for rollback': '10',
  initialize_from: 'none',
  'Final step': '1200',
  'Hardware and topology': 'one machine of the lab',
  Parameters: '125M',
  'Token budget': '2.5B',
  'Pre-registered loss': '3.2',
  'Check cadence': '15',
};

export function formBody(answers: Answers): string {
  return Object.entries(answers)
    .map(([label, answer]) => `### ${label}\n\n${answer ?? '_No response_'}`)
    .join('\n\n');
}

/** A lab with a hero lane in addition to its ferries. */
export function openHeroLab(options: VirtualLabOptions = {}): Promise<VirtualLab> {
  return openVirtualLab({ ferry: SHORT_FERRY, config: (text) => `${text.trimEnd()}\n${HERO_LANE}`, ...options });
}

export async function branchHead(lab: VirtualLab, branch = 'main'): Promise<string> {
  return (await lab.store.refs(`refs/heads/${branch}`)).get(`refs/heads/${branch}`) ?? '';
}

/** Title and text of such an issue. */
export async function postHeroIssue(lab: VirtualLab, answers: Answers = {}) {
  const body = formBody({ ...ANSWERS, 'Source SHA': await branchHead(lab), ...answers });
  return { title: '[Hero run] Grug MoE 1e23 ep8', body };
}

/** Opens the issue of a hero run as this user; returns its number. */
export async function openHeroIssue(
  lab: VirtualLab,
  {
    answers = {},
    who = 'ada',
    labels = ['experiment', 'hero-run'],
  }: { readonly answers?: Answers; readonly who?: Person; readonly labels?: readonly string[] } = {},
): Promise<number> {
  const issue = { ...(await postHeroIssue(lab, answers)), labels };
  return ((await lab.as(who, 'POST', '/issues', issue)) as { readonly number: number }).number;
}
