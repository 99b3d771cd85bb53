/** The watch answers a signature match of a bad node: it looks which machine it was and proposes, or asks a person. */

import { openSignatureMatch } from '../../care/bad-node.ts';
import { answerSignatureMatch } from '../../care/propose-node-delete.ts';
import { traitsOf } from '../../config/engine-traits.ts';
import { GitError } from '../../domain/git.ts';
import type { RunId } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import type { CloudOf } from '../lab.ts';
import type { OpenLab } from '../open-lab.ts';
import type { Publisher } from '../publisher.ts';

export type SignatureMatchInput = {
  readonly cluster: string;
  readonly cloudOf: CloudOf;
  readonly redact: (text: string) => string;
  readonly publisher: Publisher;
};

/** Whether a run of the cluster shows a bad node that nobody has answered yet; also after its job has ended. */
export function hasOpenSignatureMatch(state: RunState, cluster: string): boolean {
  return state.submission?.cluster === cluster && openSignatureMatch(state) !== null;
}

/** Records the answer and publishes it. Nothing where the machines cannot be listed for the moment. */
export async function answerBadNode(open: OpenLab, input: SignatureMatchInput, run: RunId): Promise<void> {
  const { lab, store, config } = open;
  const cloud = input.cloudOf(config, input.cluster);
  const listing = cloud === null ? null : await cloud.list();
  for (let attempt = 0; attempt < limits.appendTriesMax; attempt += 1) {
    const state = store.current().runs.find((one) => one.run === run);
    const match = state === undefined ? null : openSignatureMatch(state);
    if (state === undefined || match === null) return;
    const draft = answerSignatureMatch({
      state,
      match,
      listing,
      repository: lab.repository,
      project: projectOf(open, input.cluster),
      now: lab.now(),
      digestOf: lab.digestOf,
      redact: input.redact,
    });
    if (draft === null) return;
    const result = await store.append(run, [draft], lab.now());
    if (result.kind === 'failed')
      throw new Error(`the signature match of ${run} could not be answered: ${result.message}`);
    if (result.kind === 'refused') throw new GitError('failed', result.message);
    if (result.kind === 'appended') {
      await input.publisher.publish(open, run, result.seqs.get(run) ?? []);
      return;
    }
    await store.load();
  }
}

function projectOf({ config }: OpenLab, cluster: string): string {
  return traitsOf(config, cluster)?.machines?.gcp?.project ?? '';
}
