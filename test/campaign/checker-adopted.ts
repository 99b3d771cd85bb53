// Promises about an adopted job, judged from people's comments, the job's end, the bot's comments and the
// record's bytes.

import type { AdoptedScene } from './adopted.ts';
import { findStopFaults, SLACK_MS } from './checker.ts';
import { answerDelayMs, findAnswerFaults } from './checker-answers.ts';
import { findApprovalFaults, isRoleTouched } from './checker-attempts.ts';
import { ADOPTED_JOB, LOG_LINE } from './terms.ts';

/** Every broken promise of this sequence, in words; empty if none is broken. */
export async function findAdoptedFaults(scene: AdoptedScene): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const start of scene.starts) faults.push(...(await findApprovalFaults(scene, start)));
  const job = await scene.lab.engine.observe(ADOPTED_JOB, null);
  const status = job.kind === 'found' ? job.status : 'gone';
  return [
    ...faults,
    ...privacyFaults(scene),
    ...stoppedFaults(scene, status),
    ...ownerFaults(scene),
    ...(await findStopFaults(scene)),
    ...findAnswerFaults(scene),
  ];
}

/** Acceptances by permitted users; the comments may have been deleted since. */
function acceptances({ deeds }: AdoptedScene) {
  return deeds.flatMap((deed) => (deed.kind === 'asked' && deed.text === '/accept' ? [deed] : []));
}

/** Nothing of its log is posted or recorded before a permitted user accepts the job. */
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

/** It is stopped if and only if a permitted user requested it. */
function stoppedFaults(scene: AdoptedScene, status: string): readonly string[] {
  const { deeds, lab, webhooks } = scene;
  const { comments } = lab.world.state;
  const stops = deeds.flatMap((deed) => (deed.kind === 'braked' && deed.brake === 'stop' ? [deed] : []));
  const owners = new Set<string>(acceptances(scene).map(({ by }) => by));
  const mayHave = stops.some(({ by }) => by === 'mira' || owners.has(by));
  if (status === 'STOPPED') return mayHave ? [] : ['the job was stopped by nobody who may'];
  const [accepted] = acceptances(scene);
  if (status !== 'RUNNING' || accepted === undefined || isRoleTouched(scene) || isRecordTampered(scene)) return [];
  const heardMs = answerDelayMs({ ...scene, webhooks });
  return stops
    .filter(({ by, comment, text }) => by === 'mira' && comments[comment]?.body === text)
    .filter(({ atMs }) => atMs > accepted.atMs + heardMs && lab.clock.now() - atMs >= heardMs)
    .filter(() => comments[accepted.comment]?.body === '/accept')
    .map(({ text, atMs }) => `the job runs ${(lab.clock.now() - atMs) / 60_000} min after ${text}`);
}

/** If lines of the record were removed, the last valid entry may be from before the adoption. */
function isRecordTampered({ deeds }: AdoptedScene): boolean {
  return deeds.some((deed) => deed.kind === 'changed-record');
}

/** Only a user who accepted can own the watch. */
function ownerFaults(scene: AdoptedScene): readonly string[] {
  const { comments, users } = scene.lab.world.state;
  const cards = Object.values(comments).filter(
    ({ authorId, body }) => users[authorId]?.type === 'Bot' && /^<!-- ferrybot:\S+ run=\S+ kind=card /.test(body),
  );
  const forged = new Set(scene.deeds.flatMap((deed) => (deed.kind === 'forged-comment' ? [deed.comment] : [])));
  const owners = cards
    .filter(({ id }) => !forged.has(id))
    .flatMap(({ body }) => /the watch is (\w+)'s/.exec(body)?.[1] ?? []);
  const said = new Set<string>(acceptances(scene).map(({ by }) => by));
  return owners.filter((owner) => !said.has(owner)).map((owner) => `the watch is ${owner}'s, who never said so`);
}
