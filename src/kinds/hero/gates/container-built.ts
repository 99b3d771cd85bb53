/** Gate: the container that the contract names was built from the commit that is approved (policy HR-14, HR-35). */

import { type ImageLabels, isSameImage } from '../../../domain/launch/image.ts';
import { type Gate, type Judgement, judging } from '../../../gates/gate.ts';
import { contractValue } from '../contract/read-contract.ts';

const { block, pass, unknown } = judging('container-built');

/** Labels of the OCI's image format. */
const REVISION = 'org.opencontainers.image.revision';

export const containerBuilt: Gate = {
  id: 'container-built',
  evaluate: ({ container, contract, repository }) => {
    if (container === undefined || contract === undefined) return pass('none');
    const { said, runsIn, look } = container;
    const notKnown = (why: string): Judgement => unknown('not-known', 'anyone', { image: said, why });
    if (runsIn !== null && !isSameImage(said, runsIn))
      return notKnown(`its cluster runs every job in another container, ${runsIn}`);
    if (look === 'no-image') return pass('none');
    if (look === 'no-registry') return notKnown('the config names no registry of this name');
    // A person who approves the contract approves another commit that it names for the container.
    const commit =
      contractValue(contract.recorded, 'builtFrom') ?? contractValue(contract.recorded, 'commit');
    if (commit === null) return notKnown('the contract names no commit');
    const { image, found } = look;
    if (found.kind === 'unknown') return notKnown(found.why);
    if (found.value.kind === 'absent') return notKnown('its registry shows no such image');
    const { digest, platforms } = found.value;
    const other = platforms.find((labels) => isOtherCommit(labels, commit, repository));
    if (other !== undefined)
      return block('other-commit', 'author', { image, built: other.revision ?? '', wanted: commit });
    const isUnlabelled = platforms.some(({ revision }) => revision?.toLowerCase() !== commit);
    if (isUnlabelled) return notKnown(`it has no label ${REVISION} of this repository`);
    // A tag can move before the job starts, so the record names the image that was read.
    return pass('built', { image: image.endsWith(`@${digest}`) ? image : `${image}@${digest}`, commit });
  },
};

/**
 * Whether the labels name another commit of this repository. A builder that writes no labels leaves those of its base
 * image, which name a commit of somebody else's repository.
 */
function isOtherCommit({ revision, source }: ImageLabels, commit: string, repository: string): boolean {
  if (revision === null || revision.toLowerCase() === commit) return false;
  // rule HR-77
  return source === null || isOf(source, repository);
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
