/**
 * A hero run in a container: ferrybot asks the registry for the build commit and assumes nothing (policy
 * HR-14, HR-35).
 */

import { expect, it, onTestFinished } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { createFakeRegistry } from '../support/fake-registry.ts';
import { branchHead, HERO_LANE, openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { approve, readState, until } from '../support/play.ts';
import { toSha } from '../support/run-drafts.ts';
import { listBotTexts, MINUTE } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

const REVISION = 'org.opencontainers.image.revision';

/** A lab with a registry in its config, and that registry. */
async function open(beforeJob?: (mode: string) => Promise<void>, cluster: string | null = null) {
  const registry = createFakeRegistry({ origin: 'https://ghcr.io', realm: 'https://ghcr.io/token' });
  const state = { isAway: false };
  const lab = await openHeroLab({
    config: (text) =>
      `${text.trimEnd()}\n${HERO_LANE}`
        .replace('registries: {}', 'registries: { ghcr.io: {} }')
        .replace('\nclusters:\n', `\nclusters:\n${cluster ?? ''}`)
        .replace(/(kind: hero\n {4}cluster: )us-central1/, cluster === null ? '$1us-central1' : '$1gpu'),
    ...(beforeJob === undefined ? {} : { beforeJob }),
    registry: (url, init) =>
      state.isAway ? Promise.resolve(new Response('', { status: 503 })) : registry.fetch(url, init),
  });
  onTestFinished(() => lab.close());
  return { lab, registry, state };
}

const gateOf = async (lab: VirtualLab) =>
  (await readState(lab, RUN))?.gate?.verdicts.find(({ gate }) => gate === 'container-built');
const judged = (lab: VirtualLab, code: string) =>
  until(lab, code, async () => (await gateOf(lab))?.code === code, { limitMs: 60 * MINUTE });
const isLaunched = (lab: VirtualLab) => async () => (await readState(lab, RUN))?.submission != null;
const cardOf = (lab: VirtualLab): string =>
  listBotTexts(lab, 'card').findLast((text) => text.includes(`Run \`${RUN}\``)) ?? '';

it('a hero run launches in a container built from its commit, and the card shows the passed gate', async () => {
  const { lab, registry } = await open();
  const digest = registry.push('lab/trainer:v1', { [REVISION]: await branchHead(lab) });
  const issue = await openHeroIssue(lab, { answers: { 'Container or bundle': `ghcr.io/lab/trainer@${digest}` } });
  await judged(lab, 'built');
  await lab.clock.advance(5 * MINUTE);
  expect(cardOf(lab)).toContain('✅ passes (`container-built`): ');
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the launch', isLaunched(lab));
});

// rule HR-77
it('the container gate blocks an image of another commit until the contract names that commit', async () => {
  const { lab, registry } = await open();
  const other = toSha('another commit');
  const digest = registry.push('lab/trainer:v1', { [REVISION]: other });
  const container = { 'Container or bundle': `ghcr.io/lab/trainer@${digest}` };
  const issue = await openHeroIssue(lab, { answers: container });
  await judged(lab, 'other-commit');
  await lab.clock.advance(5 * MINUTE);
  expect(cardOf(lab)).toContain('❌ fails (`container-built`): ');
  expect(cardOf(lab)).toContain('and the contract names');
  const text = (await lab.as('ada', 'GET', `/issues/${issue}`)) as { readonly body: string };
  await lab.as('ada', 'PATCH', `/issues/${issue}`, { body: `${text.body}\n\n### Container built from\n\n${other}` });
  await judged(lab, 'built');
  expect(await gateOf(lab)).toMatchObject({ outcome: 'pass', found: { commit: other } });
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the launch', isLaunched(lab));
});

it('a hero run is not launched if its image tag was replaced between the gate and the approval', async () => {
  const { lab, registry } = await open();
  registry.push('lab/trainer:v1', { [REVISION]: await branchHead(lab) });
  const issue = await openHeroIssue(lab, { answers: { 'Container or bundle': 'ghcr.io/lab/trainer:v1' } });
  await judged(lab, 'built');
  await lab.clock.advance(5 * MINUTE);
  registry.push('lab/trainer:v1', { [REVISION]: toSha('another commit') });
  await approve(lab, 'mira', issue, RUN).catch(() => undefined);
  await lab.clock.advance(30 * MINUTE);
  expect((await readState(lab, RUN))?.submission).toBeNull();
  expect((await gateOf(lab))?.code).toBe('other-commit');
});

// threat T88
it('the launcher refuses a hero run if its image tag was replaced after the order', async () => {
  const replaced = { tag: (): void => undefined };
  const { lab, registry } = await open(async (mode) => {
    if (mode === 'launch') replaced.tag();
  });
  registry.push('lab/trainer:v1', { [REVISION]: await branchHead(lab) });
  const issue = await openHeroIssue(lab, { answers: { 'Container or bundle': 'ghcr.io/lab/trainer:v1' } });
  await judged(lab, 'built');
  replaced.tag = () => void registry.push('lab/trainer:v1', { [REVISION]: toSha('another commit') });
  await approve(lab, 'mira', issue, RUN);
  const refused = async () => filterIncidents((await readState(lab, RUN))?.incidents ?? [], 'runner-refused');
  await until(lab, 'the refusal', async () => (await refused()).length > 0);
  expect((await refused()).map(({ detail }) => detail.reason)).toEqual(['container-built']);
  expect((await readState(lab, RUN))?.submission).toBeNull();
});

it('the container gate blocks while the registry is unavailable, and queries it again', async () => {
  const { lab, registry, state } = await open();
  state.isAway = true;
  const digest = registry.push('lab/trainer:v1', { [REVISION]: await branchHead(lab) });
  await openHeroIssue(lab, { answers: { 'Container or bundle': `ghcr.io/lab/trainer@${digest}` } });
  await judged(lab, 'not-known');
  expect(await gateOf(lab)).toMatchObject({ outcome: 'unknown', found: { why: expect.stringContaining('503') } });
  state.isAway = false;
  await judged(lab, 'built');
});

it('the container gate queries no registry if the contract names no container', async () => {
  const { lab, registry } = await open();
  await openHeroIssue(lab);
  await judged(lab, 'none');
  expect(registry.asked).toEqual([]);
});

/** The lab's Slurm runs every job in this image. */
const ON_SLURM = (image: string): string =>
  `  gpu:\n    engine: slurm\n    folder: /shared/jobs\n    containerImage: '${image}'\n    acceleratorHoursPerRun: '0.01'\n`;

it('the container gate blocks an image that differs from the one of its cluster, and names both', async () => {
  const { lab, registry } = await open(undefined, ON_SLURM('ghcr.io#lab/base:v1'));
  const labels = { [REVISION]: await branchHead(lab) };
  registry.push('lab/trainer:v1', labels);
  registry.push('lab/base:v1', labels);
  const issue = await openHeroIssue(lab, { answers: { 'Container or bundle': 'ghcr.io/lab/trainer:v1' } });
  await judged(lab, 'not-known');
  await lab.clock.advance(5 * MINUTE);
  expect(cardOf(lab)).toContain(
    'the commit of `ghcr.io/lab/trainer:v1` is unknown: its cluster runs every job in another container, ghcr.io/lab/base:v1',
  );
  await approve(lab, 'mira', issue, RUN).catch(() => undefined);
  await lab.clock.advance(30 * MINUTE);
  expect((await readState(lab, RUN))?.submission).toBeNull();
  const text = (await lab.as('ada', 'GET', `/issues/${issue}`)) as { readonly body: string };
  await lab.as('ada', 'PATCH', `/issues/${issue}`, { body: text.body.replace('lab/trainer:v1', 'lab/base:v1') });
  await judged(lab, 'built');
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the launch', isLaunched(lab));
});
