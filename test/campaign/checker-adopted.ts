// What must never happen to a job that somebody has launched by hand, judged from what people said, what became of the job, what the
// bot told of it, and the record's bytes.

import type { AdoptedScene } from './adopted.ts';
import { SLACK_MS, stopFaults } from './checker.ts';
import { answerFaults, heardAfterMs } from './checker-answers.ts';
import { approvalFaults, isRoleTouched } from './checker-attempts.ts';
import { ADOPTED_JOB, LOG_LINE } from './terms.ts';

/** Every promise that this sequence broke, in words; empty = none. */
export async function adoptedFaultsOf(scene: AdoptedScene): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const start of scene.starts) faults.push(...(await approvalFaults(scene, start)));
  const job = await scene.lab.engine.observe(ADOPTED_JOB, null);
  const status = job.kind === 'found' ? job.status : 'gone';
  return [
    ...faults,
    ...privacyFaults(scene),
    ...stoppedFaults(scene, status),
    ...ownerFaults(scene),
    ...(await stopFaults(scene)),
    ...answerFaults(scene),
  ];
}

/** Who may take a job over, and said so; the comment may be gone by now. */
function acceptances({ deeds }: AdoptedScene) {
  return deeds.flatMap((deed) => (deed.kind === 'asked' && deed.text === '/accept' ? [deed] : []));
}

/** Nothing of its log is told or recorded before somebody who may has said that this is the job. */
function privacyFaults(scene: AdoptedScene): readonly string[] {
  const { comments, users } = scene.lab.world.state;
  const acceptedAtMs = acceptances(scene)[0]?.atMs ?? Number.POSITIVE_INFINITY;
  const told = Object.values(comments)
    .filter(({ authorId, body }) => users[authorId]?.type === 'Bot' && body.includes(LOG_LINE))
    .filter(({ updatedAtMs }) => updatedAtMs < acceptedAtMs - SLACK_MS);
  const recorded = scene.texts.filter(
    ({ atMs, text }) => atMs < acceptedAtMs - SLACK_MS && /"type":"(?:observed|ended)"/.test(text),
  );
  return [
    ...told.map(({ id }) => `comment ${id} tells of the log before anybody had said that this is the job`),
    ...recorded.slice(0, 1).map(() => 'the job was looked at before anybody had said that this is the job'),
  ];
}

/** It is stopped by the word of who may, and by that it is. */
function stoppedFaults(scene: AdoptedScene, status: string): readonly string[] {
  const { deeds, lab, webhooks } = scene;
  const { comments } = lab.world.state;
  const stops = deeds.flatMap((deed) => (deed.kind === 'braked' && deed.brake === 'stop' ? [deed] : []));
  const owners = new Set<string>(acceptances(scene).map(({ by }) => by));
  const mayHave = stops.some(({ by }) => by === 'mira' || owners.has(by));
  if (status === 'STOPPED') return mayHave ? [] : ['the job was stopped by nobody who may'];
  const [accepted] = acceptances(scene);
  if (status !== 'RUNNING' || accepted === undefined || isRoleTouched(scene) || isSpoilt(scene)) return [];
  const heardMs = heardAfterMs({ ...scene, webhooks });
  return stops
    .filter(({ by, comment, text }) => by === 'mira' && comments[comment]?.body === text)
    .filter(({ atMs }) => atMs > accepted.atMs + heardMs && lab.clock.now() - atMs >= heardMs)
    .filter(() => comments[accepted.comment]?.body === '/accept')
    .map(({ text, atMs }) => `the job runs ${(lab.clock.now() - atMs) / 60_000} min after ${text}`);
}

/** Of a record whose lines somebody took away the last good entry may be one of before the job was taken over. */
function isSpoilt({ deeds }: AdoptedScene): boolean {
  return deeds.some((deed) => deed.kind === 'changed-record');
}

/** The watch is nobody's who has not said yes. */
function ownerFaults(scene: AdoptedScene): readonly string[] {
  const { comments, users } = scene.lab.world.state;
  const cards = Object.values(comments).filter(
    ({ authorId, body }) =>
      users[authorId]?.type === 'Bot' && /^<!-- ferrybot:\S+ run=\S+ kind=card /.test(body),
  );
  const forged = new Set(
    scene.deeds.flatMap((deed) => (deed.kind === 'forged-comment' ? [deed.comment] : [])),
  );
  const owners = cards
    .filter(({ id }) => !forged.has(id))
    .flatMap(({ body }) => /the watch is (\w+)'s/.exec(body)?.[1] ?? []);
  const said = new Set<string>(acceptances(scene).map(({ by }) => by));
  return owners
    .filter((owner) => !said.has(owner))
    .map((owner) => `the watch is ${owner}'s, who never said so`);
}
