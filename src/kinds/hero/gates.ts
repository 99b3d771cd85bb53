/** The gates of hero runs: the DRI, the checkpoint that the run starts from, and its container. */

import type { ResumePoint } from '../../checkpoints/start.ts';
import { listOptions, listStoragePaths, looksLikeCheckpoint, readValue, unreadScript } from '../../contracts/fields.ts';
import { CHECKPOINT, contractDri, type ImageLabels, isSameImage, isSameLogin } from '../../domain/launch/contract.ts';
import { assertNever, withoutEndSlashes } from '../../domain/values.ts';
import {
  type ChangeGateFacts,
  cannotTell,
  defineGate,
  type GateFacts,
  ifKnown,
  type Judgement,
  judgements,
  requireContract,
} from '../../gates/gate.ts';
import { listInputs } from './contract/fields.ts';
import { startOptions } from './settings.ts';

/** The contract's DRI wrote the contract, requested the run, or accepted it (policy HR-15). */
export const driAcceptedGate = defineGate('dri-accepted', ({ contract, proposal, owner = null }, { block, pass }) =>
  ifKnown(requireContract(contract), (now) => {
    const dri = contractDri(now);
    if (dri === null) return block('nobody', 'author');
    const consenting = [proposal.author, proposal.requestedBy, owner];
    return consenting.some((one) => one !== null && isSameLogin(dri, one.login))
      ? pass('accepted', { dri })
      : // rule HR-15
        block('not-accepted', 'anyone', { dri });
  }),
);

/** A label of the OCI image format. */
const REVISION = 'org.opencontainers.image.revision';

/** The contract's container was built from the approved commit (policy HR-14, HR-35). */
export const containerBuiltGate = defineGate(
  'container-built',
  ({ container, contract, repository }, { block, pass, unknown }) => {
    if (container === undefined || contract === undefined) return pass('none');
    const { written, runsIn, image: look } = container;
    const unknownContainer = (why: string): Judgement => unknown('not-known', 'anyone', { image: written, why });
    if (runsIn !== null && !isSameImage(written, runsIn))
      return unknownContainer(`its cluster runs every job in another container, ${runsIn}`);
    if (look === 'no-image') return pass('none');
    if (look === 'no-registry') return unknownContainer('the config names no registry of this name');
    // The contract may name a different commit for the container, which its approval covers.
    const commit = readValue(contract.recorded, 'builtFrom') ?? readValue(contract.recorded, 'commit');
    if (commit === null) return unknownContainer('the contract names no commit');
    const { image, found } = look;
    if (found.kind === 'unknown') return unknownContainer(found.why);
    if (found.value.kind === 'absent') return unknownContainer('its registry shows no such image');
    const { digest, platforms } = found.value;
    const other = platforms.find((labels) => isOtherCommit(labels, commit, repository));
    if (other !== undefined)
      return block('other-commit', 'author', { image, built: other.revision ?? '', wanted: commit });
    const isUnlabelled = platforms.some(({ revision }) => revision?.toLowerCase() !== commit);
    if (isUnlabelled) return unknownContainer(`it has no label ${REVISION} of this repository`);
    // A tag can move before the job starts, so record the digest that was read.
    return pass('built', { image: image.endsWith(`@${digest}`) ? image : `${image}@${digest}`, commit });
  },
);

/**
 * Whether the labels name another commit of this repository. A builder that writes no labels keeps those of its base
 * image, which name a commit of a different repository.
 */
function isOtherCommit({ revision, source }: ImageLabels, commit: string, repository: string): boolean {
  if (revision === null || revision.toLowerCase() === commit) return false;
  // rule HR-77
  return source === null || isSourceOfRepository(source, repository);
}

/** Accepts `https://github.com/lab/models.git` and other usual spellings. */
function isSourceOfRepository(source: string, repository: string): boolean {
  const plain = source
    .toLowerCase()
    .replace(/\.git$/, '')
    .replace(/\/$/, '');
  const name = repository.toLowerCase();
  return plain === name || plain.endsWith(`/${name}`) || plain.endsWith(`:${name}`);
}

const checkpointProvenAnswer = judgements('checkpoint-proven');

