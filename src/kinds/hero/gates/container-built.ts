/** Gate: the container that the contract names is the one that its cluster gives to a job, and was built from the commit of the run, as far as a label of it says (policy HR-14, HR-35). */

import {
  type ContainerFacts,
  type ImageLabels,
  type ImageLook,
  isSameImage,
} from '../../../domain/launch/image.ts';
import { cannotTell, type Gate, given, type Judgement, judging } from '../../../gates/gate.ts';
import { contractValue } from '../contract/read-contract.ts';

const { block, pass, warn } = judging('container-built');

type Wanted = { readonly commit: string; readonly isOther: boolean; readonly repository: string };

export const containerBuilt: Gate = {
  id: 'container-built',
  evaluate: ({ container, contract, repository }) => {
    if (container === undefined || contract === undefined) return pass('none');
    const { said, runsIn } = container;
    if (runsIn !== null && !isSameImage(said, runsIn))
      return block('runs-in-another', 'author', { said, runs: runsIn });
    const source = contractValue(contract.recorded, 'commit');
    const other = contractValue(contract.recorded, 'builtFrom');
    const commit = other ?? source;
    if (commit === null) return cannotTell('the contract has no source SHA');
    return judged(container, { commit, isOther: other !== null && other !== source, repository });
  },
};

function judged({ said, isRequired, look }: ContainerFacts, wanted: Wanted): Judgement {
  // Where the lab requires a label, what nobody can tell is no pass.
  const open = (told: Judgement): Judgement => (isRequired ? { ...told, outcome: 'fail' } : told);
  if (look === 'no-image') return open(warn('no-image', 'author', { said }));
  if (look === 'no-registry') return open(warn('no-registry', 'lab', { said }));
  const { image } = look;
  return given(look.found, (found) => {
    if (found.kind === 'absent') return block('absent', 'author', { image });
    const labels = found.platforms.map((one) => standingOf(one, wanted));
    const elsewhere = labels.find(({ kind }) => kind === 'differs');
    if (elsewhere !== undefined)
      return block('differs', 'author', { image, built: elsewhere.built, wanted: wanted.commit });
    const foreign = labels.find(({ kind }) => kind === 'foreign');
    if (foreign !== undefined) return open(warn('other-source', 'author', { image, source: foreign.built }));
    if (labels.some(({ kind }) => kind === 'none')) return open(warn('no-label', 'author', { image }));
    return built(image, found, wanted);
  });
}

/** A tag can be moved between this look and the job's; a digest cannot. */
function built(
  image: string,
  { digest }: Extract<ImageLook, { readonly kind: 'built' }>,
  { commit, isOther }: Wanted,
): Judgement {
  if (!image.endsWith(`@${digest}`)) return warn('by-tag', 'author', { image, commit, digest });
  return isOther ? warn('as-said', 'author', { image, commit }) : pass('built', { image, commit });
}

/**
 * A builder that writes no label leaves those of the image that it began from, which tell the commit of somebody else's
 * repository: they are no word about this one.
 */
function standingOf(
  { revision, source }: ImageLabels,
  { commit, repository }: Wanted,
): { readonly kind: 'matches' | 'none' | 'foreign' | 'differs'; readonly built: string } {
  if (revision === null) return { kind: 'none', built: '' };
  if (revision.toLowerCase() === commit) return { kind: 'matches', built: revision };
  return source !== null && !isOf(source, repository)
    ? { kind: 'foreign', built: source }
    : { kind: 'differs', built: revision };
}

/** `https://github.com/lab/models.git`, and what else people write for it. */
function isOf(source: string, repository: string): boolean {
  const plain = source
    .toLowerCase()
    .replace(/\.git$/, '')
    .replace(/\/$/, '');
  const name = repository.toLowerCase();
  return plain === name || plain.endsWith(`/${name}`) || plain.endsWith(`:${name}`);
}