/** The command starts from a complete checkpoint with a recorded lineage (policy HR-12, HR-34, HR-55, HR-56). */
export const checkpointProvenGate = defineGate('checkpoint-proven', (facts) => {
  const { start, resume, lane, contract } = facts;
  if (start === undefined || contract === undefined) return cannotTell('the run has no contract');
  const dri = readValue(contract.recorded, 'dri') ?? '';
  if (resume !== undefined) return ifKnown(resume, judgeResumePoint(dri, facts, startPath(start)));
  return ifKnown(start, (point) => {
    // rule HR-56
    if (point.kind === 'refused')
      return checkpointProvenAnswer.block('refused', 'author', { why: point.code, path: point.path, dri });
    const path = point.kind === 'proven' ? point.path : '';
    const differs = judgeOtherPaths(facts, [path]);
    if (differs !== null) return differs;
    if (point.kind === 'anew') return checkpointProvenAnswer.pass('anew');
    const parts = [...lane.command, ...Object.values(lane.environment)];
    if (!parts.some((part) => part.includes(CHECKPOINT) || part === path || part.endsWith(`=${path}`)))
      return checkpointProvenAnswer.block('command-differs', 'author', { said: '', path });
    const { step, run, attempt } = point;
    return checkpointProvenAnswer.pass('proven', {
      path,
      step,
      ...(run === null ? {} : { run }),
      ...(attempt === null ? {} : { attempt }),
    });
  });
});

/** After a failed attempt, the next attempt may start only from the checkpoint that the resume rule chooses. */
function judgeResumePoint(
  dri: string,
  facts: ChangeGateFacts,
  begun: string | null,
): (point: ResumePoint) => Judgement {
  const before = begun === null ? [] : [begun];
  return (point) => {
    switch (point.kind) {
      case 'unseen':
        return judgeOtherPaths(facts, ['', ...before]) ?? checkpointProvenAnswer.pass('unseen');
      case 'from':
        return (
          judgeOtherPaths(facts, [point.path, ...before]) ??
          checkpointProvenAnswer.pass('goes-on', { path: point.path, step: point.step })
        );
      case 'ask':
        return checkpointProvenAnswer.block('none-to-go-on', 'author', { why: point.code, dri });
      case 'takes-other':
        return checkpointProvenAnswer.block('takes-other', 'author', { path: point.path, wouldTake: point.wouldTake });
      default:
        return assertNever(point);
    }
  };
}

/**
 * The block for a command that starts from a path outside `allowed`, with the proven path first; null if it does not. Each
 * checkpoint and each path of another run in the command must be allowed, a listed input, or in a place where the run writes.
 */
function judgeOtherPaths(
  { lane, contract, othersPaths = [] }: ChangeGateFacts,
  allowed: readonly string[],
): Judgement | null {
  const recorded = contract?.recorded ?? {};
  const [path = ''] = allowed;
  if (readValue(recorded, 'command') === null) return unread('the contract has no command that can be read');
  const script = unreadScript(lane);
  if (script !== null) return unread(`a shell or an interpreter reads ${script}`);
  const starts = listOptions(lane, startOptions(lane)).filter((one) => one !== CHECKPOINT);
  const computed = starts.find((one) => COMPUTED.test(one));
  if (computed !== undefined) return unread(`${computed} is known only when the job starts`);
  const inputs = listInputs(readValue(recorded, 'inputs') ?? '');
  const own = OWN_LOCATIONS.flatMap((name) => readValue(recorded, name) ?? []);
  const places = [...allowed.filter((one) => one !== ''), ...inputs, ...own, '{outputRoot}'];
  // rule HR-34
  const named = listStoragePaths(lane).filter(looksLikeCheckpoint);
  const said =
    starts.find((one) => !allowed.includes(one)) ??
    lane.command.find(isComputedPath) ??
    [...named, ...othersPaths].find((one) => !places.some((place) => isInPlace(one, place)));
  return said === undefined ? null : checkpointProvenAnswer.block('command-differs', 'author', { said, path });
}

/** The checkpoint is known only when the job starts, and a launch must not depend on that. */
const unread = (why: string): Judgement => ({
  ...checkpointProvenAnswer.block('undecided', 'author', { why }),
  outcome: 'unknown',
});

/** A reference to a variable, a command, or a placeholder that ferrybot does not fill in. */
const COMPUTED = /[$`]|\{(?!checkpoint\}|outputRoot\}|run\}|runName\}|date\})/;
const OWN_LOCATIONS = ['outputRoot', 'checkpointRoot', 'temporaryRoot'] as const;

function isInPlace(path: string, place: string): boolean {
  const [one, other] = [withoutEndSlashes(path), withoutEndSlashes(place)];
  return one === other || (one.startsWith(`${other}/`) && !one.split('/').includes('..'));
}

/** Text after the placeholder can lead out of the checkpoint. */
function isComputedPath(part: string): boolean {
  const at = part.indexOf(CHECKPOINT);
  return at !== -1 && part.includes('..', at + CHECKPOINT.length);
}

/** The checkpoint that the previous attempt was launched from; the command may still name it. */
function startPath(start: NonNullable<GateFacts['start']>): string | null {
  return start.kind === 'known' && start.value.kind === 'proven' ? start.value.path : null;
}
